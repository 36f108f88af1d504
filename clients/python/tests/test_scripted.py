"""Behaviour that is rare in a real server: each test's server sends its own lines."""

import asyncio
import unittest

from support import ScriptedServer, in_time
from view_model_client import (
    ConnectionLost,
    Dropped,
    Navigation,
    Screen,
    ServerError,
    Shown,
    ViewClosed,
    connect,
)

KEY = "the-key-of-the-session"


async def opened(peer):
    peer.answer(await peer.expect("session/open"), {"session": 1, "key": KEY, "viewModel": "counter"})


async def attached(peer, seq, session=1, since=None, snapshot=None, **result):
    request = await peer.expect("session/attach", key=KEY)
    if request["params"].get("since") != since:
        raise AssertionError(f"expected since {since}, seen {request}")
    if snapshot is not None:
        result["snapshot"] = [{"kind": "count", "value": value} for value in snapshot]
    peer.answer(request, {"session": session, "viewModel": "counter", "seq": seq, **result})
    return request


async def values(view, count):
    stream = view.__aiter__()
    return [(await stream.__anext__())["value"] for _ in range(count)]


class Scripted(unittest.TestCase):
    @in_time
    async def test_the_servers_requests_are_answered_and_what_is_unknown_is_passed_over(self):
        async def talk(peer, _):
            peer.send(id=7, method="ping")
            peer.send(id="8", method="window/ask", params={})
            answers = [await peer.read(), await peer.read()]
            self.assertEqual(answers[0], {"jsonrpc": "2.0", "id": 7, "result": None})
            self.assertEqual((answers[1]["id"], answers[1]["error"]["code"]), ("8", -32601))
            peer.notify("window/news", text="!")
            peer.notify("navigation/fold", session=1, seq=1)
            peer.event(1, 0, session=5)
            peer.send(id=99, result={})
            peer.send(method="ping")
            await opened(peer)
            peer.notify("viewModel/gesture", session=1)
            peer.event(1, 0)
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                view = await client.open("counter")
                self.assertEqual(await values(view, 1), [0])

    @in_time
    async def test_whatever_is_given_up_is_cancelled_and_its_late_answer_is_passed_over(self):
        async def talk(peer, _):
            request = await peer.expect("viewModel/describe")
            await peer.expect("$/cancelRequest", id=request["id"])
            peer.answer(request, {"name": "counter"})
            await opened(peer)
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                describing = asyncio.ensure_future(client.describe("counter"))
                await asyncio.sleep(0)
                describing.cancel()
                await asyncio.wait([describing])
                await client.open("counter")

    @in_time
    async def test_events_right_behind_an_answer_are_not_missed(self):
        async def talk(peer, _):
            request = await peer.expect("session/open", viewModel="counter", arguments={"start": 1})
            self.assertNotIn("client", request["params"])
            peer.answer(request, {"session": 1, "key": KEY, "viewModel": "counter"})
            for seq in range(1, 4):
                peer.event(seq, seq, more=seq < 3)
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                view = await client.open("counter", {"start": 1})
                stream = view.notifications().__aiter__()
                items = [await stream.__anext__() for _ in range(3)]
        self.assertEqual([(item.seq, item.more) for item in items], [(1, True), (2, True), (3, False)])

    @in_time
    async def test_an_event_that_meets_the_end_of_a_slow_view_is_sent_again_to_the_next(self):
        async def talk(peer, _):
            await opened(peer)
            request = await peer.expect("view/event", session=1)
            peer.notify("session/closed", session=1, reason="overflow")
            peer.refuse(request, -32012, "there is no view 1 on this connection")
            await attached(peer, 0, session=2, since=0)
            again = await peer.expect("view/event", session=2, event={"kind": "reset"})
            self.assertEqual(again["params"].get("number"), request["params"].get("number"))
            peer.answer(again, {"seq": 0})
            await peer.leave()

        for reconnect in (False, True):
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=reconnect) as client:
                    view = await client.open("counter")
                    await view.send({"kind": "reset"})
                    self.assertEqual(view.dropped, ())

    @in_time
    async def test_an_event_that_is_answered_before_its_session_is_told_to_be_closed_comes_back(self):
        async def talk(peer, _):
            await opened(peer)
            peer.refuse(await peer.expect("view/event"), -32012, "the session was closed")
            peer.notify("session/closed", session=1, reason="closed")
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                view = await client.open("counter")
                with self.assertRaises(ViewClosed) as closed:
                    await view.send({"kind": "reset"})
                self.assertEqual(closed.exception.dropped, (Dropped({"kind": "reset"}, was_sent=True),))
                self.assertIsInstance(closed.exception.__cause__, ServerError)
                self.assertEqual(view.dropped, closed.exception.dropped)

    @in_time
    async def test_the_server_says_why_a_session_ended(self):
        for reason in ("closed", "popped", "dismissed", "failed", "serverShutdown"):

            async def talk(peer, _):
                await opened(peer)
                peer.event(1, 1)
                peer.notify("session/closed", session=1, reason=reason)
                await peer.leave()

            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=True) as client:
                    view = await client.open("counter")
                    self.assertEqual([event["value"] async for event in view], [1])
                    self.assertEqual(view.reason, reason)
                    with self.assertRaises(ViewClosed):
                        await view.back()


