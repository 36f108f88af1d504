"""Lists: what people rely on beside the rows, which walks at random hold. Each test's server sends its own lines."""

import asyncio
import threading
import unittest

from support import ScriptedPeer, ScriptedServer, in_time, scripted
from view_model_client import (
    ClientError,
    ConnectionLost,
    ListChange,
    ListChanged,
    ListEdit,
    ServerError,
    ViewClosed,
    connect_blocking,
)


def named(*ids):
    return [{"id": id, "name": f"row {id}"} for id in ids]


def ids(rows):
    return [row["id"] for row in rows]


async def opened(peer, *events):
    """Events are told once the client listens."""
    await peer.opens()
    await told(peer, 0, *events)


async def told(peer, seq, *events):
    """Those after a number, when the client asks for them."""
    request = await peer.expect("view/event")
    for seq, event in enumerate(events, seq + 1):
        tell(peer, seq, event)
    peer.answer(request, {"seq": seq})


async def listed(client, **options):
    """A list whose first events have come, and who has heard of them."""
    view = await client.open("counter")
    rows = view.list("results", **options)
    heard = Heard(rows)
    await view.send({"kind": "reset"})
    return rows, heard


def event(count, *edits, first=None, rows=None, kind="results", whole=False):
    told = {"kind": kind, "count": count}
    if not whole:
        told["changes"] = [{"at": at, "removed": removed, "inserted": inserted} for at, removed, inserted in edits]
    if rows is not None:
        told.update(first=first, rows=named(*rows))
    return told


def tell(peer, seq, told, session=1, **more):
    peer.notify("viewModel/event", session=session, seq=seq, event=told, **more)


async def asked(peer, first, count, session=1):
    return await peer.expect("session/rows", session=session, list="results", first=first, count=count)


def give(peer, request, seq, count, first, *rows):
    peer.answer(request, {"seq": seq, "count": count, "first": first, "rows": named(*rows)})


class Heard:
    """A listener that a test can wait for."""

    def __init__(self, rows):
        self.changes = []
        self._news = asyncio.Event()
        self.end = rows.on_change(self)

    def __call__(self, change):
        self.changes.append(change)
        self._news.set()

    async def until(self, count):
        while len(self.changes) < count:
            self._news.clear()
            await self._news.wait()
        return self.changes


