"""The types that the server's command `contract --python` writes, together with this client."""

import importlib
import os
import shutil
import subprocess
import sys
import unittest

from support import ADDRESS, CLIENT_FOLDER, Folder, generate_types, in_time
from view_model_client import Snapshot, connect

PROGRAM = '''
import asyncio
from typing import Any, List, NoReturn, Tuple

import view_models
from view_model_client import BlockingView, ClientError, Dropped, TimedOut, connect, connect_blocking
from view_models import VIEW_MODEL_EVENTS, Counter, Numbers, Orders, RowList, Todos, View


def nothing_else(event: NoReturn) -> NoReturn:
    raise AssertionError(event)


def words(event: Orders.ViewModelEvent) -> str:
    if isinstance(event, Orders.ViewModelEvents.Orders):
        return f"{event.count} orders"
    if isinstance(event, Orders.ViewModelEvents.Loading):
        return "loading" if event.value else "loaded"
    if isinstance(event, Orders.ViewModelEvents.Failed):
        return event.message
    if isinstance(event, Orders.ViewModelEvents.Cancelled):
        return f"cancelled {event.id}"
    nothing_else(event)


async def walk(client: view_models.Client) -> List[str]:
    lines: List[str] = []
    orders = await client.open("orders", Orders.Arguments(count=2, delay=0))
    await orders.send(Orders.ViewEvents.LoadOrders())
    async for event in orders:
        lines.append(words(event))
        if event.kind == "loading" and not event.value:
            break
    lines += [order.name for order in await orders.list("orders", read=Orders.Order.from_json).rows(0, 5)]
    counter: View[Counter.ViewEvent, Counter.ViewModelEvent] = await client.open("counter")
    await counter.send(Counter.ViewEvents.Increment(by=2))
    async for count in counter:
        lines.append(str(count))
        if isinstance(count, Counter.ViewModelEvents.Count) and count.value == 2:
            break
    numbers = await client.open("numbers", Numbers.Arguments(count=9))
    rows: RowList[Numbers.Number] = numbers.list("numbers", read=Numbers.Number.from_json)
    lines += [str(row.square) for row in await rows.rows(7, 5)]
    async for number in rows:
        lines.append(str(number.id))
        break
    await orders.end_session()
    await counter.end_session()
    await numbers.end_session()
    return lines


def again(view: BlockingView, event: Any) -> Tuple[Dropped, ...]:
    try:
        view.send(event, timeout=2.5)
    except TimedOut as error:
        return error.dropped
    except ClientError as error:
        return error.dropped
    return ()


def blocking(address: str) -> None:
    with connect_blocking(tcp=address, timeout=10, on_change=lambda: None) as client:
        with client.open("counter") as counter:
            dropped: Tuple[Dropped, ...] = again(counter, {"kind": "reset"}) + counter.dropped
            waiting: Tuple[Any, ...] = counter.pending + counter.sent
            for event in counter.events(timeout=1):
                break
            names: List[str] = counter.list("names", read=str).rows(0, 9, timeout=1)


async def main(address: str) -> List[str]:
    async with connect(tcp=address) as untyped, await untyped.open("counter") as counter:
        count: int = len(counter.pending)
    async with connect(tcp=address, readers=VIEW_MODEL_EVENTS) as client:
        return await walk(client)
'''

WRONG = '''
from view_model_client import connect, connect_blocking
from view_models import Client, Counter, Orders


def blocking() -> None:
    connect_blocking(tpc="127.0.0.1:7351")  # refused
    connect_blocking(tcp=7351)  # refused
    with connect_blocking(tcp="127.0.0.1:7351", timeout="1") as client:  # refused
        client.open("orders", {}, 5)  # refused
        with client.open("orders") as orders:
            orders.opne()  # refused
            orders.dropped[0].sent  # refused
            orders.list("numbers", read=int).rows(0, 1)[0].title  # refused


async def run() -> None:
    client: Client = await connect(tcp="127.0.0.1:7351")
    orders = await client.open("orders")
    await orders.send(Counter.ViewEvents.Reset())  # refused
    await client.open("order")  # refused
    async for event in orders:
        event.title  # refused
    orders.list("numbers", read=Orders.ViewModelEvents.Loading.from_json).row(0).square  # refused
    await connect(tcp=7351)  # refused
    await (await connect(unix="x")).attach(1)  # refused
'''


