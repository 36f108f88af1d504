"""What is on the wire: what is unknown, what is no message, and a server from which nothing comes."""

import asyncio
import socket
import unittest

from support import Changes, OwnServer, in_time, scripted
from view_model_client import ConnectionLost, connect
from view_model_client._silence import Watch
from view_model_client._transport import Place


class Messages(unittest.TestCase):
    @in_time
    async def test_what_is_unknown_of_a_session_is_passed_over_and_an_event_says_whether_more_follow(self):
        async def talk(peer, _):
            await peer.opens()
            peer.notify("viewModel/gesture", session=1)
            peer.event(1, 1, more=True)
            peer.event(2, 2)

        async with scripted(talk) as client:
            stream = (await client.open("counter")).notifications()
            items = [await stream.__anext__() for _ in range(2)]
            self.assertEqual([(item.seq, item.more) for item in items], [(1, True), (2, False)])

    @in_time
    async def test_answers_and_notifications_of_no_known_form_end_the_connection(self):
        async def talk(peer, _):
            await peer.expect("session/open")
            peer.send(**fault)
            await peer.until_cut()

        for fault in (
            {"id": 2, "result": {}},
            {"id": 2, "result": None},
            {"id": 2, "error": {}},
            {"method": "viewModel/event", "params": [1]},
            {"method": "$/progress", "params": {"token": {}}},
        ):
            async with scripted(talk) as client:
                with self.assertRaises(ConnectionLost, msg=fault) as lost:
                    await client.open("counter")
                self.assertIn("no message of the protocol", str(lost.exception))

    @in_time
    async def test_what_is_no_view_model_server_is_told_apart(self):
        async def serve(_, writer):
            writer.write(line)
            writer.close()

        for line in (
            b"220 mail.example ESMTP\n",
            b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
            b'{"jsonrpc":"2.0","method":[],"params":[1]}\n',
            b"[]\n",
            b"\n",
            b"{",
            b"",
        ):
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            with self.assertRaises(Exception) as failure:
                await connect(tcp="127.0.0.1:%d" % server.sockets[0].getsockname()[1])
            self.assertEqual(type(failure.exception).__name__, "ConnectionLost", line)
            server.close()

    @in_time
    async def test_errors_name_the_one_below_them(self):
        with self.assertRaises(ConnectionLost) as unreachable:
            await connect(unix="/nowhere/at/all")
        self.assertIsInstance(unreachable.exception.__cause__, FileNotFoundError)

        async def talk(peer, _):
            await peer.expect("session/open")
            peer.writer.write(b"{no message\n")
            await peer.until_cut()

        async with scripted(talk) as client:
            for _ in range(2):
                with self.assertRaises(ConnectionLost) as broken:
                    await client.open("counter")
                self.assertIsInstance(broken.exception.__cause__, ValueError)

    def test_a_connection_that_ends_before_it_is_set_up_is_left_to_who_reads_from_it(self):
        ended = socket.socket()
        ended.close()
        Place.notice_silence(ended)


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
        self.watch = Watch(5, self.clock, lambda: self.waiting > 0, self.ping, self.told.append)

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


class StandingStill(unittest.TestCase):
    @in_time
    async def test_a_server_that_stands_still_is_told_and_all_goes_on_when_it_does(self):
        for reconnect in (True, False):
            server, changes = OwnServer(self), Changes()
            options = {"reconnect": reconnect, "on_change": changes, "answer_timeout": 0.5}
            async with connect(unix=server.path, **options) as client:
                counter = await client.open("counter")
                server.pause()
                sending = asyncio.ensure_future(counter.send({"kind": "increment", "by": 2}))
                await changes.until(lambda: client.is_silent)
                # With another connection in view, the old one is given up.
                self.assertEqual((client.is_connected, counter.reason), (not reconnect, None))
                self.assertEqual(counter.sent, ({"kind": "increment", "by": 2},))
                server.resume()
                await sending
                await changes.until(lambda: client.is_connected and not client.is_silent)
                self.assertEqual([event["value"] for event in counter.received()], [0, 2])
                self.assertEqual(counter.dropped, ())
