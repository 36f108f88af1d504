"""Follows a push, with the client of the project and the types of its server."""

from __future__ import annotations

import asyncio
import sys

from view_model_client import connect
from view_models import VIEW_MODEL_EVENTS, Client, OrderDetails, Orders


async def main() -> None:
    async with connect(command=sys.argv[1:], readers=VIEW_MODEL_EVENTS) as connection:
        client: Client = connection
        async with await client.open("orders", Orders.Arguments(count=3, delay=0)) as orders:
            await orders.send(Orders.ViewEvents.LoadOrders())
            await orders.send(Orders.ViewEvents.SelectOrder(index=1))
            for child in orders.stack:
                print("pushed", child.view_model)
                async with OrderDetails.view(await client.attach(child.key)) as details:
                    await details.send(OrderDetails.ViewEvents.EditNote("Fragile"))
                    for event in details.received():
                        if event.kind == "title":
                            print(event.value)
                        elif event.kind == "note" and not event.isSaved:
                            print(event.value)
            print(len(orders.pending), len(orders.sent), len(orders.dropped))


asyncio.run(main())
