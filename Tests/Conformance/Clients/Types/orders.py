"""What a program with the types of `view_models.py` looks like; all of it is right."""

from __future__ import annotations

from typing import Any, List, NoReturn

from view_models import Client, Counter, OrderDetails, Orders, Todos, View


async def run(client: Client) -> List[str]:
    lines: List[str] = []
    orders = await client.open("orders", Orders.Arguments(count=3))
    await orders.send(Orders.ViewEvents.LoadOrders())
    await orders.send(Orders.ViewEvents.SelectOrder(index=2))
    async for event in orders:
        lines.append(words(event))
        lines.append(words_by_class(event))
    await orders.end_session()

    counter: View[Counter.ViewEvent, Counter.ViewModelEvent] = await client.open("counter")
    await counter.send(Counter.ViewEvents.Increment(by=-1))
    todos = await client.open("todos")
    await todos.send(Todos.ViewEvents.Add("Write it down"))
    await client.open("orderDetails", OrderDetails.Order(id=1, name="Order #1"))
    await client.close()
    return lines


async def follow(client: Client) -> List[str]:
    """An order that is pushed is shown, and left again."""
    lines: List[str] = []
    async with await client.open("orders", Orders.Arguments(count=3)) as orders:
        await orders.send(Orders.ViewEvents.LoadOrders())
        await orders.send(Orders.ViewEvents.SelectOrder(index=2))
        for child in orders.stack:
            if child.view_model != "orderDetails":
                continue
            async with OrderDetails.view(await client.attach(child.key)) as details:
                await details.send(OrderDetails.ViewEvents.EditNote("Fragile"))
                lines += [event.value for event in details.received() if event.kind == "title"]
                await details.back()
        lines += [repr(orders.pending), repr(orders.sent), repr(orders.dropped), str(orders.seq), orders.key]
        if orders.presented is not None:
            lines.append(orders.presented.view_model)
    return lines


def nothing_else(event: NoReturn) -> NoReturn:
    raise AssertionError(event)


def words(event: Orders.ViewModelEvent) -> str:
    """Each kind has its case: with one more, or one less, the last line is an error."""
    if event.kind == "loading":
        return "loading" if event.value else "loaded"
    elif event.kind == "orders":
        return ", ".join(order.name.strip() for order in event.rows or [])
    elif event.kind == "failed":
        return event.message
    elif event.kind == "cancelled":
        return f"cancelled {event.id + 0}"
    else:
        nothing_else(event)


def words_by_class(event: Orders.ViewModelEvent) -> str:
    if isinstance(event, Orders.ViewModelEvents.Orders):
        return str(event.count + 0)
    if isinstance(event, (Orders.ViewModelEvents.Loading, Orders.ViewModelEvents.Cancelled)):
        return event.kind
    if isinstance(event, Orders.ViewModelEvents.Failed):
        return event.message
    nothing_else(event)


class Plain:
    """A client that knows nothing of these types is one with them."""

    async def open(self, view_model: str, arguments: Any = None) -> Any:
        return (view_model, arguments)

    async def attach(self, key: str) -> Any:
        return key

    async def close(self) -> None:
        pass


client: Client = Plain()
