"""A server whose store can't be used for a while: what waits for it says so and why, and is done once."""

import asyncio
import subprocess
import unittest

from server import StoreFile
from support import Changes, Folder, OwnServer, command, in_time, scripted
from view_model_client import connect, connect_blocking

FULL = "the store can't be used: the disk is full"
REFUSAL = (-32016, FULL, {"retryAfterMs": 200})


class Told(unittest.TestCase):
    @in_time
    async def test_an_event_that_is_refused_and_sent_again_says_why_whatever_a_ping_says_meanwhile(self):
        async def talk(peer, _):
            await peer.opens()
            peer.refuse(await peer.expect("view/event"), *REFUSAL)
            peer.answer(await peer.expect("ping"), None)
            peer.answer(await peer.expect("view/event"), {"seq": 0})

        changes = Changes()
        async with scripted(talk, on_change=changes, answer_timeout=0.05) as client:
            view = await client.open("counter")
            sending = asyncio.ensure_future(view.send({"kind": "increment"}))
            await changes.until(lambda: view.stall)
            stalls = set()
            while not sending.done():
                stalls.add((view.stall, client.stall))
                await asyncio.sleep(0.01)
            self.assertEqual(stalls, {("the disk is full", "the disk is full")})
            self.assertEqual((view.stall, client.stall), (None, None))

    @in_time
    async def test_it_is_over_with_the_answer_to_what_was_refused_though_nothing_asks_the_server_any_more(self):
        async def talk(peer, _):
            await peer.opens()
            peer.refuse(await peer.expect("view/event"), REFUSAL[0], FULL, {"retryAfterMs": 600})
            peer.answer(await peer.expect("ping"), {"storeUnavailable": FULL})
            peer.answer(await peer.expect("view/event"), {"seq": 0})

        changes = Changes()
        async with scripted(talk, on_change=changes, answer_timeout=0.5) as client:
            view = await client.open("counter")
            await view.send({"kind": "increment"})
            await changes.until(lambda: client.stall is None)
            self.assertIsNone(view.stall)

    @in_time
    async def test_a_session_that_is_attached_again_when_the_store_is_back_says_why(self):
        async def talk(peer, connection):
            if connection == 1:
                await peer.opens()
                await peer.expect("view/event")
                return peer.cut()
            request = await peer.expect("session/attach")
            if connection == 2:
                peer.refuse(request, *REFUSAL)
                return await peer.until_cut()
            peer.answer(request, {"session": 1, "viewModel": "counter", "seq": 0, "handled": 0})
            peer.answer(await peer.expect("view/event"), {"seq": 0})

        changes = Changes()
        async with scripted(talk, reconnect=True, on_change=changes) as client:
            view = await client.open("counter")
            sending = asyncio.ensure_future(view.send({"kind": "increment"}))
            await changes.until(lambda: view.stall)
            self.assertEqual((view.stall, client.stall), ("the disk is full", "the disk is full"))
            await sending
            self.assertEqual((view.stall, client.stall), (None, None))


class Moved(unittest.TestCase):
    def setUp(self):
        self.store = StoreFile(Folder(self).path)
        self.server = OwnServer(self, "--store", f"sqlite:{self.store.path}")

    @in_time
    async def test_what_waits_for_a_store_whose_file_was_moved_says_why_and_is_done_once_when_it_is_back(self):
        for reconnects in (True, False):
            changes = Changes()
            options = {"reconnect": reconnects, "on_change": changes, "answer_timeout": 0.5}
            async with connect(unix=self.server.path, **options) as client:
                todos, hello = await client.open("todos"), await client.open("hello")
                await todos.send({"kind": "add", "title": "Milk"})
                self.store.move()
                first = asyncio.ensure_future(todos.send({"kind": "add", "title": "Bread"}))
                await changes.until(lambda: todos.stall)
                self.assertIn("store.db was moved", todos.stall)
                second = asyncio.ensure_future(todos.send({"kind": "add", "title": "Eggs"}))
                await asyncio.sleep(2)
                self.assertIn("store.db was moved", todos.stall)
                self.assertEqual((client.stall, hello.stall, client.is_connected), (todos.stall, None, True))
                self.assertEqual((first.done(), second.done()), (False, False))
                self.store.move_back()
                await first
                await second
                await changes.until(lambda: client.stall is None)
                titles = [item["title"] for item in todos.received()[-1]["value"]["items"]]
                self.assertEqual((titles, todos.stall), (["Milk", "Bread", "Eggs"], None))
                await todos.end_session()

    def test_the_command_says_why_and_goes_on_when_the_store_is_back(self):
        with connect_blocking(unix=self.server.path) as client:
            todos = client.open("todos")
            todos.send({"kind": "add", "title": "Milk"})
            self.assertEqual((todos.stall, client.stall), (None, None))
            process = command("--unix", self.server.path, "send", todos.key, "-", stdin=subprocess.PIPE)
            self.addCleanup(process.communicate)
            self.store.move()
            process.stdin.write('{"kind": "add", "title": "Bread"}\n')
            process.stdin.close()
            process.stdin = None
            line = process.stderr.readline()
            self.assertRegex(line, r"^view_model_client: the server can't store anything now \(.*store\.db was moved")
            self.assertIn("; what was sent waits for it\n", line)
            self.store.move_back()
            output, errors = process.communicate()
            self.assertEqual((process.returncode, errors), (0, ""))
            self.assertIn("Bread", output)
