"""What is sent, and not answered, when its client or its view is left."""

import asyncio
import contextlib
import threading
import time
import unittest

import view_model_client
from support import PATIENCE, Changes, OwnServer, ScriptedServer, in_time
from test_scripted import attached, opened
from view_model_client import Dropped, ViewClosed, connect, connect_blocking


class Unanswered(unittest.TestCase):

    def wait(self, seconds):
        """For the answers of who leaves, instead of a second."""
        before = view_model_client._LEAVE_TIMEOUT
        self.addCleanup(setattr, view_model_client, "_LEAVE_TIMEOUT", before)
        view_model_client._LEAVE_TIMEOUT = seconds

    async def leave_while_away(self, leave):
        """The answer comes over the next connection: who doesn't wait for it loses what wasn't sent."""
        self.wait(PATIENCE)

        async def talk(peer, connection):
            if connection == 1:
                await opened(peer)
                peer.writer.close()
            else:
                await attached(peer, 0, since=0, handled=0)
                peer.answer(await peer.expect("view/event", event={"kind": "add"}), {"seq": 0})
                await left(peer)

        async def left(peer):
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while await peer.read():
                    pass

        changes = Changes()
        async with ScriptedServer(talk) as server:
            connecting = connect(tcp=server.address, reconnect=True, on_change=changes)
            await leave(connecting, changes)

    @in_time
    async def test_the_end_of_with_waits_for_answers(self):
        async def leave(connecting, changes):
            async with connecting as client:
                view = await client.open("counter")
                await changes.until(lambda: not client.is_connected)
                # It hasn't even begun when the block ends.
                sending = asyncio.ensure_future(view.send({"kind": "add"}))
            self.assertIsNone(await sending)
            self.assertEqual(view.dropped, ())

        await self.leave_while_away(leave)

    @in_time
    async def test_the_end_of_with_of_a_view_waits_for_answers(self):
        async def leave(connecting, changes):
            async with connecting as client:
                async with await client.open("counter") as view:
                    await changes.until(lambda: not client.is_connected)
                    sending = asyncio.ensure_future(view.send({"kind": "add"}))
                self.assertIsNone(await sending)

        await self.leave_while_away(leave)

    @in_time
    async def test_an_error_waits_for_nothing_and_what_is_not_answered_is_given_back(self):
        self.wait(PATIENCE)
        server = OwnServer(self)
        with self.assertRaises(KeyError):
            async with connect(unix=server.path) as client:
                view = await client.open("todos")
                server.pause()
                event = {"kind": "add", "title": "Milk"}
                sending = asyncio.ensure_future(view.send(event))
                await asyncio.sleep(0)
                raise KeyError("a mistake")
        with self.assertRaises(ViewClosed) as lost:
            await sending
        self.assertEqual(lost.exception.dropped, (Dropped(event, True),))

    @in_time
    async def test_what_is_not_answered_in_time_is_given_back_by_an_error(self):
        self.wait(0.01)
        server = OwnServer(self)
        client = await connect(unix=server.path, reconnect=True)
        view = await client.open("todos")
        server.pause()
        event = {"kind": "add", "title": "Milk"}
        sending = asyncio.ensure_future(view.send(event))
        await client.close()
        with self.assertRaises(ViewClosed) as lost:
            await sending
        self.assertEqual(lost.exception.dropped, (Dropped(event, True),))
        self.assertIn("add may have been handled", str(lost.exception))

    def test_blocking_calls_of_other_threads_are_waited_for(self):
        self.wait(PATIENCE)
        server = OwnServer(self)
        told = []
        with connect_blocking(unix=server.path, reconnect=True) as client:
            view = client.open("todos")
            server.pause()

            def send():
                view.send({"kind": "add", "title": "Milk"})
                told.append("answered")

            thread = threading.Thread(target=send)
            thread.start()
            while not view.sent:
                time.sleep(0.001)
            wait = client._client._until_answered

            async def resume_and_wait(views):
                server.resume()
                await wait(views)

            client._client._until_answered = resume_and_wait
        thread.join()
        self.assertEqual(told, ["answered"])