class Types(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self)
        generate_types(self.folder)
        sys.path.insert(0, self.folder.path)
        self.addCleanup(sys.path.remove, self.folder.path)

    def load(self, name):
        importlib.invalidate_caches()
        self.addCleanup(sys.modules.pop, name, None)
        return importlib.import_module(name)

    @in_time
    async def test_a_typed_program_runs(self):
        self.load("view_models")
        self.folder.file("typed_program.py", PROGRAM)
        lines = await self.load("typed_program").main(ADDRESS)
        self.assertEqual(
            lines,
            [
                "loading",
                "2 orders",
                "loaded",
                "Order #0",
                "Order #1",
                "Counter.ViewModelEvents.Count(value=0)",
                "Counter.ViewModelEvents.Count(value=2)",
                "49",
                "64",
                "0",
            ],
        )

    @in_time
    async def test_kinds_that_the_types_dont_know_are_passed_over_and_what_is_wrong_is_told(self):
        view_models = self.load("view_models")

        def newer(json):
            if json.get("value") == 1:
                return view_models.Counter.read_view_model_event({"kind": "archived"})
            return view_models.Counter.read_view_model_event(json)

        async with connect(tcp=ADDRESS, readers={"counter": newer}) as client:
            counter = await client.open("counter")
            for _ in range(2):
                await counter.send(view_models.Counter.ViewEvents.Increment(by=1))
            self.assertEqual([event.value for event in counter.received()], [0, 2])
            again = await client.attach(counter.key)
            snapshot = await again.notifications().__aiter__().__anext__()
            self.assertIsInstance(snapshot, Snapshot)
            self.assertEqual([event.value for event in snapshot.events], [0, 2])

        async with connect(tcp=ADDRESS, readers={"counter": view_models.Todos.State.from_json}) as client:
            counter = await client.open("counter")
            with self.assertRaises(view_models.UnexpectedJSON) as wrong:
                await counter.__aiter__().__anext__()
            self.assertEqual(str(wrong.exception), "items: is missing")

    @unittest.skipUnless(shutil.which("mypy"), "mypy isn't installed")
    def test_the_type_checker_takes_the_client_with_the_types_and_refuses_what_is_wrong(self):
        self.folder.file("typed_program.py", PROGRAM)
        self.folder.file("wrong_program.py", WRONG)
        client = os.path.join(CLIENT_FOLDER, "view_model_client")
        options = ["--strict", "--no-pretty", "--no-error-summary", "--no-color-output"]
        options += ["--cache-dir", self.folder.file("cache"), client, "typed_program.py", "wrong_program.py"]

        def check(*more):
            return subprocess.run(["mypy", *more, *options], cwd=self.folder.path, capture_output=True, text=True)

        mypy = check("--python-version", "3.9")
        # 2 says that it doesn't take the options: newer ones know no Python that old, and check for their own.
        if mypy.returncode == 2:
            mypy = check()
        if mypy.returncode == 2:
            self.skipTest(f"this mypy is another than we know: {mypy.stderr or mypy.stdout}")
        errors = [line for line in mypy.stdout.splitlines() if ": error:" in line]
        self.assertEqual([line for line in errors if not line.startswith("wrong_program.py:")], [], mypy.stderr)
        refused = [number for number, line in enumerate(WRONG.split("\n"), 1) if line.endswith("# refused")]
        seen = sorted({int(line.split(":")[1]) for line in errors})
        self.assertEqual(seen, refused, mypy.stdout)
