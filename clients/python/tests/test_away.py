"""What a client promises about the time without a connection: nothing that was sent vanishes without a word."""

import asyncio
import unittest

from support import ADDRESS, Changes, Folder, OwnServer, Relay, in_time, scripted
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


def increments(*numbers):
    return [{"kind": "increment", "by": number} for number in numbers]


async def first(stream):
    return await stream.__aiter__().__anext__()


async def errors_of(*tasks):
    return await asyncio.gather(*tasks, return_exceptions=True)


class SessionsThatAreGone(unittest.TestCase):
    @in_time
    async def test_events_that_waited_come_back_in_order_and_can_be_sent_to_another_session(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path, reconnect=True, on_change=changes) as client:
            counter = await client.open("counter")
            self.assertEqual((await first(counter))["value"], 0)
            self.assertEqual((counter.pending, counter.sent, counter.dropped), ((), (), ()))
            server.kill()
            await changes.until(lambda: not client.is_connected)
            events = increments(1, 2, 3)
            sending = [asyncio.ensure_future(counter.send(event)) for event in events]
            await changes.until(lambda: len(counter.pending) == 3)
            self.assertEqual((counter.pending, counter.sent, counter.dropped), (tuple(events), (), ()))
            self.assertEqual(repr(counter), "<View of counter: number 1, 3 pending>")
            self.assertEqual(repr(client), f"<Client of {server.path}: away; views: 1>")

            server.start()
            with self.assertLogs("view_model_client", "WARNING") as logs:
                self.assertEqual([event async for event in counter], [])
            # Already when the events end.
            self.assertEqual(counter.dropped, tuple(Dropped(event, was_sent=False) for event in events))
            self.assertEqual((counter.pending, counter.sent, counter.reason), ((), (), "unknownSession"))
            self.assertIn("the view of counter ended: unknownSession; 3 unanswered: increment was not", logs.output[0])
            for event, error in zip(events, await errors_of(*sending)):
                self.assertIsInstance(error, ViewClosed)
                self.assertEqual((error.reason, error.dropped), ("unknownSession", (Dropped(event, False),)))
                self.assertEqual(
                    str(error),
                    "the view is closed: unknownSession (its session is gone); increment was not sent",
                )
                self.assertIsInstance(error.__cause__, ServerError)
                self.assertEqual(error.__cause__.name, "UnknownSession")
            self.assertEqual(repr(counter), "<View of counter: number 1, 3 dropped, ended: unknownSession>")

            again = await client.open("counter")
            for dropped in counter.dropped:
                await again.send(dropped.event)
            self.assertEqual([event["value"] for event in again.received()], [0, 1, 3, 6])

    @in_time
    async def test_without_reconnecting_what_waited_comes_back_at_once(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path, on_change=changes) as client:
            counter = await client.open("counter")
            server.pause()
            events = increments(1, 2)
            sending = [asyncio.ensure_future(counter.send(event)) for event in events]
            await changes.until(lambda: len(counter.sent) == 2)
            server.kill()
            errors = await errors_of(*sending)
            self.assertEqual([type(error) for error in errors], [ConnectionLost, ConnectionLost])
            self.assertEqual(counter.dropped, (Dropped(events[0], True), Dropped(events[1], True)))
            self.assertEqual(tuple(error.dropped[0] for error in errors), counter.dropped)
            with self.assertRaises(ConnectionLost) as lost:
                await counter.send(events[0])
            self.assertEqual(lost.exception.dropped, (Dropped(events[0], False),))

    @in_time
    async def test_at_the_end_of_patience_what_waited_comes_back_with_the_reason(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path, reconnect=True, patience=0, on_change=changes) as client:
            counter = await client.open("counter")
            self.assertEqual((await first(counter))["value"], 0)
            server.pause()
            sending = asyncio.ensure_future(counter.send({"kind": "reset"}))
            await changes.until(lambda: counter.sent)
            server.kill()
            (lost,) = await errors_of(sending)
            self.assertIsInstance(lost, ConnectionLost)
            self.assertEqual(lost.dropped, (Dropped({"kind": "reset"}, True),))
            self.assertIn("(tried again for 0 s); reset may have been handled", str(lost))
            self.assertIsInstance(lost.__cause__, ConnectionLost)
            self.assertIsInstance(lost.__cause__.__cause__, OSError)
            for call in (first(counter), client.open("counter")):
                with self.assertRaises(ConnectionLost):
                    await call

    @in_time
    async def test_what_waits_comes_back_to_who_closes_the_view_the_client_or_the_session(self):
        async def close_from_elsewhere(client, view):
            async with connect(unix=server.path) as other:
                await (await other.attach(view.key)).end_session()

        server = OwnServer(self)
        for end in (
            lambda client, view: view.end_session(),
            lambda client, view: client.close(),
            lambda client, view: client.leave(),
            close_from_elsewhere,
        ):
            async with connect(unix=server.path, reconnect=True) as client:
                orders = await client.open("orders", {"delay": 600})
                load, select = {"kind": "loadOrders"}, {"kind": "selectOrder", "index": 0}
                sending = [asyncio.ensure_future(orders.send(event)) for event in (load, select)]
                self.assertEqual((await first(orders))["value"], True)
                await end(client, orders)
                errors = await errors_of(*sending)
            self.assertEqual([error.dropped[0].event for error in errors], [load, select])
            self.assertTrue(all(error.dropped[0].was_sent for error in errors))
            self.assertEqual([one.event for one in orders.dropped], [load, select])

    @in_time
    async def test_an_event_is_sent_as_it_was_however_long_it_waits(self):
        relay = Relay(self)
        async with connect(tcp=relay.address, reconnect=True) as client:
            counter = await client.open("counter")
            event, sending = {"kind": "increment"}, []
            relay.cut()
            for number in (1, 2, 3):
                event["by"] = number
                sending.append(asyncio.ensure_future(counter.send(event)))
                await asyncio.sleep(0)
            await asyncio.gather(*sending)
            self.assertEqual([said["value"] for said in counter.received()], [0, 1, 3, 6])


