"""Sending: each event has its own answer or comes back, and none is lost, overtaken or applied twice.

What a rule for clients says isn't here: these are the ways of this library, what can be given up, and limits.
"""

import asyncio
import unittest

from support import ScriptedPeer, in_time, scripted
from view_model_client import ConnectionLost, Dropped, ServerError, ViewClosed

FULL = {"limit": "pendingEvents", "retryAfterMs": 1}


def send_all(view, *kinds):
    """Returns a task for each; they go in this order."""
    return [asyncio.ensure_future(view.send({"kind": kind})) for kind in kinds]


def kinds(events):
    return "".join(event["kind"] for event in events)


async def done(*tasks):
    return await asyncio.gather(*tasks, return_exceptions=True)


async def taken(peer, numbers, kinds):
    """The next messages are these events, under these numbers; returns their requests."""
    pairs = zip(numbers, kinds)
    return [await peer.expect("view/event", number=number, event={"kind": kind}) for number, kind in pairs]


async def taken_without_numbers(peer, kinds):
    requests = [await peer.expect("view/event", event={"kind": kind}) for kind in kinds]
    if any("number" in request["params"] for request in requests):
        raise AssertionError(f"numbers without a name: {requests}")
    return requests


def answer_all(peer, requests):
    for request in requests:
        peer.answer(request, {"seq": 0})


def early(peer, request, expected):
    number = request["params"]["number"]
    reason = f"{number} came where {expected} is next; send that one first"
    peer.refuse(request, -32602, f"/number: {reason}", {"path": "/number", "reason": reason})


def full(peer, request):
    peer.refuse(request, -32015, "9 view events wait in this session", FULL)


async def nothing_comes(peer):
    # The second is read after all that came of what was sent before the first.
    for id in ("?", "!"):
        peer.send(id=id, method="ping")
        if (message := await peer.read()).get("id") != id:
            raise AssertionError(f"expected nothing, seen {message}")


class GivingUp(unittest.TestCase):
    @in_time
    async def test_an_event_that_was_given_up_over_a_cut_is_not_sent_again_and_its_number_is_used(self):
        given_up = asyncio.Event()

        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                (one,) = await taken(peer, (1,), ("one",))
                peer.event(1, 1)
                await peer.expect("$/cancelRequest", id=one["id"])
                given_up.set()
                peer.cut()
            else:
                await peer.attaches(1, since=1, handled=0)
                answer_all(peer, await taken(peer, (1,), ("two",)))

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            (sending,) = send_all(view, "one")
            await view.__aiter__().__anext__()
            sending.cancel()
            await given_up.wait()
            await view.send({"kind": "two"})

    @in_time
    async def test_an_event_that_was_given_up_before_there_was_a_connection_is_never_sent(self):
        asked, given_up = asyncio.Event(), asyncio.Event()

        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                return peer.cut()
            request = await peer.expect("session/attach")
            asked.set()
            await given_up.wait()
            peer.answer(request, {"session": 1, "viewModel": "counter", "seq": 0, "handled": 0})
            answer_all(peer, await taken(peer, (1,), ("two",)))

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            await asked.wait()
            (sending,) = send_all(view, "one")
            # The view has it, and waits with it for the connection.
            while not view.pending:
                await asyncio.sleep(0)
            sending.cancel()
            await done(sending)
            given_up.set()
            await view.send({"kind": "two"})

    @in_time
    async def test_one_that_is_given_up_on_its_way_and_one_that_finds_no_room_hold_nobody_up(self):
        async def talk(peer, _):
            await peer.opens()
            a, b, c = await taken(peer, (1, 2, 3), "abc")
            await peer.expect("$/cancelRequest", id=b["id"])
            (d,) = await taken(peer, (4,), "d")
            full(peer, a)
            early(peer, b, 1)
            early(peer, c, 1)
            # Not before all have come back.
            await nothing_comes(peer)
            early(peer, d, 1)
            answer_all(peer, await taken(peer, (1, 2), "cd"))

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            a, b, c = send_all(view, "a", "b", "c")
            while not view.sent:
                await asyncio.sleep(0)
            b.cancel()
            (d,) = send_all(view, "d")
            refused, given_up, *others = await done(a, b, c, d)
            self.assertEqual((refused.name, refused.retry_after), ("LimitExceeded", 0.001))
            self.assertIsInstance(given_up, asyncio.CancelledError)
            self.assertEqual(others, [None, None])


