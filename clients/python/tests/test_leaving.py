"""Leaving isn't ending; a client's name; and servers that stand still."""

import asyncio
import json
import signal
import unittest

from support import ADDRESS, Changes, Folder, OwnServer, ScriptedServer, in_time
from test_command import CommandTests
from test_scripted import KEY, attached
from view_model_client import ServerError, _Watch, connect, connect_blocking


class ManualClock:
    """Of the time that a test says."""

    def __init__(self):
        self.now = 0.0
        self.timers = []

    def time(self):
        return self.now

    def call_later(self, delay, callback):
        timer = ManualTimer(self, self.now + delay, callback)
        self.timers.append(timer)
        return timer

    def advance(self, seconds):
        end = self.now + seconds
        while due := sorted((timer for timer in self.timers if timer.at <= end), key=lambda timer: timer.at):
            due[0].cancel()
            self.now = due[0].at
            due[0].callback()
        self.now = end


class ManualTimer:
    def __init__(self, clock, at, callback):
        self.clock, self.at, self.callback = clock, at, callback

    def cancel(self):
        if self in self.clock.timers:
            self.clock.timers.remove(self)


class Watching(unittest.TestCase):
    def setUp(self):
        self.clock, self.told, self.pings, self.waiting = ManualClock(), [], 0, 0
        self.watch = _Watch(5, self.clock, lambda: self.waiting > 0, self.ping, self.told.append)

    def ping(self):
        self.pings += 1
        self.waiting += 1

    def ask(self):
        self.waiting += 1
        if self.waiting == 1:
            self.watch.asked()

    def test_silence_is_told_after_ten_seconds_and_its_end_at_once(self):
        self.clock.advance(100)
        self.ask()
        self.clock.advance(4)
        # What is sent later doesn't put it off.
        self.ask()
        self.clock.advance(1)
        self.assertEqual((self.pings, self.told), (1, []))
        self.clock.advance(4.9)
        self.assertEqual(self.told, [])
        self.clock.advance(0.1)
        self.assertEqual([str(error) for error in self.told], ["the server hasn't answered for 10 s"])
        self.assertTrue(self.told[0].is_silent)
        self.clock.advance(1000)
        self.assertEqual((self.pings, len(self.told)), (1, 1))
        self.watch.heard()
        self.assertEqual(self.told[1:], [None])
        # It is watched as before.
        self.clock.advance(10)
        self.assertEqual((self.pings, len(self.told)), (2, 3))

    def test_a_server_that_works_long_and_says_something_is_there(self):
        self.ask()
        for _ in range(12):
            self.clock.advance(5)
            self.waiting -= 1
            self.watch.heard()
        self.assertEqual((self.pings, self.told), (12, []))
        # Anything that comes is a sign, and another ping goes out all the same.
        for _ in range(5):
            self.clock.advance(4)
            self.watch.heard()
        self.assertEqual((self.pings, self.told), (16, []))

    def test_nothing_is_asked_while_nothing_is_waited_for(self):
        self.ask()
        self.clock.advance(1)
        self.waiting = 0
        self.watch.heard()
        self.clock.advance(1000)
        self.assertEqual((self.pings, self.told, self.clock.timers), (0, [], []))


class Names(unittest.TestCase):
    @in_time
    async def test_a_client_has_one_name_and_a_second_view_of_a_session_another(self):
        names = []

        async def talk(peer, connection):
            if connection == 1:
                request = await peer.expect("session/open")
                names.append(request["params"]["client"])
                peer.answer(request, {"session": 1, "key": KEY, "viewModel": "counter"})
                names.append((await attached(peer, 0, session=2, snapshot=[]))["params"]["client"])
                peer.writer.close()
            else:
                for session in (1, 2):
                    names.append((await attached(peer, 0, session=session, since=0, handled=0))["params"]["client"])
                await peer.leave()

        changes = Changes()
        async with ScriptedServer(talk) as server:
            options = {"reconnect": True, "client_name": "me", "on_change": changes}
            async with connect(tcp=server.address, **options) as client:
                await client.open("counter")
                await client.attach(KEY)
                await changes.until(lambda: not client.is_connected)
                await changes.until(lambda: client.is_connected)
        self.assertEqual(names, ["me", "me.2", "me", "me.2"])

    @in_time
    async def test_a_session_that_open_finds_is_shown_and_its_events_go_on_from_their_numbers(self):
        async def talk(peer, _):
            found = {"session": 1, "key": KEY, "viewModel": "counter", "isNew": False, "seq": 9}
            peer.answer(await peer.expect("session/open"), {**found, "snapshot": [{"kind": "count", "value": 9}]})
            await attached(peer, 9, session=2, since=9, handled=7)
            peer.answer(await peer.expect("view/event", number=8, session=2), {"seq": 9})
            await peer.leave()

        async with ScriptedServer(talk) as server:
            async with connect(tcp=server.address, reconnect=True) as client:
                view = await client.open("counter")
                await view.send({"kind": "increment"})
                self.assertEqual((view.received(), view.seq), ([{"kind": "count", "value": 9}], 9))


