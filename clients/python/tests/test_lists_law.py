"""What is read of a list is what the view model has at that number: random changes, answers, cuts and snapshots.

The walks of `view-model-server conform` hold the same of windows and of what is selected.
"""

import asyncio
import random
import unittest

from support import in_time
from view_model_client import ConnectionLost, ListChanged, View
from view_model_client._attachment import Names
from view_model_client._connection import Connection
from view_model_client._transport import Place

RUNS = 3000
STEPS = 25


class Wire:
    """A connection that a test answers."""

    def __init__(self):
        self.calls = []

    async def call(self, method, params, answered):
        assert method == "session/rows"
        call = (params, answered, asyncio.get_running_loop().create_future())
        self.calls.append(call)
        return await call[2]


class Model:
    """A view model's list, and what a server says of it."""

    def __init__(self, random):
        self.random = random
        self.last_id = 0
        self.versions = [[]]
        # By their numbers, from 1.
        self.events = [None]

    @property
    def seq(self):
        return len(self.events) - 1

    def new(self, count):
        self.last_id += count
        return [{"id": id} for id in range(self.last_id - count, self.last_id)]

    def change(self):
        rows, event = list(self.versions[-1]), {"kind": "rows"}
        if self.random.random() < 0.1:
            rows = self.random.sample(rows, self.random.randint(0, len(rows))) + self.new(self.random.randrange(30))
        else:
            event["changes"] = [self.edit(rows) for _ in range(self.random.randint(1, 4))]
        event["count"] = len(rows)
        if self.random.random() < 0.5:
            event["first"] = self.random.randint(0, len(rows))
            event["rows"] = rows[event["first"] :][: self.random.randrange(9)]
        self.versions.append(rows)
        self.events.append(event)

    def edit(self, rows):
        at = self.random.randint(0, len(rows))
        removed = self.random.randint(0, min(5, len(rows) - at))
        inserted = self.random.choice((0, removed, self.random.randrange(6)))
        gone, came = rows[at : at + removed], self.new(inserted)
        if gone and inserted and self.random.random() < 0.3:
            # An update.
            came[0] = {**gone[0], "new": self.last_id}
        rows[at : at + removed] = came
        return {"at": at, "removed": removed, "inserted": inserted}

    def snapshot(self):
        rows = self.versions[-1]
        return [{"kind": "rows", "count": len(rows), "first": 0, "rows": rows[:5]}] if rows else []


class Run:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.model = Model(self.random)
        self.connection = Connection(Place(), None, True, 1000, None, 0)
        self.connection.limits, self.connection.wire = {"rows": 7}, Wire()
        self.view = View(self.connection, Names(None), {}, "model")
        self.view._opened({"session": 1, "key": "key"})
        self.list = self.view.list("rows")
        self.was_reset = False
        # Those that were there since the first one came.
        self.always = None
        self.tasks = [asyncio.ensure_future(self.read_all())]

    @property
    def here(self):
        return self.model.versions[self.view.seq]

    def ids(self):
        return {row["id"] for row in self.here}

    async def read_all(self):
        found = []
        try:
            async for row in self.list:
                assert row in self.here, row
                if not found:
                    self.always = self.ids()
                found.append(row["id"])
                if self.random.random() < 0.3:
                    await asyncio.sleep(0)
        except ListChanged:
            assert found and self.was_reset
            return
        if self.always is not None:
            always = [id for id in found if id in self.always]
            assert len(set(always)) == len(always), "one came twice"
            assert set(always) == self.always, "one is missing"

    async def read_some(self):
        first, count = self.random.randrange(40), self.random.randrange(1, 12)
        rows = await self.list.rows(first, count)
        assert rows == self.here[first : first + count], (first, count, rows)

    async def step(self):
        kinds = {"change": 6, "tell": 8, "answer": 8, "ask": 4, "cut": 0.4, "pause": 3}
        await getattr(self, self.random.choices(list(kinds), list(kinds.values()))[0])()

    async def change(self):
        self.model.change()

    async def ask(self):
        self.tasks.append(asyncio.ensure_future(self.read_some()))

    async def pause(self):
        await asyncio.sleep(0)

    async def tell(self, upto=None):
        """One event, or all up to a number; a slow view's are one, which says nothing of what changed."""
        upto = min(self.model.seq, self.view.seq + 1) if upto is None else upto
        while self.view.seq < upto:
            after, seq = self.view.seq, self.view.seq + 1
            event = self.model.events[seq]
            if self.random.random() < 0.1:
                seq = upto
                event = {"kind": "rows", "count": len(self.model.versions[seq])}
            self.was_reset = self.was_reset or "changes" not in event
            self.view._take("viewModel/event", {"session": 1, "seq": seq, "event": event, "after": after})
            if self.always is not None:
                self.always &= self.ids()

    async def answer(self, bound=5):
        if not self.connection.wire.calls:
            return
        params, answered, future = self.connection.wire.calls.pop(0)
        if future.done():
            return
        await self.tell(self.random.randint(self.view.seq, self.model.seq))
        first = min(params["first"], len(self.here))
        told = self.here[first : first + min(params["count"], self.random.randint(1, bound))]
        answer = {"seq": self.view.seq, "count": len(self.here), "first": first, "rows": told}
        answered(answer)
        future.set_result(answer)

    async def cut(self):
        """The connection is lost with all that is on its way, and the view goes on, or with a snapshot."""
        calls, self.connection.wire = self.connection.wire.calls, Wire()
        self.view._attachment.is_attached.clear()
        for _, _, future in calls:
            if not future.done():
                future.set_exception(ConnectionLost("cut"))
        await asyncio.sleep(0)
        result = {"session": 1, "viewModel": "model", "seq": self.model.seq}
        if self.random.random() < 0.5:
            self.was_reset = True
            result["snapshot"] = self.model.snapshot()
        self.view._attached(result, self.view.seq)
        if self.always is not None:
            self.always &= self.ids()

    async def all(self):
        try:
            for _ in range(STEPS):
                await self.step()
                assert len(self.list) == len(self.here)
            # All comes to an end once the server answers and nothing changes any more.
            await self.tell(self.model.seq)
            while not all(task.done() for task in self.tasks):
                await self.answer(50)
                await asyncio.sleep(0)
            await asyncio.gather(*self.tasks)
        finally:
            for task in self.tasks:
                task.cancel()


class Law(unittest.TestCase):
    @in_time
    async def test_what_is_read_of_a_list_is_the_models_at_that_number(self):
        for seed in range(RUNS):
            with self.subTest(seed=seed):
                await Run(seed).all()
