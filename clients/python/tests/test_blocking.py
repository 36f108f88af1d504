"""The library with blocking calls: their timeouts, their `with`, and the end of their thread."""

import asyncio
import inspect
import math
import socket
import threading
import unittest

from support import ADDRESS, PATIENCE, Folder, OwnServer
from view_model_client import (
    BlockingClient,
    BlockingRowList,
    BlockingView,
    Client,
    ConnectionLost,
    RowList,
    ServerError,
    TimedOut,
    View,
    connect,
    connect_blocking,
)

# That a call takes at least as long doesn't matter here: whoever is asked is stopped, and can't answer in any time.
SOON = 0.001


class Timeouts(unittest.TestCase):
    def setUp(self):
        self.server = OwnServer(self)
        self.client = connect_blocking(unix=self.server.path)
        self.addCleanup(self.client.close)

    def test_each_call_is_given_up_after_its_timeout_and_the_client_goes_on(self):
        with self.client.open("counter", timeout=PATIENCE) as counter:
            self.assertEqual(next(iter(counter))["value"], 0)
            self.server.pause()
            for call in (
                lambda: self.client.open("counter", timeout=SOON),
                lambda: self.client.attach(counter.key, timeout=SOON),
                lambda: self.client.describe("counter", timeout=SOON),
                lambda: counter.send({"kind": "reset"}, timeout=SOON),
                lambda: counter.back(timeout=SOON),
                lambda: counter.detach(timeout=SOON),
                lambda: counter.end_session(timeout=SOON),
                lambda: next(counter.events(timeout=SOON)),
                lambda: next(counter.notifications(timeout=SOON)),
                lambda: next(counter.navigation_events(timeout=SOON)),
                lambda: counter.send({"kind": "reset"}, timeout=0),
            ):
                with self.assertRaises(TimedOut) as late:
                    call()
                self.assertIsInstance(late.exception, TimeoutError)
                self.assertIsInstance(late.exception.__cause__, asyncio.TimeoutError)
            self.server.resume()
            self.assertEqual(self.client.describe("counter", timeout=math.inf)["name"], "counter")

    def test_an_event_that_was_given_up_comes_back(self):
        event = {"kind": "reset"}
        with connect_blocking(unix=self.server.path, reconnect=True) as client, client.open("counter") as counter:
            self.server.pause()
            with self.assertRaises(TimedOut) as late:
                counter.send(event, timeout=SOON)
            (dropped,) = late.exception.dropped
            self.assertEqual(dropped.event, event)
            # So short is the time that it may not even have been sent.
            words = {True: "reset may have been handled", False: "reset was not sent"}[dropped.was_sent]
            self.assertEqual(str(late.exception), f"not done within 0.001 s; {words}")
            self.server.kill()
            with self.assertRaises(TimedOut) as late:
                counter.send(event, timeout=SOON)
            self.assertEqual(late.exception.dropped[0].event, event)
            self.assertEqual((counter.pending, counter.sent), ((), ()))
            self.server.start()

    def test_an_iterator_goes_on_after_a_timeout(self):
        with self.client.open("counter") as counter:
            events = counter.events(timeout=SOON)
            self.assertIs(iter(events), events)
            while True:
                try:
                    self.assertEqual(next(events)["value"], 0)
                    break
                except TimedOut:
                    continue
            with self.assertRaises(TimedOut):
                next(events)
            counter.send({"kind": "increment", "by": 4})
            self.assertEqual(next(events)["value"], 4)
        self.assertEqual(list(events), [])

    def test_connecting_and_all_calls_have_the_timeout_of_the_client(self):
        path = Folder(self).file("silent")
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(path)
            silent.listen()
            # At each moment of it, that in which the connection is made among them.
            for tenths in range(1, 31):
                with self.assertRaises(TimedOut):
                    connect_blocking(unix=path, timeout=tenths / 10_000)
        self.assertNotIn("view_model_client", self.threads_beside(self.client))
        with connect_blocking(unix=self.server.path, timeout=PATIENCE) as client:
            self.assertEqual(client._loop._timeout, PATIENCE)
            counter = client.open("counter")
            self.server.pause()
            client._loop._timeout = SOON
            with self.assertRaises(TimedOut):
                client.describe("counter")
            with self.assertRaises(TimedOut):
                counter.send({"kind": "reset"})
            self.server.resume()

    @staticmethod
    def threads_beside(client):
        return [thread.name for thread in threading.enumerate() if thread is not client._loop._thread]


