"""What a client promises about the time without a connection: nothing that was sent vanishes without a word."""

import asyncio
import unittest

from support import ADDRESS, Changes, OwnServer, Relay, ScriptedServer, in_time
from view_model_client import ConnectionLost, Dropped, ServerError, ViewClosed, connect


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
            changes = Changes()
            async with connect(unix=server.path, reconnect=True, on_change=changes) as client:
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
        relay, changes = Relay(self), Changes()
        async with connect(tcp=relay.address, reconnect=True, on_change=changes) as client:
            counter = await client.open("counter")
            event, sending = {"kind": "increment"}, []
            relay.cut()
            for number in (1, 2, 3):
                event["by"] = number
                sending.append(asyncio.ensure_future(counter.send(event)))
                await asyncio.sleep(0)
            await asyncio.gather(*sending)
            self.assertEqual([said["value"] for said in counter.received()], [0, 1, 3, 6])
            self.assertEqual((counter.pending, counter.sent, counter.dropped), ((), (), ()))

    @in_time
    async def test_a_view_that_only_watches_gives_back_what_it_cant_send_again(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path) as other, connect(
            unix=server.path, reconnect=True, on_change=changes
        ) as client:
            view = await client.attach((await other.open("counter")).key, only_watch=True)
            server.pause()
            sending = asyncio.ensure_future(view.send({"kind": "reset"}))
            await changes.until(lambda: view.sent)
            server.kill()
            (lost,) = await errors_of(sending)
            self.assertIsInstance(lost, ConnectionLost)
            self.assertEqual(lost.dropped, (Dropped({"kind": "reset"}, True),))
            self.assertEqual(view.dropped, lost.dropped)


class Opening(unittest.TestCase):

    @in_time
    async def test_a_server_that_is_killed_while_it_is_asked_is_asked_again_when_it_is_back(self):
        server = OwnServer(self)
        async with connect(unix=server.path, reconnect=True) as client:
            server.pause()
            opening = asyncio.ensure_future(client.open("counter", {"start": 3}))
            describing = asyncio.ensure_future(client.describe("counter"))
            await asyncio.sleep(0)
            server.kill()
            server.start()
            self.assertEqual((await first(await opening))["value"], 3)
            self.assertEqual((await describing)["name"], "counter")

    @in_time
    async def test_a_server_that_always_ends_when_it_is_asked_isnt_asked_for_ever(self):
        async def talk(peer, _):
            await peer.expect("session/open")

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True, patience=0.001) as client:
                with self.assertRaises(ConnectionLost):
                    await client.open("counter")

    @in_time
    async def test_a_session_that_nobody_waits_for_any_more_is_closed(self):
        for method, undo in (("open", "close"), ("attach", "detach")):

            async def talk(peer, _):
                request = await peer.expect(f"session/{method}")
                await peer.expect("$/cancelRequest", id=request["id"])
                peer.answer(request, {"session": 3, "key": "k", "viewModel": "counter", "seq": 0, "snapshot": []})
                peer.refuse(await peer.expect(f"session/{undo}", session=3), -32012, "it is gone already")
                undone.set()
                await peer.leave()

            undone = asyncio.Event()
            async with ScriptedServer(talk) as server:
                async with connect(tcp=server.address) as client:
                    asking = asyncio.ensure_future(getattr(client, method)("counter"))
                    await asyncio.sleep(0)
                    asking.cancel()
                    await asyncio.wait([asking, asyncio.ensure_future(undone.wait())])
                    self.assertEqual(client.views, ())


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
    async def test_calls_that_wait_for_a_connection_end_with_the_client(self):
        server, changes = OwnServer(self), Changes()
        client = await connect(unix=server.path, reconnect=True, on_change=changes)
        server.kill()
        await changes.until(lambda: not client.is_connected)
        waiting = [asyncio.ensure_future(call) for call in self.calls(client)]
        await asyncio.sleep(0)
        await client.close()
        for error in await errors_of(*waiting):
            self.assertIsInstance(error, ConnectionLost)
        await self.expect_closed(client)

    @in_time
    async def test_calls_on_their_way_end_with_the_client(self):
        server = OwnServer(self)
        client = await connect(unix=server.path, reconnect=True)
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

    @in_time
    async def test_a_client_whose_connection_is_lost_for_good_answers_at_once(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path, on_change=changes) as client:
            server.kill()
            await changes.until(lambda: not client.is_connected)
            for call in self.calls(client):
                with self.assertRaises(ConnectionLost):
                    await call


class Contexts(unittest.TestCase):
    @in_time
    async def test_a_session_is_left_at_the_end_of_with_and_ended_by_who_says_so(self):
        async with connect(tcp=ADDRESS) as client:
            async with await client.open("counter") as counter:
                async with await client.attach(counter.key) as other:
                    await other.send({"kind": "increment", "by": 1})
                self.assertEqual(other.reason, "detached")
                await counter.send({"kind": "increment", "by": 1})
            self.assertEqual(counter.reason, "detached")
            await (await client.attach(counter.key)).end_session()
            with self.assertRaises(ServerError) as gone:
                await client.attach(counter.key)
            self.assertEqual(gone.exception.name, "UnknownSession")
            async with counter:
                pass

    @in_time
    async def test_what_is_raised_in_it_comes_out_of_it_also_where_the_server_is_gone(self):
        server, changes = OwnServer(self), Changes()
        for reconnect in (False, True):
            async with connect(unix=server.path, reconnect=reconnect, on_change=changes) as client:
                with self.assertRaises(ZeroDivisionError):
                    async with await client.open("counter") as counter:
                        server.kill()
                        await changes.until(lambda: not client.is_connected)
                        1 / 0
                self.assertEqual(counter.reason, "detached" if reconnect else "connectionLost")
            server.start()

    @in_time
    async def test_a_client_closes_itself_too(self):
        client = await connect(tcp=ADDRESS)
        async with client:
            self.assertEqual(len(client.views), 0)
            counter = await client.open("counter")
            self.assertEqual(client.views, (counter,))
        self.assertFalse(client.is_connected)


class Causes(unittest.TestCase):
    @in_time
    async def test_errors_name_the_one_below_them(self):
        with self.assertRaises(ConnectionLost) as unreachable:
            await connect(unix="/nowhere/at/all")
        self.assertIsInstance(unreachable.exception.__cause__, FileNotFoundError)

        async def talk(peer, _):
            await peer.expect("session/open")
            peer.writer.write(b"{no message\n")
            await peer.reader.read()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address) as client:
                for _ in range(2):
                    with self.assertRaises(ConnectionLost) as broken:
                        await client.open("counter")
                    self.assertIsInstance(broken.exception.__cause__, ValueError)

    @in_time
    async def test_what_is_shown_of_an_object_has_no_secrets(self):
        async with connect(tcp=ADDRESS, token="secret") as client:
            counter = await client.open("counter")
            await counter.send({"kind": "increment", "by": 1})
            self.assertEqual(repr(client), f"<Client of {ADDRESS}: connected; views: 1>")
            self.assertEqual(repr(counter), "<View of counter: number 2>")
        self.assertEqual(repr(ServerError(-32012, "there is none")), "ServerError(-32012, 'there is none', None)")