class Lists(unittest.TestCase):
    @in_time
    async def test_listeners_are_called_once_for_each_event_and_told_its_edits(self):
        async def talk(peer, _):
            await peer.opens()
            request = await peer.expect("view/event")
            tell(peer, 1, event(4, first=0, rows=[0, 1, 2, 3], whole=True))
            tell(peer, 2, event(4, (0, 1, 0), (3, 0, 1)))
            tell(peer, 3, {"kind": "count", "value": 1})
            tell(peer, 4, event(4, (3, 1, 1), first=3, rows=[5]))
            tell(peer, 5, event(7, whole=True))
            peer.answer(request, {"seq": 5})

        async with scripted(talk) as client:
            view = await client.open("counter")
            rows = view.list("results")
            self.assertIs(rows, view.list("results"))
            heard = Heard(rows)
            await view.send({"kind": "reset"})
            self.assertEqual(
                heard.changes,
                [
                    ListChange(4, None),
                    ListChange(4, (ListEdit(0, 1, 0), ListEdit(3, 0, 1))),
                    ListChange(4, (ListEdit(3, 1, 1),)),
                    ListChange(7, None),
                ],
            )
            self.assertIn("results of counter: 7 rows", repr(rows))

    @in_time
    async def test_a_list_that_is_asked_for_late_knows_what_has_come(self):
        async def talk(peer, _):
            first = event(2, first=0, rows=[7, 8], whole=True)
            edits = event(3, (0, 0, 1), first=0, rows=[6]), event(3, (1, 1, 1), first=1, rows=[9])
            await opened(peer, first, *edits)
            await told(peer, 3, event(2, (0, 1, 0)), {"kind": "count", "value": 1}, event(1, (0, 1, 0)))

        async with scripted(talk) as client:
            view = await client.open("counter")
            await view.send({"kind": "reset"})
            self.assertEqual(len(view.received()), 3)
            rows = view.list("results", read=lambda row: row["id"])
            self.assertEqual([rows.row(index) for index in range(-1, 4)], [None, 6, 9, 8, None])
            await view.send({"kind": "reset"})
            # Of a list that is asked for, the unread event is the newest.
            self.assertEqual(view.received(), [{"kind": "count", "value": 1}, {"kind": "results", "count": 1}])

    @in_time
    async def test_what_only_looks_like_a_lists_event_does_no_harm(self):
        odd = [
            {"kind": "results", "count": 1, "changes": "many"},
            {"kind": "results", "count": 1, "changes": [1]},
            {"kind": "results", "count": 1, "changes": [{"at": -1, "removed": 0, "inserted": 0}]},
            {"kind": "results", "count": 1, "changes": [{"at": 5, "removed": 1, "inserted": 1}]},
            {"kind": "results", "count": 2, "changes": [], "first": "0", "rows": [1]},
            {"kind": "results", "count": 1, "first": 0, "rows": [1, 2]},
            {"kind": "results", "count": True},
            {"kind": "results", "count": 1 << 70},
            {"kind": ["results"], "count": 1},
            {"kind": "results"},
            ["results"],
        ]

        async def talk(peer, _):
            await peer.opens()
            for seq, told in enumerate(odd, 1):
                tell(peer, seq, told)
            peer.answer(await peer.expect("view/event"), {"seq": len(odd)})

        async with scripted(talk) as client:
            view = await client.open("counter")
            await view.send({"kind": "reset"})
            self.assertEqual(view.received(), odd)
            rows = view.list("results")
            self.assertEqual((len(rows), rows.row(0), rows.row(1)), (1, 1, None))

    @in_time
    async def test_a_listener_that_fails_or_has_ended_keeps_nobody_from_hearing(self):
        async def talk(peer, _):
            await opened(peer, event(1, (0, 0, 1)))
            await told(peer, 1, event(2, (0, 0, 1)))

        faults = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context["exception"]))
        async with scripted(talk) as client:
            view = await client.open("counter")
            rows = view.list("results")
            heard = []
            ends = [rows.on_change(listener) for listener in (lambda _: 1 // 0, heard.append, heard.append)]
            await view.send({"kind": "reset"})
            self.assertEqual((len(heard), len(faults)), (2, 1))
            ends[1]()
            ends[1]()
            await view.send({"kind": "reset"})
            self.assertEqual((len(heard), len(faults)), (3, 2))


class Asking(unittest.TestCase):
    @in_time
    async def test_rows_are_asked_for_until_all_have_come_and_then_are_here(self):
        async def talk(peer, _):
            await opened(peer, event(10, whole=True))
            give(peer, await asked(peer, 2, 6), 1, 10, 2, 2, 3)
            give(peer, await asked(peer, 4, 4), 1, 10, 4, 4, 5, 6, 7)
            give(peer, await asked(peer, 8, 2), 1, 10, 8, 8, 9)
            give(peer, await asked(peer, 8, 5), 1, 10, 8, 8, 9)
            give(peer, await asked(peer, 20, 5), 1, 10, 10)
            peer.refuse(
                await peer.expect("session/rows", list="others"), -32602, "there is no such list", {"path": "/list"}
            )

        async with scripted(talk) as client:
            rows, _ = await listed(client)
            self.assertEqual(ids(await rows.rows(2, 6)), [2, 3, 4, 5, 6, 7])
            self.assertEqual(ids(await rows.rows(3, 2)), [3, 4])
            self.assertEqual(ids(await rows.rows(6, 4)), [6, 7, 8, 9])
            # Whether there are more may be known to the server alone.
            self.assertEqual(ids(await rows.rows(8, 5)), [8, 9])
            self.assertEqual(await rows.rows(20, 5), [])
            self.assertEqual(await rows.rows(0, 0), [])
            self.assertEqual((rows.row(7)["name"], rows.row(1), rows.error), ("row 7", None, None))
            with self.assertRaises(ServerError) as unknown:
                await client.views[0].list("others").rows(0, 1)
            self.assertEqual(unknown.exception.name, "InvalidParams")

    @in_time
    async def test_an_answer_that_is_older_than_what_is_known_is_asked_for_again(self):
        async def talk(peer, _):
            await peer.opens()
            request = await asked(peer, 0, 2)
            tell(peer, 1, event(3, whole=True))
            give(peer, request, 0, 2, 0, 0, 1)
            give(peer, await asked(peer, 0, 2), 1, 3, 0, 5, 6)
            # One that is newer than all that has come holds, too, and the event behind it is in it already.
            give(peer, await asked(peer, 2, 1), 2, 4, 2, 7)
            tell(peer, 2, event(4, (0, 0, 1)))
            peer.answer(await peer.expect("view/event"), {"seq": 2})

        async with scripted(talk) as client:
            view = await client.open("counter")
            rows = view.list("results")
            self.assertEqual(ids(await rows.rows(0, 2)), [5, 6])
            self.assertEqual(ids(await rows.rows(2, 1)), [7])
            await view.send({"kind": "reset"})
            self.assertEqual((len(rows), rows.row(0), rows.row(2)["id"]), (4, None, 7))

    @in_time
    async def test_a_row_that_never_comes_is_an_error_and_what_is_given_up_is_cancelled(self):
        async def talk(peer, _):
            await opened(peer, event(9, whole=True))
            give(peer, await asked(peer, 0, 2), 1, 9, 0)
            request = await asked(peer, 0, 3)
            await peer.expect("$/cancelRequest", id=request["id"])
            peer.refuse(request, -32800, "cancelled")

        async with scripted(talk) as client:
            rows, _ = await listed(client)
            with self.assertRaisesRegex(ClientError, "sends no row of results from 0 on"):
                await rows.rows(0, 2)
            asking = asyncio.ensure_future(rows.rows(0, 3))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking])
            self.assertTrue(asking.cancelled())

    @in_time
    async def test_the_end_of_the_view_ends_what_waits(self):
        async def talk(peer, _):
            await peer.opens()
            peer.refuse(await asked(peer, 0, 2), -32012, "the session was closed")
            await asked(peer, 0, 3)
            peer.cut()

        async with scripted(talk) as client:
            rows = (await client.open("counter")).list("results")
            with self.assertRaises(ViewClosed):
                await rows.rows(0, 2)
            rows.show(0, 5)
            rows.show(0, 0)
            with self.assertRaises(ConnectionLost):
                await rows.rows(0, 3)
            with self.assertRaises(ConnectionLost):
                await rows.rows(0, 3)
            rows.show(0, 5)