class Contexts(unittest.TestCase):
    def test_a_session_is_left_at_the_end_of_with_and_ended_by_who_says_so(self):
        with connect_blocking(tcp=ADDRESS) as client:
            with client.open("counter") as counter:
                with client.attach(counter.key, only_watch=True) as other:
                    other.send({"kind": "reset"})
                self.assertEqual((other.reason, counter.reason), ("detached", None))
                self.assertEqual(repr(counter), f"<BlockingView of counter: number {counter.seq}>")
            self.assertEqual(counter.reason, "detached")
            client.attach(counter.key).end_session()
            with self.assertRaises(ServerError):
                client.attach(counter.key)
            self.assertEqual(repr(client), f"<BlockingClient of {ADDRESS}: connected; views: 0>")

    def test_a_client_needs_no_with_and_its_views_can_be_looked_at_when_it_is_closed(self):
        client = connect_blocking(tcp=ADDRESS)
        with client.open("counter") as counter:
            counter.send({"kind": "increment", "by": 1})
            client.close()
            client.close()
        self.assertEqual([event["value"] for event in counter.received()], [0, 1])
        self.assertEqual((counter.reason, counter.pending, counter.sent, counter.dropped), ("closed", (), (), ()))
        self.assertFalse(client.is_connected)
        for call in (
            lambda: client.open("counter"),
            lambda: client.attach(counter.key),
            lambda: client.describe("counter"),
            lambda: counter.send({"kind": "reset"}),
        ):
            with self.assertRaises(ConnectionLost) as closed:
                call()
            self.assertIn("this client is closed", str(closed.exception))


class Screens(unittest.TestCase):
    def test_children_come_and_go(self):
        with connect_blocking(tcp=ADDRESS) as client, client.open("orders", {"delay": 0}) as orders:
            orders.send({"kind": "loadOrders"})
            orders.send({"kind": "selectOrder", "index": 7})
            details = client.attach(orders.stack[-1].key)
            self.assertEqual(next(iter(details))["value"], "Details of Order #7")
            details.send({"kind": "cancelOrder"})
            self.assertEqual(details.presented.view_model, "confirmCancel")
            client.attach(details.presented.key).send({"kind": "confirm"})
            details.back()
            self.assertEqual([one.kind for one in details.navigation_events()], ["present", "dismiss"])
            self.assertEqual((details.presented, details.reason), (None, "popped"))
            kinds = [event["kind"] for event in orders.received()]
            self.assertEqual(kinds, ["loading", "orders", "loading", "cancelled"])
            screens = orders.navigation_events()
            self.assertEqual([(one.kind, one.view_model) for one in (next(screens), next(screens))],
                             [("push", "orderDetails"), ("pop", "orderDetails")])
            self.assertEqual(orders.stack, ())


class Threads(unittest.TestCase):
    def test_a_call_that_waits_ends_when_another_thread_closes_the_client(self):
        server = OwnServer(self)
        client = connect_blocking(unix=server.path, reconnect=True)
        server.kill()
        errors = []

        def describe():
            try:
                client.describe("counter")
            except ConnectionLost as error:
                errors.append(error)

        threads = [threading.Thread(target=describe) for _ in range(8)]
        for thread in threads:
            thread.start()
        client.close()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(len(errors), 8)

    def test_a_blocking_call_in_a_callback_is_refused_and_doesnt_stop_the_client(self):
        with connect_blocking(tcp=ADDRESS) as client, client.open("orders", {"delay": 0}) as orders:
            refused = []

            def report(value):
                for call in (lambda: client.describe("orders"), client.close):
                    try:
                        call()
                    except RuntimeError as error:
                        refused.append(str(error))

            orders.send({"kind": "loadOrders"}, report)
            self.assertEqual(len(refused), 6)
            self.assertIn("callback", refused[0])
            self.assertEqual(client.describe("orders")["name"], "orders")


class SameOptions(unittest.TestCase):
    """Both libraries take the same words."""

    def parameters(self, function):
        return {name: (one.kind, one.default) for name, one in inspect.signature(function).parameters.items()}

    def test_connecting_takes_the_same_options_and_a_timeout(self):
        blocking = self.parameters(connect_blocking)
        self.assertEqual(blocking.pop("timeout")[1], None)
        self.assertEqual(blocking, self.parameters(connect))
        with self.assertRaises(TypeError):
            connect_blocking(tpc=ADDRESS)

    def test_methods_take_the_same_arguments_and_a_timeout(self):
        for one, other in ((Client, BlockingClient), (View, BlockingView), (RowList, BlockingRowList)):
            for name in set(vars(one)) & set(vars(other)):
                function = getattr(one, name)
                if name.startswith("_") or isinstance(function, property):
                    continue
                blocking = self.parameters(getattr(other, name))
                blocking.pop("timeout", None)
                self.assertEqual(blocking, self.parameters(function), name)
