"""Clients whose connections are lost after any byte, again and again, while a session goes on. Python's standard library alone.

    python3 cut.py HOST:PORT CLIENTS EVENTS SEED

Each client attaches again with the last number it saw. Prints how many saw every number once and in order, and whether the
connections were cut often.
"""

import asyncio
import json
import random
import sys


def line(id, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


# The session goes on while connections are lost: no client is further behind it. With more, a new connection would be sent
# far more than it lives to read.
WINDOW = 50


class Lost(Exception):
    pass


class Client:
    def __init__(self, address, key, events, seed, progress):
        self.address, self.key, self.events, self.progress = address, key, events, progress
        self.random = random.Random(seed)
        self.seen = 0
        self.cuts = 0
        self.fault = None

    async def run(self):
        while self.seen < self.events and not self.fault:
            reader, writer = await asyncio.open_connection(*self.address)
            try:
                await self.talk(reader, writer)
            except (Lost, ConnectionError):
                self.cuts += 1
            finally:
                writer.transport.abort()

    async def talk(self, reader, writer):
        hello = line(1, "initialize") + line(2, "session/attach", key=self.key, since=self.seen)
        if self.random.random() < 0.1:
            writer.write(hello[: self.random.randrange(len(hello))])
            await writer.drain()
            raise Lost
        writer.write(hello)
        left = self.random.randrange(200, 8_000)
        rest = b""
        while self.seen < self.events and not self.fault:
            piece = await reader.read(4096)
            if not piece:
                raise Lost
            # What comes behind the cut was lost on the way, maybe in the middle of a message.
            *lines, rest = (rest + piece[:left]).split(b"\n")
            for text in lines:
                self.take(json.loads(text))
            self.progress.set()
            left -= len(piece)
            if left <= 0:
                raise Lost

    def take(self, message):
        if message.get("id") == 1 or message.get("id") == 2 and "snapshot" not in message.get("result", {"snapshot": 0}):
            return
        params = message.get("params", {})
        if params.get("seq") == self.seen + 1 and "after" not in params and params["event"]["value"] == self.seen:
            self.seen += 1
        else:
            self.fault = f"{message} came after number {self.seen}"


async def drive(writer, clients, events, progress):
    """Counts up, but never further ahead of the last client than the window."""
    # A counter has sent its first event by itself.
    sent = 1
    while sent < events and not any(client.fault for client in clients):
        progress.clear()
        while sent < min(events, min(client.seen for client in clients) + WINDOW):
            writer.write(line(sent + 2, "view/event", session=1, event={"kind": "increment", "by": 1}))
            sent += 1
        await writer.drain()
        await progress.wait()


async def swallow(reader):
    while await reader.read(65_536):
        pass


async def main(address, count, events, seed):
    host, port = address.rsplit(":", 1)
    address = (host, int(port))
    reader, writer = await asyncio.open_connection(*address)
    writer.write(line(1, "initialize") + line(2, "session/open", viewModel="counter"))
    await reader.readline()
    key = json.loads(await reader.readline())["result"]["key"]
    progress = asyncio.Event()
    clients = [Client(address, key, events, f"{seed} {index}", progress) for index in range(count)]
    swallowing = asyncio.create_task(swallow(reader))
    await asyncio.gather(drive(writer, clients, events, progress), *(client.run() for client in clients))
    swallowing.cancel()
    writer.close()
    for fault in [client.fault for client in clients if client.fault][:5]:
        print(f"seed {seed}: {fault}")
    print(f"{sum(client.seen == events for client in clients)} of {count} saw {events} events once and in order")
    cuts = sum(client.cuts for client in clients)
    print("cut often" if cuts >= count * 5 else f"cut {cuts} times")
    print(f"{cuts} cuts", file=sys.stderr)


asyncio.run(main(sys.argv[1], *(int(argument) for argument in sys.argv[2:])))