class Numbers(unittest.TestCase):
    """Each event is sent until the server has taken it, and never taken twice."""

    @in_time
    async def test_an_event_that_was_given_up_over_a_cut_is_not_sent_again_and_its_number_is_used(self):
        given_up = asyncio.Event()

        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                await peer.expect("view/event", number=1, event={"kind": "one"})
                peer.event(1, 1)
                cancel = await peer.expect("$/cancelRequest")
                self.assertEqual(cancel["params"]["id"], 3)
                given_up.set()
            else:
                await attached(peer, 1, since=1, handled=0)
                peer.answer(await peer.expect("view/event", number=1, event={"kind": "two"}), {"seq": 1})
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                sending = asyncio.ensure_future(view.send({"kind": "one"}))
                await values(view, 1)
                sending.cancel()
                await given_up.wait()
                await view.send({"kind": "two"})

    @in_time
    async def test_an_event_that_was_given_up_before_there_was_a_connection_is_never_sent(self):
        asked, given_up = asyncio.Event(), asyncio.Event()

        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                return
            request = await peer.expect("session/attach")
            asked.set()
            await given_up.wait()
            peer.answer(request, {"session": 1, "viewModel": "counter", "seq": 0, "handled": 0})
            peer.answer(await peer.expect("view/event", number=1, event={"kind": "two"}), {"seq": 0})
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await asked.wait()
                sending = asyncio.ensure_future(view.send({"kind": "one"}))
                # The view has it, and waits with it for the connection.
                while not view.pending:
                    await asyncio.sleep(0)
                sending.cancel()
                await asyncio.wait([sending])
                given_up.set()
                await view.send({"kind": "two"})

    @in_time
    async def test_a_view_that_only_watches_has_no_name_and_sends_nothing_twice(self):
        async def talk(peer, connection):
            if connection == 1:
                request = await attached(peer, 0, snapshot=[])
                self.assertNotIn("client", request["params"])
                request = await peer.expect("view/event")
                self.assertNotIn("number", request["params"])
            else:
                self.assertNotIn("client", (await attached(peer, 0, since=0))["params"])
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.attach(KEY, only_watch=True)
                with self.assertRaises(ConnectionLost):
                    await view.send({"kind": "x"})
                await client._is_connected.wait()


def send_all(view, *kinds):
    """Returns a task for each; they go in this order."""
    return [asyncio.ensure_future(view.send({"kind": kind})) for kind in kinds]


def kinds(events):
    return "".join(event["kind"] for event in events)


FULL = {"limit": "pendingEvents", "retryAfterMs": 1}