class AskedAgain(unittest.TestCase):
    @in_time
    async def test_a_hundred_events_side_by_side_over_twenty_lost_connections_are_each_applied_once_and_in_order(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                relay = Relay(self, seed)
                async with connect(tcp=ADDRESS) as other, connect(tcp=relay.address, reconnect=True) as client:
                    counter = await client.attach((await other.open("counter")).key, since=0)
                    relay.cut_often(20)
                    relay.cut()
                    events = [{"kind": "increment", "by": number} for number in range(1, 101)]
                    await asyncio.gather(*map(counter.send, events))
                    while relay.cuts_left:
                        relay.cut()
                        await counter.send({"kind": "increment", "by": 0})
                    values = [event["value"] for event in counter.received()]
                self.assertEqual(values[:101], [number * (number + 1) // 2 for number in range(101)])
                self.assertEqual(set(values[101:]) - {5050}, set())

    @in_time
    async def test_a_server_that_always_ends_when_it_is_asked_isnt_asked_for_ever(self):
        async def talk(peer, _):
            await peer.expect("session/open")
            peer.cut()

        async with scripted(talk, reconnect=True, patience=0.001) as client:
            with self.assertRaises(ConnectionLost):
                await client.open("counter")

    @in_time
    async def test_what_nobody_waits_for_any_more_is_cancelled_and_what_was_answered_late_is_undone(self):
        async def talk(peer, _):
            request = await peer.expect(method)
            await peer.expect("$/cancelRequest", id=request["id"])
            peer.answer(request, {"session": 3, "key": "k", "viewModel": "counter", **answer})
            if undo is not None:
                peer.refuse(await peer.expect(undo, session=3), -32012, "it is gone already")
            undone.set()

        async def open(client):
            await client.open("counter")

        shown = {"seq": 0, "snapshot": []}
        for method, ask, answer, undo in (
            ("session/open", open, {}, "session/close"),
            ("session/open", open, {"isNew": True}, "session/detach"),
            ("session/open", open, {"isNew": False, **shown}, "session/detach"),
            ("session/attach", lambda client: client.attach("a key"), shown, "session/detach"),
            ("viewModel/describe", lambda client: client.describe("counter"), {}, None),
        ):
            undone = asyncio.Event()
            async with scripted(talk) as client:
                asking = asyncio.ensure_future(ask(client))
                await asyncio.sleep(0)
                asking.cancel()
                await asyncio.wait([asking, asyncio.ensure_future(undone.wait())])
                self.assertTrue(asking.cancelled())
                self.assertEqual(client.views, ())

    @in_time
    async def test_what_was_asked_when_the_connection_was_lost_is_asked_again_where_that_does_no_harm(self):
        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                await peer.expect("navigation/back", session=1)
                await peer.expect("viewModel/describe")
                peer.cut()
            elif connection == 2:
                await peer.attaches(0, session=7, since=0)
                peer.answer(await peer.expect("navigation/back", session=7))
                peer.answer(await peer.expect("viewModel/describe"), {"name": "counter"})
                await peer.expect("session/close", session=7)
                peer.cut()
            else:
                # It was closed; only the answer was lost.
                peer.refuse(await peer.expect("session/attach"), -32012, "there is no session with this key")

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            _, description = await asyncio.gather(view.back(), client.describe("counter"))
            self.assertEqual(description, {"name": "counter"})
            await view.end_session()


class ComingBack(unittest.TestCase):
    @in_time
    async def test_where_nothing_can_be_replayed_a_snapshot_is_asked_for(self):
        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                peer.event(1, 1)
                return peer.cut()
            peer.refuse(await peer.expect("session/attach", since=1), -32013, "not kept", {"oldest": 50})
            if has_snapshot:
                await peer.attaches(90, snapshot=[90])
                peer.notify("session/closed", session=1, reason="failed")
            else:
                peer.refuse(await peer.expect("session/attach"), -32013, "not kept", {"oldest": 50})

        for has_snapshot, values, reason in ((True, [1, 90], "failed"), (False, [1], "replayUnavailable")):
            async with scripted(talk, reconnect=True) as client:
                view = await client.open("counter")
                self.assertEqual([event["value"] async for event in view], values)
                self.assertEqual(view.reason, reason)

    @in_time
    async def test_a_slow_view_that_the_store_cant_attach_again_is_tried_again_and_nothing_is_dropped(self):
        async def talk(peer, _):
            await peer.opens()
            request = await peer.expect("view/event", number=1)
            peer.notify("session/closed", session=1, reason="overflow")
            peer.refuse(await peer.expect("session/attach"), -32016, "the store is away", {"retryAfterMs": 1})
            peer.answer(request, {"seq": 1})
            await peer.attaches(1, session=2, since=0, handled=1)
            peer.event(1, 1, session=2)

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            await view.send({"kind": "reset"})
            self.assertEqual((await first(view))["value"], 1)
            self.assertEqual(view.dropped, ())

    @in_time
    async def test_what_is_on_screen_is_told_when_it_is_another(self):
        child, question = {"viewModel": "details", "key": "c"}, {"viewModel": "question", "key": "q"}

        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                peer.notify("navigation/push", session=1, seq=1, **child)
                peer.cut()
            elif connection == 2:
                # The same.
                await peer.attaches(1, since=1, navigation={"stack": [child], "presented": None})
                peer.cut()
            else:
                await peer.attaches(9, since=1, snapshot=[9], navigation={"stack": [], "presented": question})
                peer.notify("navigation/dismiss", session=1, seq=10, key="q")

        async with scripted(talk, reconnect=True) as client:
            view = await client.open("counter")
            stream = view.navigation_events()
            items = [await stream.__anext__() for _ in range(3)]
            screen = Screen(9, (), Shown("question", "q"))
            self.assertEqual(items[:2], [Navigation(1, "push", "details", "c"), screen])
            self.assertEqual(items[2], Navigation(10, "dismiss", "question", "q"))

    @in_time
    async def test_a_token_that_is_no_longer_good_ends_it(self):
        token, changes = Folder(self).file("token", "secret-0123456789\n"), Changes()
        server = OwnServer(self, "--token-file", token)
        options = {"token": "secret-0123456789", "reconnect": True, "on_change": changes}
        async with connect(unix=server.path, **options) as client:
            view = await client.open("counter")
            server.kill()
            with open(token, "w") as file:
                file.write("another-0123456789\n")
            server.start()
            with self.assertRaises(ServerError) as refusal:
                async for _ in view:
                    pass
            self.assertEqual(refusal.exception.name, "Unauthorized")


class ClosedClients(unittest.TestCase):
    def calls(self, client):
        return client.open("counter"), client.attach("a key"), client.describe("counter")

    async def expect_closed(self, client):
        for call in self.calls(client):
            with self.assertRaises(ConnectionLost) as closed:
                await call
            self.assertEqual(str(closed.exception), "this client is closed")
        self.assertFalse(client.is_connected)
        self.assertIn("this client is closed", repr(client))

    @in_time
    async def test_a_client_that_was_closed_or_left_answers_at_once(self):
        for reconnect in (False, True):
            for end in ("close", "leave"):
                client = await connect(tcp=ADDRESS, reconnect=reconnect)
                self.assertTrue(client.is_connected)
                await getattr(client, end)()
                await self.expect_closed(client)

    @in_time
    async def test_what_waits_for_a_connection_or_an_answer_ends_with_the_client(self):
        for is_away in (True, False):
            server, changes = OwnServer(self), Changes()
            client = await connect(unix=server.path, reconnect=True, on_change=changes)
            counter = await client.open("counter")
            self.assertEqual((await first(counter))["value"], 0)
            if is_away:
                server.kill()
                await changes.until(lambda: not client.is_connected)
            else:
                server.pause()
            waiting = [asyncio.ensure_future(call) for call in self.calls(client)]
            await asyncio.sleep(0)
            closing = asyncio.ensure_future(client.close())
            await asyncio.sleep(0)
            server.kill()
            for error in await errors_of(*waiting):
                self.assertIsInstance(error, ConnectionLost)
            await closing
            await self.expect_closed(client)
            self.assertEqual([event async for event in counter], [])
            with self.assertRaises(ViewClosed):
                await counter.send({"kind": "reset"})