class Answers(unittest.TestCase):
    @in_time
    async def test_the_second_may_be_answered_first(self):
        first_is_done = asyncio.Event()

        async def talk(peer, _):
            await peer.opens()
            slow, quick = await taken(peer, (1, 2), ("slow", "quick"))
            peer.event(1, 1)
            peer.answer(quick, {"seq": 1})
            await first_is_done.wait()
            peer.answer(slow, {"seq": 1})

        async with scripted(talk, reconnect=True) as client:
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
            await peer.opens()
            *older, newest = await taken(peer, (1, 2, 3), "aab")
            for request in older:
                peer.refuse(request, -32800, "a newer event of its kind took its place", {"superseded": True})
            peer.answer(newest, {"seq": 0})
            peer.refuse(await peer.expect("view/event"), -32800, "cancelled")

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            *older, newest = await done(*send_all(view, "a", "a", "b"))
            self.assertEqual([error.name for error in older], ["RequestCancelled"] * 2)
            self.assertTrue(all(error.is_superseded for error in older))
            self.assertIsNone(newest)
            with self.assertRaises(ServerError) as cancelled:
                await view.send({"kind": "a"})
            self.assertFalse(cancelled.exception.is_superseded)
            # They were answered.
            self.assertEqual((view.dropped, cancelled.exception.dropped), ((), ()))

    @in_time
    async def test_a_view_that_only_watches_has_no_name_and_sends_nothing_twice(self):
        async def talk(peer, connection):
            self.assertNotIn("client", await peer.attaches(0, since=None if connection == 1 else 0))
            if connection == 1:
                await taken_without_numbers(peer, "x")
                peer.cut()

        async with scripted(talk, reconnect=True) as client:
            view = await client.attach(ScriptedPeer.KEY, only_watch=True)
            with self.assertRaises(ConnectionLost) as lost:
                await view.send({"kind": "x"})
            self.assertEqual(lost.exception.dropped, (Dropped({"kind": "x"}, True),))
            self.assertEqual(view.dropped, lost.exception.dropped)
            await client._connection.is_connected.wait()


class Room(unittest.TestCase):
    """Where a session has no room for an event, neither it nor those behind it are taken."""

    @in_time
    async def test_those_that_find_no_room_behind_others_of_their_view_wait_until_one_is_done(self):
        async def talk(peer, _):
            await peer.opens()
            a, b, c, d = await taken(peer, (1, 2, 3, 4), "abcd")
            for answered in (a, b):
                full(peer, c)
                early(peer, d, 3)
                await nothing_comes(peer)
                peer.answer(answered, {"seq": 0})
                c, d = await taken(peer, (3, 4), "cd")
            answer_all(peer, (c, d))

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            await asyncio.gather(*send_all(view, "a", "b", "c", "d"))
            self.assertEqual(view.dropped, ())

    @in_time
    async def test_without_numbers_one_that_finds_no_room_raises_and_is_not_sent_again_behind_the_others(self):
        async def talk(peer, _):
            self.assertNotIn("client", await peer.opens())
            a, b, c = await taken_without_numbers(peer, "abc")
            full(peer, b)
            answer_all(peer, (a, c))

        async with scripted(talk) as client:
            view = await client.open("counter")
            a, refused, c = await done(*send_all(view, "a", "b", "c"))
            self.assertEqual((a, refused.name, c), (None, "LimitExceeded", None))

    @in_time
    async def test_no_more_are_on_their_way_than_a_session_takes_nor_longer_ones(self):
        async def talk(peer, _):
            await peer.opens()
            requests = [await peer.read() for _ in range(count)]
            await nothing_comes(peer)
            answer_all(peer, requests)
            for _ in range(6 - count):
                peer.answer(await peer.expect("view/event"), {"seq": 0})

        for count, limit, length in ((4, 9, 1), (1, 1, 1), (2, 99, 400_000), (1, 99, 2_000_000)):
            async with scripted(talk) as client:
                client.limits["pendingEvents"] = limit
                client._connection.wire.message_bytes = None
                view = await client.open("counter")
                sending = send_all(view, *["x" * length] * 6)
                await asyncio.sleep(0)
                self.assertEqual((len(view.sent), len(view.pending)), (count, 6 - count))
                await asyncio.gather(*sending)