class Showing(unittest.TestCase):
    @in_time
    async def test_what_is_shown_comes_and_as_much_around_it(self):
        async def talk(peer, _):
            await opened(peer, event(100, first=0, rows=range(10), whole=True))
            give(peer, await asked(peer, 50, 20), 1, 100, 50, *range(50, 70))
            give(peer, await asked(peer, 40, 10), 1, 100, 40, *range(40, 50))
            # Scrolling by a row asks for nothing; by more than half of what is shown, it does.
            give(peer, await asked(peer, 70, 6), 1, 100, 70, *range(70, 76))
            await told(peer, 1, event(90, (45, 10, 0)))
            give(peer, await asked(peer, 66, 10), 2, 90, 66, *range(76, 86))

        async with scripted(talk) as client:
            rows, heard = await listed(client)
            rows.show(50, 10)
            await heard.until(3)
            rows.show(51, 10)
            rows.show(56, 10)
            await heard.until(4)
            self.assertEqual([rows.row(index)["id"] for index in (44, 45, 75)], [44, 45, 75])
            await client.views[0].send({"kind": "reset"})
            await heard.until(6)
            self.assertEqual([rows.row(index)["id"] for index in (44, 45, 75)], [44, 55, 85])

    @in_time
    async def test_a_window_that_moves_on_gives_up_what_nobody_sees_and_failures_are_told(self):
        async def talk(peer, _):
            await opened(peer, event(1000, whole=True))
            request = await asked(peer, 0, 20)
            await peer.expect("$/cancelRequest", id=request["id"])
            peer.refuse(request, -32800, "cancelled")
            peer.refuse(await asked(peer, 500, 20), -32014, "the disk is gone")
            peer.refuse(await asked(peer, 500, 20), -32016, "the store is away", {"retryAfterMs": 1})
            give(peer, await asked(peer, 500, 20), 1, 1000, 500, *range(500, 520))
            request = await asked(peer, 490, 10)
            tell(peer, 2, event(0, (0, 1000, 0)))
            give(peer, request, 2, 0, 0)

        async with scripted(talk) as client:
            rows, heard = await listed(client)
            rows.show(0, 10)
            await asyncio.sleep(0)
            rows.show(500, 10)
            await heard.until(2)
            self.assertEqual((str(rows.error), heard.changes[1].edits), ("the disk is gone", ()))
            rows.show(500, 10)
            self.assertIsNone(rows.error)
            await heard.until(4)
            self.assertEqual((len(rows), rows.row(500), rows.error), (0, None, None))
            # The last answer has come, too.
            while rows._fetching is not None:
                await asyncio.sleep(0)

    @in_time
    async def test_rows_far_from_the_window_are_let_go(self):
        async def talk(peer, _):
            await opened(peer, event(20000, whole=True))
            while (message := await peer.read())["method"] != "shutdown":
                first, count = message["params"]["first"], message["params"]["count"]
                give(peer, message, 1, 20000, first, *range(first, first + count))
            peer.answer(message)
            await peer.expect("exit")
            peer.cut()

        async with scripted(talk) as client:
            rows, _ = await listed(client)
            self.assertEqual(ids(await rows.rows(0, 10000)), list(range(10000)))
            self.assertEqual(len(rows._rows.between(0, 20000)), 4000)
            rows.show(15000, 5000)
            self.assertEqual(ids(await rows.rows(0, 10)), list(range(10)))
            while rows._fetching is not None:
                await asyncio.sleep(0)
            held = ids(rows._rows.between(0, 20000))
            self.assertLessEqual(len(held), 4000)
            self.assertTrue(set(held) >= set(range(14000, 17000)))


