"""Sessions that are found again, and shared with those who only look."""

import asyncio
import unittest

from support import ADDRESS, SERVER, Folder, in_time
from view_model_client import KeptSession, ServerError, connect, connect_blocking


class Sharing(unittest.TestCase):
    @in_time
    async def test_who_has_a_key_to_look_does_nothing_else(self):
        async with connect(tcp=ADDRESS) as client, connect(tcp=ADDRESS, reconnect=True) as other:
            counter = await client.open("counter")
            key = await counter.read_key()
            self.assertEqual(await counter.read_key(), key)
            self.assertIsNone(counter.access)
            reader = await other.attach(key)
            self.assertEqual(reader.access, "read")
            for refused in (reader.send({"kind": "increment", "by": 1}), reader.end_session()):
                with self.assertRaises(ServerError) as error:
                    await refused
                self.assertEqual(error.exception.name, "Forbidden")
            self.assertEqual(reader.dropped, ())
            await counter.send({"kind": "increment", "by": 2})
            async for event in reader:
                if event == {"kind": "count", "value": 2}:
                    break
            self.assertEqual(await reader.read_key(), key)

    @in_time
    async def test_who_asks_is_told_who_is_here(self):
        changes = asyncio.Queue()
        async with connect(tcp=ADDRESS, here=True, on_change=lambda: changes.put_nowait(None)) as client:
            counter = await client.open("counter")

            async def sees(*expected):
                while [(viewer.is_self, viewer.program, viewer.access) for viewer in counter.here] != [*expected]:
                    await changes.get()

            own = (True, "view_model_client.py", None)
            await sees(own)
            async with connect(tcp=ADDRESS) as other:
                reader = await other.attach(await counter.read_key())
                await sees(own, (False, "view_model_client.py", "read"))
                self.assertEqual(reader.here, ())
            await sees(own)

    def test_what_one_may_come_back_to_is_listed(self):
        store = f"sqlite:{Folder(self).file('store.db')}"
        command = [SERVER, "--stdio", "--store", store]
        with connect_blocking(command=command) as client:
            todos = client.open("todos", {"list": "garden"})
            todos.send({"kind": "add", "title": "Dig"})
            client.open("hello")
            key = todos.key
        with connect_blocking(command=command) as client:
            [kept] = client.kept_sessions()
            expected = KeptSession(key, "todos", kept.last_used, {"list": "garden"}, "1 open, 0 done", 0)
            self.assertEqual(kept, expected)
            self.assertRegex(kept.last_used, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            with client.attach(kept.key) as view:
                self.assertEqual((view.view_model, view.access), ("todos", None))
                self.assertEqual(client.kept_sessions()[0].views, 1)