class SideBySide(unittest.TestCase):
    """Events that are on their way together: each has its own answer, and none is lost, overtaken or applied twice."""

    async def taken(self, peer, numbers, kinds):
        """The next messages are these events, under these numbers; returns their requests."""
        pairs = zip(numbers, kinds)
        return [await peer.expect("view/event", number=number, event={"kind": kind}) for number, kind in pairs]

    def early(self, peer, request, expected):
        number = request["params"]["number"]
        reason = f"{number} came where {expected} is next; send that one first"
        peer.refuse(request, -32602, f"/number: {reason}", {"path": "/number", "reason": reason})

    def full(self, peer, request):
        peer.refuse(request, -32015, "9 view events wait in this session", FULL)

    async def nothing_comes(self, peer):
        # The second is read after all that came of what was sent before the first.
        for id in ("?", "!"):
            peer.send(id=id, method="ping")
            self.assertEqual((await peer.read()).get("id"), id)

    async def done(self, *tasks):
        return await asyncio.gather(*tasks, return_exceptions=True)

    @in_time
    async def test_the_second_may_be_answered_first(self):
        first_is_done = asyncio.Event()

        async def talk(peer, _):
            await opened(peer)
            slow = await peer.expect("view/event", event={"kind": "slow"})
            quick = await peer.expect("view/event", event={"kind": "quick"})
            peer.event(1, 1)
            peer.answer(quick, {"seq": 1})
            await first_is_done.wait()
            peer.answer(slow, {"seq": 1})
            await peer.leave()

        for reconnect in (False, True):
            first_is_done.clear()
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=reconnect) as client:
                    view = await client.open("counter")
                    slow, quick = send_all(view, "slow", "quick")
                    await quick
                    self.assertEqual(view.received(), [{"kind": "count", "value": 1}])
                    self.assertFalse(slow.done())
                    self.assertEqual((kinds(view.sent), view.pending), ("slow", ()))
                    first_is_done.set()
                    await slow

    @in_time
    async def test_those_that_a_newer_one_supersedes_say_so_and_are_not_sent_again(self):
        async def talk(peer, _):
            await opened(peer)
            *older, newest = [await peer.expect("view/event", event={"kind": kind}) for kind in "aab"]
            for request in older:
                peer.refuse(request, -32800, "a newer event of its kind took its place", {"superseded": True})
            peer.answer(newest, {"seq": 0})
            peer.refuse(await peer.expect("view/event"), -32800, "cancelled")
            await peer.leave()

        for reconnect in (False, True):
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=reconnect) as client:
                    view = await client.open("counter")
                    *older, newest = await self.done(*send_all(view, "a", "a", "b"))
                    self.assertEqual([error.name for error in older], ["RequestCancelled"] * 2)
                    self.assertTrue(all(error.is_superseded for error in older))
                    self.assertIsNone(newest)
                    with self.assertRaises(ServerError) as cancelled:
                        await view.send({"kind": "a"})
                    self.assertFalse(cancelled.exception.is_superseded)
                    # They were answered.
                    self.assertEqual((view.dropped, cancelled.exception.dropped), ((), ()))

    @in_time
    async def test_one_that_finds_no_room_raises_and_those_behind_it_go_in_their_order(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c = await self.taken(peer, (1, 2, 3), "abc")
            self.full(peer, a)
            self.early(peer, b, 1)
            # Not before all have come back.
            await self.nothing_comes(peer)
            self.early(peer, c, 1)
            for request in await self.taken(peer, (1, 2), "bc"):
                peer.answer(request, {"seq": 0})
            await self.answer_all(peer, (3,), "d")
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                full, *others = await self.done(*send_all(view, "a", "b", "c"))
                self.assertEqual((full.name, full.retry_after), ("LimitExceeded", 0.001))
                self.assertEqual((others, view.dropped), ([None, None], ()))
                await view.send({"kind": "d"})

    async def answer_all(self, peer, numbers, kinds):
        for request in await self.taken(peer, numbers, kinds):
            peer.answer(request, {"seq": 0})

    @in_time
    async def test_those_that_find_no_room_behind_others_of_their_view_wait_until_one_is_done(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c, d = await self.taken(peer, (1, 2, 3, 4), "abcd")
            self.full(peer, c)
            self.early(peer, d, 3)
            # Nothing comes before there is room.
            await self.nothing_comes(peer)
            peer.answer(a, {"seq": 0})
            c, d = await self.taken(peer, (3, 4), "cd")
            self.full(peer, c)
            self.early(peer, d, 3)
            peer.answer(b, {"seq": 0})
            await self.answer_all(peer, (3, 4), "cd")
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await asyncio.gather(*send_all(view, "a", "b", "c", "d"))
                self.assertEqual(view.dropped, ())

    @in_time
    async def test_one_that_was_taken_before_a_cut_is_asked_after_until_there_is_room(self):
        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                await self.taken(peer, (1,), "a")
            else:
                await attached(peer, 0, since=0, handled=1)
                (a,) = await self.taken(peer, (1,), "a")
                self.full(peer, a)
                await self.answer_all(peer, (1,), "a")
                await self.answer_all(peer, (2,), "b")
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await view.send({"kind": "a"})
                await view.send({"kind": "b"})

    @in_time
    async def test_without_numbers_one_that_finds_no_room_raises_and_is_not_sent_again_behind_the_others(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c = [await peer.expect("view/event", event={"kind": kind}) for kind in "abc"]
            self.full(peer, b)
            for request in (a, c):
                peer.answer(request, {"seq": 0})
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                view = await client.open("counter")
                a, full, c = await self.done(*send_all(view, "a", "b", "c"))
                self.assertEqual((a, full.name, c), (None, "LimitExceeded", None))

    @in_time
    async def test_those_that_found_no_room_come_back_as_not_sent_when_the_view_ends(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c = await self.taken(peer, (1, 2, 3), "abc")
            self.full(peer, b)
            self.early(peer, c, 2)
            peer.event(1, 1)
            await seen.wait()
            peer.refuse(a, -32012, "the session was closed before this was done")
            peer.notify("session/closed", session=1, reason="closed")
            await peer.leave()

        seen = asyncio.Event()
        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                sending = send_all(view, "a", "b", "c")
                await values(view, 1)
                while not view.pending:
                    await asyncio.sleep(0)
                self.assertEqual((kinds(view.sent), kinds(view.pending)), ("a", "bc"))
                seen.set()
                errors = await self.done(*sending)
                dropped = [Dropped({"kind": "a"}, True), Dropped({"kind": "b"}, False), Dropped({"kind": "c"}, False)]
                self.assertEqual([error.dropped[0] for error in errors], dropped)
                self.assertEqual(view.dropped, tuple(dropped))

    @in_time
    async def test_where_a_slow_view_ends_those_that_were_taken_are_answered_and_the_others_sent_again(self):
        async def talk(peer, _):
            if reconnect:
                await opened(peer)
                a, b, c = await self.taken(peer, (1, 2, 3), "abc")
            else:
                await opened(peer)
                a, b, c = [await peer.expect("view/event", event={"kind": kind}) for kind in "abc"]
            peer.notify("session/closed", session=1, reason="overflow")
            request = await peer.expect("session/attach")
            # All in one piece.
            for refused in (b, c):
                peer.refuse(refused, -32012, "there is no view 1 on this connection")
            peer.answer(request, {"session": 2, "viewModel": "counter", "seq": 0, "handled": 1})
            again = [await peer.expect("view/event", session=2, event={"kind": kind}) for kind in "bcd"]
            numbers = [request["params"].get("number") for request in again]
            self.assertEqual(numbers, [2, 3, 4] if reconnect else [None] * 3)
            for request in (a, *again):
                peer.answer(request, {"seq": 0})
            await peer.leave()

        for reconnect in (False, True):
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=reconnect) as client:
                    view = await client.open("counter")
                    sending = send_all(view, "a", "b", "c")
                    while view._is_attached.is_set():
                        await asyncio.sleep(0)
                    await asyncio.gather(*sending, *send_all(view, "d"))
                    self.assertEqual((view.reason, view.dropped), (None, ()))

    @in_time
    async def test_those_on_their_way_when_the_view_ends_have_their_own_answers_or_come_back(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c = [await peer.expect("view/event", event={"kind": kind}) for kind in "abc"]
            peer.notify("session/closed", session=1, reason="popped")
            peer.refuse(b, -32012, "the session was closed before this was done")
            peer.answer(a, {"seq": 0})
            peer.refuse(c, -32012, "the session has ended")
            await peer.leave()

        for reconnect in (False, True):
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address, reconnect=reconnect) as client:
                    view = await client.open("counter")
                    client.limits["pendingEvents"] = 6
                    a, b, c, d = await self.done(*send_all(view, "a", "b", "c", "d"))
                    self.assertIsNone(a)
                    self.assertEqual([error.reason for error in (b, c, d)], ["popped"] * 3)
                    # The fourth found no room on the way.
                    dropped = [("b", True), ("c", True), ("d", False)]
                    self.assertEqual([(one.kind, one.was_sent) for one in view.dropped], dropped)

    @in_time
    async def test_no_more_are_on_their_way_than_a_session_takes_nor_longer_ones(self):
        async def talk(peer, _):
            await opened(peer)
            requests = [await peer.read() for _ in range(count)]
            await self.nothing_comes(peer)
            for request in requests:
                peer.answer(request, {"seq": 0})
            for _ in range(6 - count):
                peer.answer(await peer.expect("view/event"), {"seq": 0})
            await peer.leave()

        for count, limit, length in ((4, 9, 1), (1, 1, 1), (2, 99, 400_000), (1, 99, 2_000_000)):
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address) as client:
                    client.limits["pendingEvents"] = limit
                    client._wire.message_bytes = None
                    view = await client.open("counter")
                    events = [{"kind": "x" * length} for _ in range(6)]
                    sending = [asyncio.ensure_future(view.send(event)) for event in events]
                    await asyncio.sleep(0)
                    self.assertEqual((len(view.sent), len(view.pending)), (count, 6 - count))
                    await asyncio.gather(*sending)

    @in_time
    async def test_one_that_is_given_up_on_its_way_holds_nobody_up(self):
        async def talk(peer, _):
            await opened(peer)
            a, b, c = await self.taken(peer, (1, 2, 3), "abc")
            await peer.expect("$/cancelRequest", id=b["id"])
            (d,) = await self.taken(peer, (4,), "d")
            self.full(peer, a)
            for request in (b, c, d):
                self.early(peer, request, 1)
            await self.answer_all(peer, (1, 2), "cd")
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                a, b, c = send_all(view, "a", "b", "c")
                while not view.sent:
                    await asyncio.sleep(0)
                b.cancel()
                (d,) = send_all(view, "d")
                full, given_up, *others = await self.done(a, b, c, d)
                self.assertEqual(full.name, "LimitExceeded")
                self.assertIsInstance(given_up, asyncio.CancelledError)
                self.assertEqual(others, [None, None])


class Faults(unittest.TestCase):
    @in_time
    async def test_answers_and_notifications_of_no_known_form_end_the_connection(self):
        for fault in (
            {"id": 2, "result": {}},
            {"id": 2, "result": None},
            {"id": 2, "error": {}},
            {"method": "viewModel/event", "params": [1]},
            {"method": "$/progress", "params": {"token": {}}},
        ):

            async def talk(peer, _):
                await peer.expect("session/open")
                peer.send(**fault)
                self.assertEqual(await peer.reader.read(), b"")

            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address) as client:
                    with self.assertRaises(ConnectionLost, msg=fault) as lost:
                        await client.open("counter")
                    self.assertIn("no message of the protocol", str(lost.exception))


class ComingBack(unittest.TestCase):

    @in_time
    async def test_where_nothing_can_be_replayed_a_snapshot_is_asked_for(self):
        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                peer.event(1, 1)
                return
            peer.refuse(await peer.expect("session/attach", since=1), -32013, "not kept", {"oldest": 50})
            if connection == 2:
                await attached(peer, 90, snapshot=[90])
            else:
                peer.refuse(await peer.expect("session/attach"), -32013, "not kept", {"oldest": 50})
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                self.assertEqual(await values(await client.open("counter"), 2), [1, 90])
            server.connections = 0

        async def hopeless(peer, connection):
            await talk(peer, connection if connection == 1 else 3)

        async with ScriptedServer(hopeless) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                self.assertEqual([event["value"] async for event in view], [1])
                self.assertEqual(view.reason, "replayUnavailable")

    @in_time
    async def test_a_server_that_asks_for_another_try_gets_it_and_nothing_is_dropped(self):
        later = {"limit": "sessions", "retryAfterMs": 1}

        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                peer.event(1, 1)
                await peer.expect("view/event", number=1)
            elif connection == 2:
                peer.refuse(await peer.expect("session/attach"), -32015, "too many", later)
                self.assertEqual(await peer.reader.read(), b"")
            else:
                await attached(peer, 1, since=1, handled=0)
                request = await peer.expect("view/event", number=1)
                peer.notify("session/closed", session=1, reason="overflow")
                peer.refuse(await peer.expect("session/attach", since=1), -32016, "the store is away", later)
                peer.answer(request, {"seq": 1})
                await attached(peer, 1, session=2, since=1, handled=1)
                peer.event(2, 2, session=2)
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await view.send({"kind": "reset"})
                self.assertEqual(await values(view, 2), [1, 2])
                self.assertEqual((server.connections, view.dropped), (3, ()))

    @in_time
    async def test_what_is_on_screen_is_told_when_it_is_another(self):
        child, question = {"viewModel": "details", "key": "c"}, {"viewModel": "question", "key": "q"}

        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                peer.notify("navigation/push", session=1, seq=1, **child)
            elif connection == 2:
                await attached(peer, 1, since=1, navigation={"stack": [child], "presented": None})
                peer.notify("navigation/present", session=1, seq=2, **question)
            elif connection == 3:
                await attached(peer, 9, since=2, snapshot=[9], navigation={"stack": [], "presented": question})
                peer.notify("navigation/dismiss", session=1, seq=10, key="q")
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                stream = view.navigation_events().__aiter__()
                items = [await stream.__anext__() for _ in range(4)]
                self.assertEqual(
                    items,
                    [
                        Navigation(1, "push", "details", "c"),
                        Navigation(2, "present", "question", "q"),
                        Screen(9, (), Shown("question", "q")),
                        Navigation(10, "dismiss", "question", "q"),
                    ],
                )
                self.assertEqual(await values(view, 1), [9])
                self.assertEqual((view.stack, view.presented), ((), None))

    @in_time
    async def test_what_was_asked_when_the_connection_was_lost_is_asked_again_where_that_does_no_harm(self):
        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                await peer.expect("navigation/back", session=1)
            elif connection == 2:
                await attached(peer, 0, session=7, since=0)
                peer.answer(await peer.expect("navigation/back", session=7))
                await peer.expect("session/close", session=7)
            else:
                # It was closed; only the answer was lost.
                peer.refuse(await peer.expect("session/attach"), -32012, "there is no session with this key")
                await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await view.back()
                await view.end_session()
                self.assertEqual(server.connections, 3)

    @in_time
    async def test_a_token_that_is_no_longer_good_ends_it(self):
        served = asyncio.Event()

        class Guarded(ScriptedServer):
            async def _serve(self, reader, writer):
                if not served.is_set():
                    return await super()._serve(reader, writer)
                await reader.readline()
                writer.write(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"the token is wrong"}}\n')
                writer.close()

        async def talk(peer, _):
            await opened(peer)
            served.set()

        async with Guarded(talk) as server:
            async with connect(tcp=server.address, token="old", reconnect=True) as client:
                view = await client.open("counter")
                with self.assertRaises(ServerError) as refusal:
                    async for _ in view:
                        pass
                self.assertEqual(refusal.exception.name, "Unauthorized")

    @in_time
    async def test_what_is_no_view_model_server_is_told_apart(self):
        for line in (
            b"220 mail.example ESMTP\n",
            b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
            b'{"jsonrpc":"2.0","method":[],"params":[1]}\n',
            b"[]\n",
            b"\n",
            b"{",
            b"",
        ):

            async def serve(reader, writer, line=line):
                writer.write(line)
                writer.close()

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            with self.assertRaises(Exception) as failure:
                await connect(tcp=f"127.0.0.1:{port}")
            self.assertEqual(type(failure.exception).__name__, "ConnectionLost", line)
            server.close()
