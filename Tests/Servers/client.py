"""Clients in Python for `run`, many in this process, each with a connection of its own.

Each line of standard input is an order; each line of standard output says that one client has done it.

    {"do": "open", "client": 1, "tcp": "HOST:PORT", "viewModel": "counter"}
    {"do": "attach", "client": 2, "tcp": "HOST:PORT", "viewModel": "counter", "key": "…"}
    {"do": "work", "pause": 0.4}        send events, with so many seconds between them on average
    {"do": "rest"}                      send no more, once everything is answered
    {"do": "report", "newest": {"1": 7}}    say what was seen, when these numbers were
"""
import asyncio
import json
import logging
import os
import random
import sys
import time

import view_model_client
from view_model_client import Event, Navigation, ServerError, connect

PATIENCE = 60.0  # s: only against hanging


class Member:
    def __init__(self, order):
        self.number, self.place, self.view_model = order["client"], order["tcp"], order["viewModel"]
        self.seen, self.last, self.sent, self.strange = {}, 0, 0, []
        self.longest, self.longest_at = 0.0, 0.0

    async def begin(self, key):
        self.client = await connect(tcp=self.place, reconnect=True)
        if self.view_model == "short":
            return self.say()
        if key:
            self.view = await self.client.attach(key, 0)
        else:
            arguments = {"orders": {"count": 20, "delay": 0}, "todos": {"list": f"{self.number}"}}
            self.view = await self.client.open(self.view_model, arguments.get(self.view_model))
        self.view.member = self
        self.reading = asyncio.ensure_future(self.read())
        self.say(key=self.view.key)

    async def read(self):
        async for item in self.view.notifications():
            if not isinstance(item, (Event, Navigation)):
                self.strange.append(f"{item} came")
                continue
            self.last = item.seq
            self.seen[item.seq] = item.event if isinstance(item, Event) else None
        self.strange.append(f"the view ended: {self.view.reason}")

    def took(self, number, after):
        """The wire has brought this number, whatever the library makes of it."""
        if number <= self.view.seq:
            self.strange.append(f"twice: number {number} came behind {self.view.seq}")
        elif after != self.view.seq:
            self.strange.append(f"order: number {number} came after {after}, and the newest was {self.view.seq}")

    async def timed(self, call):
        """Asks again while the store can't be reached, as the error says."""
        begin = time.time()
        while True:
            try:
                return await call()
            except ServerError as error:
                if error.name != "StoreUnavailable":
                    raise
                await asyncio.sleep(error.retry_after)
            finally:
                if time.time() - begin > self.longest:
                    self.longest, self.longest_at = time.time() - begin, begin

    async def send(self, view, event):
        await self.timed(lambda: view.send(event))
        self.sent += 1

    async def work(self, pause):
        step = getattr(self, self.view_model)
        while not ends.is_set():
            try:
                await asyncio.wait_for(ends.wait(), random.uniform(0, 2 * pause))
            except asyncio.TimeoutError:
                await step()
        self.say(seq=0 if self.view_model == "short" else self.view.seq)

    async def counter(self):
        # Side by side, now and then: the order is that of the calls.
        count = random.choice([1, 1, 1, 3])
        await asyncio.gather(*(self.send(self.view, {"kind": "increment", "by": 1}) for _ in range(count)))

    async def todos(self):
        await self.send(self.view, {"kind": "add", "title": f"{self.sent}"})
        await self.send(self.view, {"kind": "toggle", "id": self.sent // 3 + 1})
        await self.send(self.view, {"kind": "removeDone"})

    async def orders(self):
        if not self.sent:
            await self.send(self.view, {"kind": "loadOrders"})
        await self.send(self.view, {"kind": "selectOrder", "index": self.sent % 20})
        details = await self.timed(lambda: self.client.attach(self.view.stack[-1].key))
        await self.send(details, {"kind": "editNote", "value": f"{self.sent}"})
        await self.send(details, {"kind": "saveNote"})
        if not ends.is_set():
            await self.timed(details.back)

    async def short(self):
        """A session that is opened, used and closed again."""
        view = await self.timed(lambda: self.client.open("counter"))
        for _ in range(3):
            await self.send(view, {"kind": "increment", "by": 1})
        events = view.received()
        if [event["value"] for event in events] != [0, 1, 2, 3]:
            self.strange.append(f"lost: a new counter said {events}")
        await self.timed(view.end_session)

    async def report(self, newest):
        deadline = time.time() + PATIENCE
        while self.last < newest and time.time() < deadline:
            await asyncio.sleep(0.02)
        more = {} if self.view_model == "short" else {"stack": [child.view_model for child in self.view.stack]}
        if self.view_model == "orders":
            more["rows"] = [row["id"] for row in await self.timed(lambda: self.view.list("orders").rows(0, 100))]
        self.say(
            sent=self.sent, seen=self.seen, strange=self.strange, longest=self.longest, longestAt=self.longest_at, **more)
        await self.client.leave()

    def say(self, **words):
        print(json.dumps({"client": self.number, **words}), flush=True)


async def orders():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


async def follow():
    members = []
    async for order in orders():
        if order["do"] in ("open", "attach"):
            members.append(Member(order))
            calls = [members[-1].begin(order.get("key"))]
        elif order["do"] == "work":
            calls = [member.work(order["pause"]) for member in members]
        elif order["do"] == "rest":
            calls = []
            ends.set()
        else:
            calls = [member.report(order["newest"].get(str(member.number), 0)) for member in members]
        for call in calls:
            tasks.add(asyncio.ensure_future(call))
    # The others would only be in the way of the words.
    for task in tasks:
        task.cancel()


async def watch():
    """A mistake of one client is the end of all."""
    following = asyncio.ensure_future(follow())
    tasks.add(following)
    while not following.done():
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=0.1)
        tasks.difference_update(done)
        for task in done:
            task.result()


def checked(view, method, params, take=view_model_client.View._take):
    member = getattr(view, "member", None)
    if member and "seq" in params:
        member.took(params["seq"], params.get("after", params["seq"] - 1))
    take(view, method, params)


async def main():
    global ends
    ends = asyncio.Event()
    await watch()


view_model_client.View._take = checked
tasks = set()
logging.basicConfig(level=logging.WARNING)
random.seed(os.environ.get("SEED"))
asyncio.run(main())
