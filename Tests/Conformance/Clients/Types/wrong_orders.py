"""Each line that says so is refused by the type checker, and no other."""

from __future__ import annotations

from typing import NoReturn

from view_models import Client, Counter, OrderDetails, Orders, Todos


async def run(client: Client) -> None:
    orders = await client.open("orders")
    await orders.send(Orders.ViewEvents.SelectOrders(index=2))  # refused
    await orders.send(Orders.ViewEvents.SelectOrder())  # refused
    await orders.send(Orders.ViewEvents.SelectOrder(index="2"))  # refused
    await orders.send(Orders.ViewEvents.SelectOrder(index=None))  # refused
    await orders.send(Orders.ViewEvents.SelectOrder(index=2, reason="none"))  # refused
    await orders.send(Orders.ViewModelEvents.Loading(True))  # refused
    await orders.send(Todos.ViewEvents.RemoveDone())  # refused
    await orders.send({"kind": "loadOrders"})  # refused
    async for event in orders:
        if event.kind == "order":  # refused
            return
        if event.kind == "orders":
            event.rows and event.rows[0].nam  # refused
        else:
            event.message  # refused
    await client.open("order")  # refused
    await client.open("orderDetails")  # refused
    await client.open("orderDetails", OrderDetails.Order(id=1))  # refused
    await client.open("orders", Orders.Arguments(cuont=3))  # refused
    await client.open("orders", Orders.Arguments(count="3"))  # refused
    await client.open("orders", Counter.Arguments())  # refused
    await client.open("todos", Counter.Arguments())  # refused
    details = OrderDetails.view(await client.attach(orders.stack[0].key))
    await details.send(Orders.ViewEvents.LoadOrders())  # refused
    details.stack[0].viewModel  # refused
    details.stack = ()  # refused


def nothing_else(event: NoReturn) -> NoReturn:
    raise AssertionError(event)


def words(event: Orders.ViewModelEvent) -> str:
    if event.kind == "loading":
        return "loading"
    elif event.kind == "orders":
        return "orders"
    elif event.kind == "failed":
        return event.message
    else:
        nothing_else(event)  # refused


order = Orders.Order(id=1)  # refused
order.id = 2  # refused