class Coming(unittest.TestCase):
    @in_time
    async def test_a_view_that_begins_in_the_middle_asks_how_many_rows_there_are(self):
        async def talk(peer, _):
            await peer.attaches(4, since=4)
            give(peer, await asked(peer, 0, 20), 4, 100, 0, *range(20))

        async with scripted(talk) as client:
            rows = (await client.attach(ScriptedPeer.KEY, since=4)).list("results")
            heard = Heard(rows)
            self.assertEqual(len(rows), 0)
            rows.show(0, 10)
            self.assertEqual(await heard.until(1), [ListChange(100, None)])
            self.assertEqual((len(rows), rows.row(19)["id"]), (100, 19))

    @in_time
    async def test_rows_that_meet_the_end_of_a_slow_view_are_asked_for_in_the_next(self):
        async def talk(peer, _):
            await opened(peer, event(2, whole=True))
            one, other = await asked(peer, 0, 1), await asked(peer, 1, 1)
            peer.notify("session/closed", session=1, reason="overflow")
            peer.refuse(one, -32012, "there is no view 1 on this connection")
            give(peer, other, 2, 2, 1, 66)
            await peer.attaches(2, session=2, since=1)
            tell(peer, 2, event(2, whole=True), session=2)
            give(peer, await asked(peer, 0, 1, session=2), 2, 2, 0, 0)
            give(peer, await asked(peer, 1, 1, session=2), 2, 2, 1, 1)

        async with scripted(talk) as client:
            rows, _ = await listed(client)
            both = await asyncio.gather(rows.rows(0, 1), rows.rows(1, 1))
            self.assertEqual([ids(one) for one in both], [[0], [1]])


class Selecting(unittest.TestCase):
    @in_time
    async def test_a_row_is_selected_before_it_comes_and_when_it_comes_back_and_may_be_known_by_another_member(self):
        steps = [
            (event(3, (2, 1, 1), first=1, rows=[1, 2]), 2),
            (event(2, (2, 1, 0)), None),
            (event(3, (0, 0, 1)), None),
            (event(3, (0, 1, 1), first=0, rows=[2]), 0),
            (event(9, whole=True), None),
            (event(9, first=3, rows=[1, 2], whole=True), 4),
        ]

        async def talk(peer, _):
            await opened(peer, event(3, whole=True))
            for seq, (step, _) in enumerate(steps, 1):
                await told(peer, seq, step)

        async with scripted(talk) as client:
            rows, _ = await listed(client, id="name")
            rows.select_id("row 2")
            self.assertIsNone(rows.selected_index)
            for _, index in steps:
                await client.views[0].send({"kind": "reset"})
                self.assertEqual((rows.selected_id, rows.selected_index), ("row 2", index))
            rows.deselect()
            self.assertEqual((rows.selected_id, rows.selected_index), (None, None))

    @in_time
    async def test_rows_without_identity_are_selected_by_their_place(self):
        def plain(count, *edits, **more):
            return {**event(count, *edits), **more}

        steps = [
            (plain(4, (1, 0, 1)), 2),
            (plain(4, (1, 2, 2)), 2),
            (plain(4, (3, 1, 1)), 2),
            (plain(3, (0, 1, 0), first=0, rows=["b", "c", "d"]), 1),
            (plain(2, (1, 1, 0)), None),
        ]

        async def talk(peer, _):
            await opened(peer, {"kind": "results", "count": 3, "first": 0, "rows": ["a", "b", "c"]})
            for seq, (step, _) in enumerate(steps, 1):
                await told(peer, seq, step)

        async with scripted(talk) as client:
            view = await client.open("counter")
            rows = view.list("results")
            await view.send({"kind": "reset"})
            rows.select(1)
            for _, index in steps:
                await view.send({"kind": "reset"})
                self.assertEqual((rows.selected_id, rows.selected_index), (None, index))


