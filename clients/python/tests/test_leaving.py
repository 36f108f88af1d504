"""Leaving isn't ending: what stays of a session, and what becomes of events that aren't answered."""

import asyncio
import functools
import json
import shlex
import signal
import threading
import time
import unittest
import unittest.mock

from support import (
    ADDRESS,
    PATIENCE,
    Changes,
    Folder,
    OwnServer,
    ScriptedPeer,
    ScriptedServer,
    in_time,
    own_list,
    scripted,
)
from test_command import CommandTests
from view_model_client import Dropped, ServerError, ViewClosed, connect, connect_blocking


class Leaving(unittest.TestCase):
    @in_time
    async def test_the_end_of_with_leaves_the_session_and_end_session_ends_it(self):
        async with connect(tcp=ADDRESS) as client:
            async with await client.open("counter") as counter:
                async with await client.attach(counter.key) as other:
                    await other.send({"kind": "increment", "by": 1})
                self.assertEqual(other.reason, "detached")
                self.assertEqual(client.views, (counter,))
            self.assertEqual((counter.reason, client.views), ("detached", ()))
            again = await client.attach(counter.key)
            await again.detach()
            self.assertEqual(again.reason, "detached")
            again = await client.attach(counter.key)
            await again.end_session()
            await again.end_session()
            with self.assertRaises(ServerError) as gone:
                await client.attach(counter.key)
            self.assertEqual(gone.exception.name, "UnknownSession")
            async with counter:
                pass

    @in_time
    async def test_leave_keeps_sessions_and_close_ends_them(self):
        keys = {}
        for name in ("leave", "close"):
            client = await connect(tcp=ADDRESS)
            keys[name] = (await client.open("counter")).key
            for _ in range(2):
                await getattr(client, name)()
            self.assertFalse(client.is_connected)
        async with connect(tcp=ADDRESS) as client:
            await client.attach(keys["leave"])
            with self.assertRaises(ServerError) as gone:
                await client.attach(keys["close"])
            self.assertEqual(gone.exception.name, "UnknownSession")

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

    def test_what_is_durable_stays_when_its_client_has_left(self):
        store = f"sqlite:{Folder(self).file('store')}"
        server = OwnServer(self, "--store", store)
        with connect_blocking(unix=server.path) as client:
            self.assertTrue(client.keeps_durable)
            with client.open("todos", own_list()) as todos:
                todos.send({"kind": "add", "title": "Milk"})
            kept = client.open("todos", own_list())
            kept.send({"kind": "add", "title": "Bread"})
        server.stop()
        server.start()
        with connect_blocking(unix=server.path) as client:
            for view, title in ((todos, "Milk"), (kept, "Bread")):
                again = client.attach(view.key)
                self.assertIn(title, json.dumps(next(iter(again))))
                again.end_session()
                with self.assertRaises(ServerError):
                    client.attach(view.key)


class Unanswered(unittest.TestCase):
    EVENT = {"kind": "add", "title": "Milk"}

    def wait(self, seconds):
        """For the answers of who leaves, instead of a second."""
        patience = unittest.mock.patch("view_model_client._view._LEAVE_TIMEOUT", seconds)
        patience.start()
        self.addCleanup(patience.stop)

    @in_time
    async def test_the_end_of_with_waits_for_answers(self):
        """The answer comes over the next connection: who doesn't wait for it loses what wasn't sent."""
        self.wait(PATIENCE)

        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                return peer.cut()
            await peer.attaches(0, since=0, handled=0)
            peer.answer(await peer.expect("view/event", event=self.EVENT), {"seq": 0})
            if ends_view:
                peer.answer(await peer.expect("session/detach"))

        for ends_view in (False, True):
            changes = Changes()
            async with scripted(talk, reconnect=True, on_change=changes) as client:
                view = await client.open("counter")
                await changes.until(lambda: not client.is_connected)
                # It hasn't even begun when the block ends.
                sending = asyncio.ensure_future(view.send(self.EVENT))
                if ends_view:
                    await view.__aexit__(None, None, None)
                    self.assertTrue(sending.done())
            self.assertIsNone(await sending)
            self.assertEqual(view.dropped, ())

    @in_time
    async def test_an_error_waits_for_nothing_and_what_is_not_answered_is_given_back(self):
        self.wait(PATIENCE)
        server = OwnServer(self)
        with self.assertRaises(KeyError):
            async with connect(unix=server.path) as client:
                view = await client.open("todos")
                server.pause()
                sending = asyncio.ensure_future(view.send(self.EVENT))
                await asyncio.sleep(0)
                raise KeyError("a mistake")
        with self.assertRaises(ViewClosed) as lost:
            await sending
        self.assertEqual(lost.exception.dropped, (Dropped(self.EVENT, True),))
        self.assertIn("add may have been handled", str(lost.exception))

    def test_blocking_calls_of_other_threads_are_waited_for(self):
        self.wait(PATIENCE)
        server = OwnServer(self)
        told = []
        with connect_blocking(unix=server.path, reconnect=True) as client:
            view = client.open("todos")
            server.pause()

            def send():
                view.send(self.EVENT)
                told.append("answered")

            thread = threading.Thread(target=send)
            thread.start()
            while not view.sent:
                time.sleep(0.001)
            wait = client._client._until_answered

            async def resume_and_wait():
                server.resume()
                await wait()

            client._client._until_answered = resume_and_wait
        thread.join()
        self.assertEqual(told, ["answered"])


