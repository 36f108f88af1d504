"""What the library promises while nothing is lost: sessions, names, errors, long requests, places, blocking calls."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import unittest

from support import (
    ADDRESS,
    CLIENT_FOLDER,
    PATIENCE,
    SERVER,
    Changes,
    Folder,
    OwnServer,
    ScriptedPeer,
    in_time,
    own_list,
    scripted,
)
from view_model_client import ConnectionLost, ServerError, Snapshot, ViewClosed, connect, connect_blocking


async def first(stream):
    return await asyncio.wait_for(stream.__aiter__().__anext__(), PATIENCE)


class Sessions(unittest.TestCase):
    @in_time
    async def test_events_come_in_order_and_before_send_returns(self):
        async with connect(tcp=ADDRESS) as client:
            self.assertEqual({"counter", "orders", "todos"} - set(client.view_models), set())
            self.assertEqual(client.types["orders"], "Examples.OrdersViewModel")
            self.assertEqual(client.limits["messageBytes"], 16777216)
            counter = await client.open("counter", {"start": 40})
            await counter.send({"kind": "increment", "by": 2})
            self.assertEqual(counter.received(), [{"kind": "count", "value": 40}, {"kind": "count", "value": 42}])
            self.assertEqual((counter.seq, counter.view_model, counter.reason), (2, "counter", None))
            self.assertEqual(counter.received(), [])

    @in_time
    async def test_an_event_that_is_too_much_for_a_message_fails_alone(self):
        too_many, too_deep = list(range(25_000)), []
        for _ in range(600):
            too_deep = [too_deep]
        async with connect(tcp=ADDRESS) as client:
            counter = await client.open("counter")
            for value, name in ((too_many, "LimitExceeded"), (too_deep, "ParseError")):
                refused = counter.send({"kind": "increment", "by": value})
                behind = counter.send({"kind": "increment", "by": 2})
                results = await asyncio.wait_for(asyncio.gather(refused, behind, return_exceptions=True), PATIENCE)
                self.assertEqual((results[0].name, results[1]), (name, None))
            self.assertEqual(counter.received()[-1], {"kind": "count", "value": 4})

    @in_time
    async def test_a_list_that_is_opened_twice_is_one_session_for_which_each_view_sends(self):
        def titles(view):
            return [item["title"] for item in view.received()[-1]["value"]["items"]]

        for reconnect in (False, True):
            async with connect(tcp=ADDRESS, reconnect=reconnect) as client:
                arguments = own_list()
                one = await client.open("todos", arguments)
                await one.send({"kind": "add", "title": "Milk"})
                two = await client.open("todos", arguments)
                self.assertEqual((two.key, titles(two)), (one.key, ["Milk"]))
                await two.send({"kind": "add", "title": "Bread"})
                await one.send({"kind": "add", "title": "Eggs"})
                self.assertEqual(titles(one), ["Milk", "Bread", "Eggs"])
                await one.detach()
                await two.send({"kind": "removeDone"})
                self.assertEqual(titles(two), ["Milk", "Bread", "Eggs"])
            async with connect(tcp=ADDRESS, reconnect=reconnect) as client:
                again = await client.open("todos", arguments)
                self.assertEqual((again.key, titles(again)), (two.key, ["Milk", "Bread", "Eggs"]))
                await again.end_session()
                anew = await client.open("todos", arguments)
                self.assertNotEqual(anew.key, again.key)
                await anew.end_session()

    @in_time
    async def test_two_views_of_a_session_see_the_same_until_one_closes_it(self):
        async with connect(tcp=ADDRESS) as one, connect(tcp=ADDRESS) as other:
            mine = await one.open("counter")
            await mine.send({"kind": "increment", "by": 1})
            theirs = await other.attach(mine.key)
            snapshot = Snapshot(2, ({"kind": "count", "value": 0}, {"kind": "count", "value": 1}))
            self.assertEqual(await first(theirs.notifications()), snapshot)
            late = await other.attach(mine.key, since=1, epoch=mine.epoch)
            self.assertEqual((await first(late.notifications())).seq, 2)
            elsewhere = await other.attach(mine.key, since=1, epoch="of another history")
            self.assertEqual(await first(elsewhere.notifications()), snapshot)
            await theirs.send({"kind": "increment", "by": 4})
            stream = mine.__aiter__()
            self.assertEqual([(await stream.__anext__())["value"] for _ in range(3)], [0, 1, 5])
            await mine.end_session()
            await mine.end_session()
            self.assertEqual([event async for event in mine], [])
            self.assertEqual([event["value"] async for event in theirs], [5])
            self.assertEqual((mine.reason, theirs.reason), ("closed", "closed"))
            with self.assertRaises(ViewClosed) as closed:
                await theirs.send({"kind": "reset"})
            self.assertEqual(str(closed.exception), "the view is closed: closed; reset was not sent")

    @in_time
    async def test_waiting_for_an_event_may_be_given_up_and_taken_up_again(self):
        async with connect(tcp=ADDRESS) as client:
            counter = await client.open("counter")
            stream = counter.__aiter__()
            await stream.__anext__()
            waiting = asyncio.ensure_future(stream.__anext__())
            await asyncio.sleep(0)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            await counter.send({"kind": "increment", "by": 3})
            self.assertEqual((await stream.__anext__())["value"], 3)

    @in_time
    async def test_events_may_be_anything_with_a_to_json(self):
        class Event:
            def __init__(self, **members):
                self.members = members

            def to_json(self):
                return self.members

        async with connect(tcp=ADDRESS) as client:
            counter = await client.open("counter", Event(start=1))
            await counter.send(Event(kind="increment", by=1 << 40))
            self.assertEqual(counter.received()[-1]["value"], (1 << 40) + 1)


class Names(unittest.TestCase):
    @in_time
    async def test_a_client_has_one_name_and_a_second_view_of_a_session_another(self):
        names = []

        async def talk(peer, connection):
            if connection == 1:
                names.append((await peer.opens())["client"])
                names.append((await peer.attaches(0, session=2, snapshot=[]))["client"])
                return peer.cut()
            for session in (1, 2):
                names.append((await peer.attaches(0, session=session, since=0, handled=0))["client"])

        changes = Changes()
        async with scripted(talk, reconnect=True, client_name="me", on_change=changes) as client:
            await client.open("counter")
            await client.attach(ScriptedPeer.KEY)
            await changes.until(lambda: not client.is_connected)
            await changes.until(lambda: client.is_connected)
        self.assertEqual(names, ["me", "me.2", "me", "me.2"])


class Errors(unittest.TestCase):
    @in_time
    async def test_each_error_has_its_code_and_name_and_words(self):
        async with connect(tcp=ADDRESS) as client:
            orders = await client.open("orders", {"delay": 0})

            async def refused(coroutine):
                with self.assertRaises(ServerError) as refusal:
                    await coroutine
                return refusal.exception

            unknown = await refused(client.open("clock"))
            self.assertEqual((unknown.code, unknown.name), (-32011, "UnknownViewModel"))
            self.assertIn("counter", unknown.data["known"])
            wrong = await refused(client.open("counter", {"start": "forty"}))
            self.assertEqual((wrong.name, wrong.data["path"]), ("InvalidParams", "/arguments/start"))
            self.assertIn("expected an integer", str(wrong))
            failed = await refused(orders.send({"kind": "selectOrder", "index": 1}))
            self.assertEqual((failed.code, failed.name), (-32014, "ViewModelFailed"))
            self.assertEqual(failed.message, "there is no order 1: no orders are loaded")
            root = await refused(orders.back())
            self.assertEqual((root.name, root.refused), ("InvalidRequest", None))
            self.assertEqual((await refused(client.attach("nobody's"))).name, "UnknownSession")
            self.assertEqual((await refused(client.attach(orders.key, 99))).name, "InvalidParams")
            # The connection and the session went through all that.
            await orders.send({"kind": "loadOrders"})

    @in_time
    async def test_what_is_no_JSON_or_too_long_is_refused_here_and_the_next_event_goes(self):
        for reconnect in (False, True):
            async with connect(tcp=ADDRESS, reconnect=reconnect) as client:
                todos = await client.open("todos", own_list())
                for event, error in (
                    ({"kind": "add", "title": float("nan")}, ValueError),
                    ({"kind": "add", "title": object()}, TypeError),
                    ({"kind": "add", "title": "\ud800"}, ValueError),
                    ({"kind": "add", "title": "x" * (1 << 24)}, ServerError),
                    ({"kind": "remove"}, ServerError),
                ):
                    with self.assertRaises(error):
                        await todos.send(event)
                await todos.send({"kind": "add", "title": "x" * (1 << 18)})
                self.assertEqual(len(todos.received()[-1]["value"]["items"][0]["title"]), 1 << 18)
                await todos.end_session()

    @in_time
    async def test_who_cant_reach_a_server_is_told_so(self):
        path = Folder(self).file("nobody")
        for place in ({"unix": path}, {"tcp": "127.0.0.1:1"}, {"command": [path]}):
            with self.assertRaises(ConnectionLost) as lost:
                await connect(**place)
            self.assertIn("can't reach the server", str(lost.exception))
        with self.assertRaises(ConnectionLost):
            await connect(command=["true"])
        with self.assertRaises(ValueError):
            connect()
        with self.assertRaises(ValueError):
            connect(command=["true"], reconnect=True)
        with self.assertRaises(ValueError):
            await connect(tcp="127.0.0.1")


    @in_time
    async def test_what_is_shown_of_an_object_has_no_secrets(self):
        async with connect(tcp=ADDRESS, token="secret") as client:
            counter = await client.open("counter")
            await counter.send({"kind": "increment", "by": 1})
            self.assertEqual(repr(client), f"<Client of {ADDRESS}: connected; views: 1>")
            self.assertEqual(repr(counter), "<View of counter: number 2>")
        self.assertEqual(repr(ServerError(-32012, "there is none")), "ServerError(-32012, 'there is none', None)")


class LongRequests(unittest.TestCase):
    @in_time
    async def test_cancelling_a_task_that_sends_stops_the_view_model(self):
        async with connect(tcp=ADDRESS) as client:
            orders = await client.open("orders", {"delay": 600})
            loading = asyncio.ensure_future(orders.send({"kind": "loadOrders"}))
            stream = orders.__aiter__()
            self.assertEqual(await stream.__anext__(), {"kind": "loading", "value": True})
            # It waits for the first in the server, which takes it out.
            waiting = asyncio.ensure_future(orders.send({"kind": "selectOrder", "index": 0}))
            await asyncio.sleep(0)
            waiting.cancel()
            loading.cancel()
            self.assertEqual(await stream.__anext__(), {"kind": "loading", "value": False})
            for task in (loading, waiting):
                with self.assertRaises(asyncio.CancelledError):
                    await task
            await orders.end_session()
            self.assertEqual([event async for event in orders], [])

    @in_time
    async def test_progress_is_reported_to_who_asked_for_it(self):
        async with connect(tcp=ADDRESS) as client:
            orders = await client.open("orders", {"delay": 0})
            reports = []
            await orders.send({"kind": "loadOrders"}, progress=reports.append)
            await orders.send({"kind": "loadOrders"})
        self.assertEqual([report["kind"] for report in reports], ["begin", "report", "end"])
        self.assertEqual((reports[0]["title"], reports[1]["message"]), ("Loading orders", "100 orders"))

    @in_time
    async def test_progress_goes_on_after_the_answer_with_the_work(self):
        for stops in (True, False):
            reports = []
            async with connect(tcp=ADDRESS) as client:
                watch = await client.open("stopwatch")
                await watch.send({"kind": "start"}, progress=reports.append)
                await asyncio.sleep(0)
                self.assertEqual([report["kind"] for report in reports], ["begin"])
                # Another event's is its own.
                await watch.send({"kind": "lap"}, progress=lambda report: self.fail(report))
                if stops:
                    await watch.send({"kind": "stop"})
                else:
                    await watch.end_session()
            await asyncio.sleep(0)
            self.assertEqual([report["kind"] for report in reports], ["begin", "report", "end"])
            self.assertEqual(client._connection.progress._works, {})


class Places(unittest.TestCase):
    @in_time
    async def test_a_server_that_was_started_ends_with_its_client(self):
        client = await connect(command=[SERVER, "--stdio"])
        counter = await client.open("counter")
        self.assertEqual((await first(counter))["value"], 0)
        process = client._connection.wire._process
        await client.close()
        self.assertEqual(process.returncode, 0)

    @in_time
    async def test_a_server_that_dies_ends_its_views(self):
        async with connect(command=[SERVER, "--stdio"]) as client:
            orders = await client.open("orders", {"delay": 600})
            loading = asyncio.ensure_future(orders.send({"kind": "loadOrders"}))
            await first(orders)
            client._connection.wire._process.kill()
            with self.assertRaises(ConnectionLost):
                await loading
            with self.assertRaises(ConnectionLost):
                async for _ in orders:
                    pass
            self.assertEqual(orders.reason, "connectionLost")
            for call in (orders.send({"kind": "loadOrders"}), client.open("counter"), orders.back()):
                with self.assertRaises(ConnectionLost):
                    await call
            await orders.end_session()

    @in_time
    async def test_a_token_is_carried_and_a_wrong_one_refused(self):
        server = OwnServer(self, "--token-file", Folder(self).file("token", "secret-0123456789\n"))
        async with connect(unix=server.path, token="secret-0123456789") as client:
            await client.open("counter")
        for token in ("wrong", None):
            with self.assertRaises(ServerError) as refusal:
                await connect(unix=server.path, token=token)
            self.assertEqual(refusal.exception.name, "Unauthorized")


class Blocking(unittest.TestCase):
    def test_calls_block_until_they_are_done(self):
        with connect_blocking(tcp=ADDRESS) as client:
            self.assertIn("counter", client.view_models)
            self.assertEqual(client.types["counter"], "Examples.CounterViewModel")
            self.assertEqual(client.describe("counter")["name"], "counter")
            counter = client.open("counter", {"start": 1})
            counter.send({"kind": "increment", "by": 1})
            self.assertEqual([event["value"] for event in counter.received()], [1, 2])
            counter.send({"kind": "increment", "by": 1})
            self.assertEqual(next(iter(counter))["value"], 3)
            with self.assertRaises(ServerError):
                counter.send({"kind": "decrement"})
            counter.end_session()
            self.assertEqual(list(counter), [])
        client.close()
        with self.assertRaises(ConnectionLost):
            client.open("counter")

    def test_ctrl_c_in_a_call_stops_the_view_model(self):
        program = f"""
from view_model_client import connect_blocking
with connect_blocking(tcp={ADDRESS!r}) as client:
    orders = client.open("orders", {{"delay": 600}})
    print(orders.key, flush=True)
    try:
        orders.send({{"kind": "loadOrders"}})
    except KeyboardInterrupt:
        # True is what loading began with.
        print([event["value"] for _, event in zip(range(2), orders)])
"""
        environment = {**os.environ, "PYTHONPATH": CLIENT_FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        with connect_blocking(tcp=ADDRESS) as client:
            watching = client.attach(process.stdout.readline().strip())
            for event in watching:
                if event == {"kind": "loading", "value": True}:
                    break
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "[True, False]\n")
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_who_cant_connect_leaves_no_thread(self):
        with self.assertRaises(ConnectionLost):
            with connect_blocking(unix=os.devnull):
                pass
        names = [thread.name for thread in threading.enumerate()]
        self.assertNotIn("view_model_client", names)