class StandingStill(unittest.TestCase):
    @in_time
    async def test_a_server_that_stands_still_is_noticed_and_all_goes_on_when_it_does(self):
        server, changes = OwnServer(self), Changes()
        options = {"reconnect": True, "on_change": changes, "answer_timeout": 0.5}
        async with connect(unix=server.path, **options) as client:
            counter = await client.open("counter")
            await counter.send({"kind": "increment", "by": 1})
            server.pause()
            sending = asyncio.ensure_future(counter.send({"kind": "increment", "by": 2}))
            await changes.until(lambda: client.is_silent)
            self.assertEqual((client.is_connected, counter.sent), (False, ({"kind": "increment", "by": 2},)))
            server.resume()
            await sending
            await changes.until(lambda: client.is_connected)
            self.assertEqual([event["value"] for event in counter.received()], [0, 1, 3])
            self.assertEqual((client.is_silent, counter.dropped), (False, ()))

    @in_time
    async def test_without_another_connection_it_is_said_and_waited_for(self):
        server, changes = OwnServer(self), Changes()
        async with connect(unix=server.path, on_change=changes, answer_timeout=0.5) as client:
            counter = await client.open("counter")
            server.pause()
            sending = asyncio.ensure_future(counter.send({"kind": "increment", "by": 2}))
            await changes.until(lambda: client.is_silent)
            self.assertEqual((counter.reason, len(counter.sent)), (None, 1))
            server.resume()
            await sending
            await changes.until(lambda: not client.is_silent)
            self.assertEqual([event["value"] for event in counter.received()], [0, 2])


class StandingStillInTheShell(CommandTests):
    def test_the_command_says_that_the_server_doesnt_answer(self):
        server = OwnServer(self)
        with connect_blocking(unix=server.path) as client:
            orders = client.open("orders", {"delay": 600})
            process = self.start("--unix", server.path, "send", orders.key, "loadOrders")
            # It has connected, and waits.
            self.assertEqual(next(iter(orders)), {"kind": "loading", "value": True})
            server.pause()
            self.assertEqual(process.stderr.readline(), "view_model_client: the server doesn't answer; waiting for it\n")
            server.resume()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(), -signal.SIGINT)


class Leaving(unittest.TestCase):
    @in_time
    async def test_the_end_of_with_leaves_the_session_and_end_session_ends_it(self):
        async with connect(tcp=ADDRESS) as client, connect(tcp=ADDRESS) as other:
            async with await client.open("counter", {"start": 40}) as view:
                key = view.key
            self.assertEqual(view.reason, "detached")
            again = await other.attach(key)
            await again.send({"kind": "increment", "by": 2})
            self.assertEqual(again.received()[-1], {"kind": "count", "value": 42})
            await again.end_session()
            with self.assertRaises(ServerError) as gone:
                await other.attach(key)
            self.assertEqual(gone.exception.name, "UnknownSession")

    def test_what_is_durable_stays_when_its_client_has_left(self):
        store = f"sqlite:{Folder(self).file('store')}"
        server = OwnServer(self, "--store", store)
        with connect_blocking(unix=server.path) as client:
            self.assertTrue(client.keeps_durable)
            with client.open("todos") as todos:
                todos.send({"kind": "add", "title": "Milk"})
            kept = client.open("todos")
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


class LeavingTheCommand(CommandTests):
    def test_it_says_how_to_come_back_to_what_the_server_keeps(self):
        server = OwnServer(self, "--store", f"sqlite:{Folder(self).file('store')}")
        process = self.start("--unix", server.path, "open", "todos")
        key = json.loads(process.stdout.readline())["key"]
        process.send_signal(signal.SIGINT)
        self.assertIn(f"view_model_client: kept, if todos is durable: watch {key}\n", process.communicate()[1])
        status, _, errors = self.run_command("--unix", server.path, "send", "todos", "add", "title=Milk")
        words, _, sent = errors.strip().rpartition(" ")
        self.assertEqual((status, words), (0, "view_model_client: kept, if todos is durable: watch"))
        for one in (key, sent):
            self.assertEqual(self.run_command("--unix", server.path, "close", one)[0], 0)