class Endings(unittest.TestCase):
    @in_time
    async def test_those_that_found_no_room_come_back_as_not_sent_when_the_view_ends(self):
        async def talk(peer, _):
            await peer.opens()
            a, b, c = await taken(peer, (1, 2, 3), "abc")
            full(peer, b)
            early(peer, c, 2)
            await seen.wait()
            # Before the end is told.
            peer.refuse(a, -32012, "the session was closed before this was done")
            peer.notify("session/closed", session=1, reason="closed")

        seen = asyncio.Event()
        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            sending = send_all(view, "a", "b", "c")
            while kinds(view.pending) != "bc" or kinds(view.sent) != "a":
                await asyncio.sleep(0)
            seen.set()
            errors = await done(*sending)
            dropped = [Dropped({"kind": "a"}, True), Dropped({"kind": "b"}, False), Dropped({"kind": "c"}, False)]
            self.assertEqual([error.dropped[0] for error in errors], dropped)
            self.assertEqual(view.dropped, tuple(dropped))
            self.assertIsInstance(errors[0], ViewClosed)
            self.assertIsInstance(errors[0].__cause__, ServerError)

    @in_time
    async def test_where_a_slow_view_ends_those_that_were_taken_are_answered_and_the_others_sent_again(self):
        async def talk(peer, _):
            await peer.opens()
            a, b, c = await (taken(peer, (1, 2, 3), "abc") if reconnect else taken_without_numbers(peer, "abc"))
            peer.notify("session/closed", session=1, reason="overflow")
            peer.refuse(b, -32012, "there is no view 1 on this connection")
            request = await peer.expect("session/attach")
            # In one piece.
            peer.refuse(c, -32012, "there is no view 1 on this connection")
            peer.answer(request, {"session": 2, "viewModel": "counter", "seq": 0, "handled": 1})
            again = await (taken(peer, (2, 3, 4), "bcd") if reconnect else taken_without_numbers(peer, "bcd"))
            self.assertEqual({request["params"]["session"] for request in again}, {2})
            answer_all(peer, (a, *again))

        for reconnect in (False, True):
            async with scripted(talk, reconnect=reconnect) as client:
                view = await client.open("counter")
                sending = send_all(view, "a", "b", "c")
                while view._attachment.is_attached.is_set():
                    await asyncio.sleep(0)
                await asyncio.gather(*sending, *send_all(view, "d"))
                self.assertEqual((view.reason, view.dropped), (None, ()))

    @in_time
    async def test_those_on_their_way_when_the_view_ends_have_their_own_answers_or_come_back(self):
        async def talk(peer, _):
            await peer.opens()
            a, b, c = await taken(peer, (1, 2, 3), "abc")
            peer.notify("session/closed", session=1, reason="popped")
            peer.refuse(b, -32012, "the session was closed before this was done")
            peer.answer(a, {"seq": 0})
            peer.refuse(c, -32012, "the session has ended")

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            client.limits["pendingEvents"] = 6
            a, b, c, d = await done(*send_all(view, "a", "b", "c", "d"))
            self.assertIsNone(a)
            self.assertEqual([error.reason for error in (b, c, d)], ["popped"] * 3)
            # The fourth found no room on the way.
            dropped = [("b", True), ("c", True), ("d", False)]
            self.assertEqual([(one.kind, one.was_sent) for one in view.dropped], dropped)
