"""What a list shows is what the view model's list is at that number: random changes, answers, cuts and snapshots."""

import asyncio
import random
import unittest

from support import in_time
from view_model_client import ConnectionLost, ListChanged, View

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


class Client:
    """As much of a client as a view needs."""

    _reconnects = True
    _named = set()
    _patience = 1000
    _stall = None
    limits = {"rows": 7}
    _readers = {}

    def __init__(self):
        self._views, self._living = {}, []
        self._wire = Wire()

    def _take_name(self, view):
        return "me"

    def _changed(self):
        pass

    def _end_ongoing(self, view):
        pass


class Model:
    """A view model's list, and what a server says of it."""

    def __init__(self, random):
        self.random = random
        self.last_id = 0
        self.versions = [[]]
        # The events, by their numbers; None for those of others.
        self.events = [None]

    @property
    def seq(self):
        return len(self.events) - 1

    @property
    def rows(self):
        return self.versions[-1]

    def new(self, count):
        self.last_id += count
        return [{"id": id} for id in range(self.last_id - count, self.last_id)]

    def change(self):
        kind = self.random.choices(("other", "reset", "edits"), (2, 1, 7))[0]
        rows, event = list(self.rows), {"kind": "rows"}
        if kind == "reset":
            rows = self.random.sample(rows, self.random.randint(0, len(rows))) + self.new(self.random.randrange(30))
        elif kind == "edits":
            event["changes"] = [self.edit(rows) for _ in range(self.random.randint(1, 4))]
        event["count"] = len(rows)
        if self.random.random() < 0.5:
            event["first"] = self.random.randint(0, len(rows))
            event["rows"] = rows[event["first"] :][: self.random.randrange(9)]
        self.versions.append(rows)
        self.events.append({"kind": "other"} if kind == "other" else event)

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
        event = {"kind": "rows", "count": len(self.rows), "first": 0, "rows": self.rows[:5]}
        return [] if not self.rows else [event]


class Reader:
    """Goes through all rows, and knows which were there all the time."""

    def __init__(self, run):
        self.run, self.found = run, []
        self.always = None
        self.task = asyncio.ensure_future(self.read())

    async def read(self):
        try:
            async for row in self.run.list:
                assert row in self.run.here, row
                if not self.found:
                    self.always = self.ids()
                self.found.append(row["id"])
                if self.run.random.random() < 0.3:
                    await asyncio.sleep(0)
        except ListChanged:
            assert self.found and self.run.was_reset
            return
        if self.always is not None:
            always = [id for id in self.found if id in self.always]
            assert len(set(always)) == len(always), "one came twice"
            assert set(always) == self.always, "one is missing"

    def ids(self):
        return {row["id"] for row in self.run.here}

    def changed(self):
        if self.always is not None:
            self.always &= self.ids()


class Run:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.model = Model(self.random)
        self.client = Client()
        self.view = View(self.client, "model")
        self.view._opened({"session": 1, "key": "key"})
        self.list = self.view.list("rows")
        self.was_reset = False
        self.heard = 0
        self.list.on_change(lambda _: self.hear())
        self.tasks = []
        self.reader = Reader(self)

    @property
    def here(self):
        return self.model.versions[self.view.seq]

    def hear(self):
        self.heard += 1
        self.check()

    def check(self):
        """What is here is right, whenever somebody looks."""
        here = self.here
        assert len(self.list) == len(here), (len(self.list), len(here))
        for index in range(-1, len(here) + 2):
            row = self.list.row(index)
            assert row is None or row == here[index], (index, row)
        selected = self.list.selected_index
        if selected is not None and selected < len(here) and self.list.selected_id is not None:
            assert here[selected]["id"] == self.list.selected_id
        self.reader.changed()

    async def step(self):
        kinds = {"change": 6, "tell": 8, "answer": 8, "ask": 3, "show": 3, "select": 1, "cut": 0.4, "pause": 3}
        await getattr(self, self.random.choices(list(kinds), list(kinds.values()))[0])()
        self.check()

    async def change(self):
        self.model.change()

    async def tell(self, upto=None):
        """One event, or all up to a number; a slow view's are one, which says nothing of what changed."""
        upto = min(self.model.seq, self.view.seq + 1) if upto is None else upto
        while self.view.seq < upto:
            after, seq = self.view.seq, self.view.seq + 1
            event = self.model.events[seq]
            if self.random.random() < 0.1 and all(one["kind"] == "rows" for one in self.model.events[seq : upto + 1]):
                seq = upto
                event = {"kind": "rows", "count": len(self.model.versions[seq])}
            self.was_reset = self.was_reset or (event["kind"] == "rows" and "changes" not in event)
            before = self.heard
            self.view._take("viewModel/event", {"session": 1, "seq": seq, "event": event, "after": after})
            assert self.heard - before == (event["kind"] == "rows")

    async def answer(self):
        await self.give(self.random.randrange(1, 6))

    async def give(self, bound):
        if not self.client._wire.calls:
            return
        params, answered, future = self.client._wire.calls.pop(0)
        if future.done():
            return
        await self.tell(self.random.randint(self.view.seq, self.model.seq))
        rows = self.here
        first = min(params["first"], len(rows))
        told = rows[first : first + min(params["count"], bound)]
        answer = {"seq": self.view.seq, "count": len(rows), "first": first, "rows": told}
        answered(answer)
        future.set_result(answer)

    async def ask(self):
        first, count = self.random.randrange(40), self.random.randrange(1, 12)

        async def ask():
            rows = await self.list.rows(first, count)
            assert rows == self.here[first : first + count], (first, count, rows)

        self.tasks.append(asyncio.ensure_future(ask()))

    async def show(self):
        self.list.show(self.random.randrange(40), self.random.randrange(8))

    async def select(self):
        if self.list.row(0) is not None:
            self.list.select(0)

    async def pause(self):
        await asyncio.sleep(0)

    async def cut(self):
        """The connection is lost with all that is on its way, and the view goes on, or with a snapshot."""
        calls, self.client._wire = self.client._wire.calls, Wire()
        self.view._is_attached.clear()
        for _, _, future in calls:
            if not future.done():
                future.set_exception(ConnectionLost("cut"))
        await asyncio.sleep(0)
        result = {"session": 1, "viewModel": "model", "seq": self.model.seq}
        if self.random.random() < 0.5:
            self.was_reset = True
            result["snapshot"] = self.model.snapshot()
        self.view._attached(result, self.view.seq)

    async def finish(self):
        """All comes to an end once the server answers and nothing changes any more."""
        await self.tell(self.model.seq)
        waiting = [self.reader.task, *self.tasks]
        while self.list._fetching is not None or not all(task.done() for task in waiting):
            await self.give(50)
            await asyncio.sleep(0)
        self.check()
        await asyncio.gather(self.reader.task, *self.tasks)
        first, end = self.list._window or (0, 0)
        assert all(self.list.row(index) is not None for index in range(first, min(end, len(self.here))))

    async def all(self):
        try:
            for _ in range(STEPS):
                await self.step()
            await self.finish()
        finally:
            for task in (self.reader.task, *self.tasks):
                task.cancel()


class Law(unittest.TestCase):
    @in_time
    async def test_what_a_list_shows_is_the_models_at_that_number(self):
        for seed in range(RUNS):
            with self.subTest(seed=seed):
                await Run(seed).all()
