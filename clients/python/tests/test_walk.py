"""Orders, details, a question over them, and back, over connections that are lost on the way."""

import asyncio
import unittest

from support import ADDRESS, Changes, Display, Relay, in_time
from view_model_client import Event, Navigation, ServerError, Snapshot, connect, connect_blocking

NAMES = [f"Order #{number}" for number in range(100)]
CANCELLED = NAMES[:7] + ["Order #7 (cancelled)"] + NAMES[8:]


class Shown:
    """A view and its display; reads all that comes, and holds that every number came once and in its order."""

    def __init__(self, test, view):
        self.test, self.view = test, view
        self.display = Display(view.view_model)
        self.seq = 0
        self.navigated = []

    def take(self, item):
        if isinstance(item, Snapshot):
            self.seq = item.seq
        elif isinstance(item, (Event, Navigation)):
            self.test.assertEqual(item.seq, self.seq + 1, f"in {self.view.view_model}")
            self.seq = item.seq
        self.display.show(item)
        if isinstance(item, Navigation):
            self.navigated.append((item.kind, item.view_model))


class BlockingShown(Shown):
    def until(self, lines):
        """Reads what has come; for what an event's handler said that is all of it."""
        for item in self.view.notifications():
            self.take(item)
            if self.lines() == lines:
                return
        self.test.fail(f"the view ended with {self.lines()}")

    def lines(self):
        return self.display.lines(self.view.list("orders").rows(0, self.display.count))


class BlockingWalk(unittest.TestCase):
    def test_the_walk_with_its_connection_cut_three_times_misses_and_repeats_nothing(self):
        relay = Relay(self)
        with connect_blocking(tcp=relay.address, reconnect=True) as client:
            orders = BlockingShown(self, client.open("orders", {"delay": 0}))
            orders.view.send({"kind": "loadOrders"})
            orders.until(["Loading…"])
            orders.until(NAMES)

            relay.cut()
            orders.view.send({"kind": "selectOrder", "index": 7})
            details = BlockingShown(self, client.attach(orders.view.stack[-1].key))
            details.until(["Details of Order #7", "not cancelled", "note: "])

            relay.cut()
            details.view.send({"kind": "cancelOrder"})
            question = BlockingShown(self, client.attach(details.view.presented.key))
            question.until(["Cancel Order #7?"])
            question.view.send({"kind": "confirm"})
            self.assertEqual(list(question.view), [])
            self.assertEqual(question.view.reason, "dismissed")
            details.until(["Details of Order #7", "cancelled", "note: "])

            details.view.send({"kind": "editNote", "value": "call them"})
            with self.assertRaises(ServerError) as refusal:
                details.view.back()
            self.assertEqual(str(refusal.exception), "the view model stays: the note isn't saved")
            details.until(["Details of Order #7", "cancelled", "note: call them (unsaved)"])
            details.view.send({"kind": "saveNote"})
            details.until(["Details of Order #7", "cancelled", "note: call them"])
            relay.cut()
            details.view.back()
            orders.until(CANCELLED)
            orders.view.end_session()
            for item in orders.view.notifications():
                orders.take(item)
            self.assertEqual(orders.navigated, [("push", "orderDetails"), ("pop", "orderDetails")])
            self.assertEqual(orders.view.reason, "closed")
        self.assertGreaterEqual(relay.connections, 4)


class Million(unittest.TestCase):
    @in_time
    async def test_a_million_orders_are_there_at_once_and_only_those_around_the_window_are_here(self):
        relay = Relay(self)
        async with connect(tcp=relay.address, reconnect=True) as client:
            view = await client.open("orders", {"count": 1_000_000, "delay": 0})
            orders, changes = view.list("orders"), Changes()
            orders.on_change(lambda _: changes())

            async def until_shown(first):
                window = range(first, first + 500)
                orders.show(first, 500)
                await changes.until(lambda: all(orders.row(index) for index in window))
                self.assertEqual([orders.row(index)["name"] for index in window], [f"Order #{n}" for n in window])

            await view.send({"kind": "loadOrders"})
            self.assertEqual(orders.count, 1_000_000)
            for first in (0, 5_000, 100_000, 300_000, 700_000, 999_500):
                await until_shown(first)
            self.assertEqual((orders.row(0), orders.row(5_000)), (None, None))
            orders.select(999_999)

            relay.cut()
            await view.send({"kind": "selectOrder", "index": 999_999})
            details = await client.attach(view.stack[-1].key)
            self.assertEqual((await details.__aiter__().__anext__())["value"], "Details of Order #999999")
            await details.send({"kind": "cancelOrder"})
            await (await client.attach(details.presented.key)).send({"kind": "confirm"})
            await details.back()
            async for event in view:
                if event == {"kind": "cancelled", "id": 999_999}:
                    break

            # Loaded again, any row may be another: they are asked for again, and the selected one is found among them.
            relay.cut()
            await view.send({"kind": "loadOrders"})
            await until_shown(999_500)
            self.assertEqual((orders.selected_id, orders.selected_index), (999_999, 999_999))
            self.assertIn("1000001 is not between 0 and 1000000", await self.refusal(client))

    async def refusal(self, client):
        with self.assertRaises(ServerError) as refusal:
            await client.open("orders", {"count": 1_000_001})
        return str(refusal.exception)


class Counting(unittest.TestCase):
    @in_time
    async def test_a_hundred_events_over_twenty_lost_connections_are_each_applied_once_and_seen_once(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                relay = Relay(self, seed)
                async with connect(tcp=ADDRESS) as other, connect(tcp=relay.address, reconnect=True) as client:
                    counter = await client.attach((await other.open("counter")).key, since=0)
                    relay.cuts_left = 20
                    relay.cut()
                    for number in range(1, 101):
                        await counter.send({"kind": "increment", "by": number})
                    values = [event["value"] for event in counter.received()]
                self.assertEqual(values, [number * (number + 1) // 2 for number in range(101)])
                self.assertEqual(relay.cuts_left, 0)

    @in_time
    async def test_a_hundred_events_side_by_side_over_twenty_lost_connections_are_each_applied_once_and_in_order(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                relay = Relay(self, seed)
                async with connect(tcp=ADDRESS) as other, connect(tcp=relay.address, reconnect=True) as client:
                    counter = await client.attach((await other.open("counter")).key, since=0)
                    relay.cuts_left = 20
                    relay.cut()
                    events = [{"kind": "increment", "by": number} for number in range(1, 101)]
                    await asyncio.gather(*map(counter.send, events))
                    while relay.cuts_left:
                        relay.cut()
                        await counter.send({"kind": "increment", "by": 0})
                    values = [event["value"] for event in counter.received()]
                self.assertEqual(values[:101], [number * (number + 1) // 2 for number in range(101)])
                self.assertEqual(set(values[101:]) - {5050}, set())