class Iterating(unittest.TestCase):
    @in_time
    async def test_a_list_that_begins_anew_on_the_way_ends_it_and_before_the_first_row_it_doesnt(self):
        async def talk(peer, _):
            await opened(peer, event(6, whole=True))
            request = await asked(peer, 0, 500)
            tell(peer, 2, event(4, whole=True))
            give(peer, request, 2, 4, 0, 7, 8)
            request = await asked(peer, 2, 500)
            tell(peer, 3, event(4, whole=True))
            give(peer, request, 3, 4, 2, 7, 8)

        found = []
        async with scripted(talk) as client:
            rows, _ = await listed(client)
            with self.assertRaisesRegex(ListChanged, "the list results changed, and nothing says which rows stayed"):
                async for row in rows:
                    found.append(row["id"])
        self.assertEqual(found, [7, 8])

    @in_time
    async def test_an_iterator_goes_on_after_a_wait_that_was_given_up(self):
        async def talk(peer, _):
            await opened(peer, event(2, whole=True))
            give(peer, await asked(peer, 0, 500), 1, 2, 0, 0)
            request = await asked(peer, 1, 500)
            await peer.expect("$/cancelRequest", id=request["id"])
            give(peer, await asked(peer, 1, 500), 1, 2, 1, 1)

        async with scripted(talk) as client:
            stream = (await listed(client))[0].__aiter__()
            self.assertEqual((await stream.__anext__())["id"], 0)
            waiting = asyncio.ensure_future(stream.__anext__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            self.assertEqual([row["id"] async for row in stream], [1])


class Blocking(unittest.TestCase):
    @in_time
    async def test_lists_with_blocking_calls(self):
        async def talk(peer, _):
            await opened(peer, event(3, first=0, rows=[0], whole=True))
            give(peer, await asked(peer, 1, 2), 1, 3, 1, 1, 2)
            give(peer, await asked(peer, 0, 500), 1, 3, 0, 0, 1, 2)
            await told(peer, 1, event(4, (0, 0, 1)))
            give(peer, await asked(peer, 0, 1), 2, 4, 0, 9)

        def use(address):
            came = threading.Event()
            with connect_blocking(tcp=address) as client:
                view = client.open("counter")
                rows = view.list("results")
                self.assertIs(rows, view.list("results"))
                view.send({"kind": "reset"})
                self.assertEqual(ids(rows.rows(0, 3)), [0, 1, 2])
                rows.select(2)

                def listen(_):
                    # In the connection's thread, which may ask for more but not wait.
                    rows.show(0, 4)
                    if rows.row(0) is not None and len(rows) == 4:
                        came.set()

                end = rows.on_change(listen)
                self.assertEqual(ids(rows), [0, 1, 2])
                view.send({"kind": "reset"})
                self.assertTrue(came.wait(60))
                end()
                self.assertEqual((rows.selected_id, rows.selected_index), (2, 3))
                self.assertIn("BlockingRowList results of counter: 4 rows", repr(rows))
            self.assertEqual((rows.count, rows.row(3)["id"], rows.name, rows.error), (4, 2, "results", None))
            rows.show(0, 1)
            rows.deselect()
            with self.assertRaises(ConnectionLost):
                rows.rows(0, 10)

        async with ScriptedServer(talk) as server:
            await asyncio.get_running_loop().run_in_executor(None, use, server.address)
