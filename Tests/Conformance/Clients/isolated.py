"""Clients of a server with --isolate, whose processes are stopped and killed. Python's standard library and the Python client.

    PYTHONPATH=clients/python python3 isolated.py HOST:PORT SERVER_PROCESS crash | unread | stopped | allocates | kept | traps

Prints a line for each thing that it has seen to be so.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import threading

ADDRESS, SERVER = sys.argv[1], int(sys.argv[2])


def process_of(client):
    """The process that serves a client, by its name."""
    process = find_process_of(client)
    if process is None:
        raise SystemExit(f"{client} has no process")
    return process


def find_process_of(client):
    """None while the next one isn't started."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline") as file:
                arguments = file.read().split("\0")
        except (OSError, ValueError):
            continue
        if parent == SERVER and arguments[1:2] == [f'--isolated="{client}"']:
            return int(name)
    return None


def peak():
    """The most memory that the server's own process has used, in MiB."""
    with open(f"/proc/{SERVER}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


class Client:
    def __init__(self, name):
        host, _, port = ADDRESS.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=600)
        self.file = self.socket.makefile("rb")
        self.last = 0
        self.call("initialize", clientInfo={"name": name})

    def line(self, method, **params):
        self.last += 1
        return json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n"

    def read(self):
        return json.loads(self.file.readline())

    def call(self, method, **params):
        self.socket.sendall(self.line(method, **params))
        while True:
            message = self.read()
            if message.get("id") == self.last:
                return message


def until_stuck(other, written):
    """Waits until nothing more is written, however often somebody else is answered meanwhile."""
    seen, turns = -1, 0
    while turns < 300:
        assert "result" in other.call("ping")
        turns = turns + 1 if written() == seen else 0
        seen = written()


def stopped():
    slow, other = Client("slow"), Client("other")
    before = peak()
    process = process_of("slow")
    os.kill(process, signal.SIGSTOP)
    written = 0

    def write():
        nonlocal written
        for _ in range(1_000):
            line = slow.line("ping", pad="x" * 60_000)
            slow.socket.sendall(line)
            written += len(line)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    until_stuck(other, lambda: written)
    print("nothing more is read for a process that is stopped" if written < 30 << 20 else f"{written} bytes were read")
    print("others are answered")
    print("the server holds little of it" if peak() - before < 8 else f"{peak() - before} MiB")
    os.kill(process, signal.SIGCONT)
    answers = [slow.read() for _ in range(1_000)]
    writer.join()
    ids = [answer["id"] for answer in answers]
    print("then everything is answered" if ids == list(range(2, 1_002)) else f"{ids}")


def unread():
    slow, other = Client("slow"), Client("other")
    slow.call("session/open", viewModel="counter")
    before = peak()
    events = 3_000
    lines = [slow.line("view/event", session=1, event={"kind": "load"}) for _ in range(events)]
    written = 0

    def write():
        nonlocal written
        for line in lines:
            slow.socket.sendall(line)
            written += 1

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    until_stuck(other, lambda: written)
    print("others are answered")
    print("the server holds little of it" if peak() - before < 8 else f"{peak() - before} MiB")
    answered, seq, order = 0, 0, True
    while answered < events:
        message = slow.read()
        if "id" in message:
            answered += 1
            order = order and message["id"] == answered + 2
        elif message["method"] == "viewModel/event":
            order = order and message["params"]["seq"] == seq + 1
            seq += 1
    print("everything comes, in order" if order else "something was lost")
    writer.join()


def allocates():
    """A server with a small isolatedBytes."""
    greedy, other = Client("greedy"), Client("other")
    for client, name in ((greedy, "todos"), (other, "counter")):
        client.call("session/open", viewModel=name)
    process = process_of("other")
    for added in range(100):
        answer = greedy.call("view/event", session=1, event={"kind": "add", "title": "x" * (8 << 20)})
        if "error" in answer:
            break
    print("more than one title was taken" if added > 1 else "it ended too early")
    print("the event that ran fails:", answer.get("error", {}).get("message", "").partition("; ")[0])
    while (message := greedy.read()).get("method") != "session/closed":
        pass
    print("the view ends:", message["params"]["reason"])
    print("the connection stays:", "result" in greedy.call("session/open", viewModel="counter"))
    other.call("view/event", session=1, event={"kind": "increment", "by": 1})
    print("others notice nothing:", process_of("other") == process)


async def crash():
    from view_model_client import ServerError, ViewClosed, connect

    async with connect(tcp=ADDRESS, reconnect=True) as client:
        orders = await client.open("orders", {"count": 1, "delay": 60})
        left = await client.open("counter")
        running = asyncio.ensure_future(orders.send({"kind": "loadOrders"}))
        async for _ in orders:
            break
        os.kill(process_of(NAME), signal.SIGKILL)
        try:
            await running
            print("it was answered")
        except (ServerError, ViewClosed) as error:
            print("the event that ran fails:", type(error).__name__)
        async for _ in left:
            pass
        print("the views end:", orders.reason, left.reason)
        print("the connection stays:", client.is_connected)
        counter = await client.open("counter")
        await counter.send({"kind": "increment", "by": 1})
        print("a new session:", counter.received()[-1])


async def kept():
    """A server with a store."""
    from view_model_client import connect

    async with connect(tcp=ADDRESS, reconnect=True) as client:
        todos = await client.open("todos")
        kills = 0
        added = 0
        while kills < 8:
            pending = [todos.send({"kind": "add", "title": f"{added + number}"}) for number in range(10)]
            waiting = asyncio.gather(*pending)
            # The task has to begin to send.
            await asyncio.sleep(0)
            while (process := find_process_of(NAME)) is None:
                await asyncio.sleep(0)
            os.kill(process, signal.SIGKILL)
            kills += 1
            await waiting
            added += 10
        print("killed", kills, "times")
        titles = [item["title"] for item in todos.received()[-1]["value"]["items"]]
        once = titles == [f"{number}" for number in range(added)]
        print("every event took effect once, in order" if once else f"{titles}")
        print("the view never ended" if todos.reason is None else todos.reason)


async def traps():
    """The server of the shop, with a store."""
    from view_model_client import ServerError, connect

    async with connect(tcp=ADDRESS, reconnect=True) as client:
        till = await client.open("till")
        await till.send({"kind": "take", "coins": 1})
        reasons = []
        for _ in range(2):
            try:
                await till.send({"kind": "jam"})
            except ServerError as error:
                reasons.append(str(error))
        print(reasons[0])
        print("another one is answered the same" if reasons[1:] == reasons[:1] else reasons)
        await till.send({"kind": "take", "coins": 2})
        print("the session goes on:", till.received()[-1]["value"])


NAME = "view_model_client.py"

if __name__ == "__main__":
    case = sys.argv[3]
    if case in ("crash", "kept", "traps"):
        asyncio.run({"crash": crash, "kept": kept, "traps": traps}[case]())
    else:
        {"stopped": stopped, "unread": unread, "allocates": allocates}[case]()