class LeavingTheCommand(CommandTests):
    def left(self, place, *arguments):
        """Opens, and leaves by Ctrl-C; returns the key, and the last line of what was said."""
        process = self.start(*place, "open", *arguments)
        key = json.loads(process.stdout.readline())["key"]
        process.send_signal(signal.SIGINT)
        return key, process.communicate()[1].splitlines()[-1]

    def test_it_says_how_to_come_back_to_what_the_server_keeps(self):
        place = ("--unix", OwnServer(self, "--store", f"sqlite:{Folder(self).file('store')}").path)
        key, said = self.left(place, "orders")
        self.assertEqual(said, f"view_model_client: kept, if orders is durable: watch {key}")
        status, _, errors = self.run_command(*place, "send", "orders", "loadOrders", "--arguments", '{"delay":0}')
        words, _, sent = errors.strip().rpartition(" ")
        self.assertEqual((status, words), (0, "view_model_client: kept, if orders is durable: watch"))
        self.assertNotEqual(sent, key)

    def test_to_what_has_a_scope_one_comes_back_by_opening_it_with_the_same_arguments(self):
        place = ("--unix", OwnServer(self, "--store", f"sqlite:{Folder(self).file('store')}").path)
        keys = set()
        for arguments in ([], ["--arguments", '{"list": "it\'s mine"}']):
            key, said = self.left(place, "todos", *arguments)
            way, prefix = said.partition("durable: ")[2], "view_model_client: kept, if todos is durable: "
            self.assertTrue(way.endswith(" finds it"), said)
            self.assertEqual(said, prefix + way)
            again = shlex.split(way.removesuffix(" finds it"))
            self.assertEqual(again, ["open", "todos", *arguments])
            # As it says.
            status, opened, _ = self.run_command(*place, *again, "--keep")
            self.assertEqual((status, json.loads(opened)["key"]), (0, key))
            status, _, errors = self.run_command(*place, "send", "todos", "add", "title=Milk", *arguments)
            self.assertEqual((status, errors), (0, said + "\n"))
            keys.add(key)
        self.assertEqual(len(keys), 2)
        for key in keys:
            self.assertEqual(self.run_command(*place, "close", key)[0], 0)

    @in_time
    async def test_of_a_view_model_with_a_scope_it_says_that_opening_finds_it_and_that_all_others_keep_it(self):
        async def talk(peer, connection):
            if connection == 1:
                await peer.opens(isNew=False, seq=4, snapshot=[{"kind": "count", "value": 3}])
                event = await peer.expect("view/event")
                peer.event(5, 4)
                peer.answer(event, {"seq": 5})
            else:
                await peer.attaches(4, snapshot=[3])
                peer.answer(await peer.expect("session/close"))

        shared = [{"name": "counter", "scope": "everyone"}]
        async with ScriptedServer(talk, viewModels=shared, durable=True) as server:
            run = functools.partial(asyncio.to_thread, self.run_command, "--tcp", server.address)
            way = "view_model_client: kept, if counter is durable: open counter finds it\n"
            # What was there before isn't what it says now.
            said = '{"kind":"count","value":4}\n'
            self.assertEqual(await run("send", "counter", "increment"), (0, said, way))
            way = "view_model_client: the session of counter stays for the others\n"
            self.assertEqual(await run("close", ScriptedPeer.KEY), (0, "", way))
