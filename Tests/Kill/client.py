"""A client in Python for `run`: sends events to durable sessions until its input ends, and then says what it saw.

    python3 client.py SOCKET
"""
import asyncio
import json
import logging
import sys
import uuid

from view_model_client import Event, Navigation, ServerError, connect


STORE_UNAVAILABLE = -32016


class Watched:
    """A view with each number that it has seen."""

    def __init__(self, view):
        self.view, self.seen, self.last = view, {}, 0
        self.reading = asyncio.ensure_future(self.read())

    async def read(self):
        async for item in self.view.notifications():
            if not isinstance(item, (Event, Navigation)):
                raise SystemExit(f"{item} came")
            if item.seq <= self.last:
                raise SystemExit(f"{item} came behind {self.last}")
            self.last = item.seq
            self.seen[item.seq] = item.event if isinstance(item, Event) else None

    async def finish(self):
        # Everything that was sent before an answer has arrived, and is read here.
        while self.view.seq > self.last and not self.reading.done():
            await asyncio.sleep(0.01)
        if self.reading.done():
            self.reading.result()


async def count(view, client, ends):
    watched, sent = Watched(view), 0
    while not ends.is_set():
        # Side by side: the order is that of the calls.
        await asyncio.gather(*(view.send({"kind": "increment", "by": 1}) for _ in range(10)))
        sent += 10
    await watched.finish()
    last = watched.seen[watched.last]["value"]
    report({"viewModel": "counter", "key": view.key, "sent": sent, "last": last, "seen": watched.seen})


async def note(view, client, ends):
    watched, sent = Watched(view), 0
    while not ends.is_set():
        await view.send({"kind": "add", "title": f"{sent}"})
        await view.send({"kind": "toggle", "id": sent // 2 + 1})
        await view.send({"kind": "removeDone"})
        sent += 2
    await watched.finish()
    report({"viewModel": "todos", "key": view.key, "sent": sent, "seen": watched.seen})


async def order(view, client, ends):
    watched, sent, details = Watched(view), 0, None
    await view.send({"kind": "loadOrders"})
    while not ends.is_set():
        await view.send({"kind": "selectOrder", "index": sent % 20})
        details = await repeated(lambda: client.attach(view.stack[-1].key))
        await details.send({"kind": "editNote", "value": f"{sent}"})
        await details.send({"kind": "saveNote"})
        sent += 3
        if ends.is_set():
            break
        await repeated(details.back)
    await watched.finish()
    names = [child.view_model for child in view.stack]
    rows = await repeated(lambda: view.list("orders").rows(0, 100))
    report({
        "viewModel": "orders", "key": view.key, "sent": sent, "seen": watched.seen, "navigation": names,
        "rows": [row["id"] for row in rows]})


async def repeated(call):
    """Asks again while the store can't be reached, as the error says."""
    while True:
        try:
            return await call()
        except ServerError as error:
            if error.code != STORE_UNAVAILABLE:
                raise
            await asyncio.sleep(error.data["retryAfterMs"] / 1000)


def report(value):
    print(json.dumps(value), flush=True)


async def main(path):
    ends = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, lambda: (loop.remove_reader(sys.stdin), ends.set()))
    client = await connect(unix=path, reconnect=True)
    views = await client.open("counter"), await client.open("todos", {"list": f"{uuid.uuid4()}"}), await client.open("orders", {"count": 20, "delay": 0})
    print("open", flush=True)
    await asyncio.gather(*(work(view, client, ends) for work, view in zip((count, note, order), views)))
    await client.leave()


logging.basicConfig(level=logging.INFO)
asyncio.run(main(sys.argv[1]))
