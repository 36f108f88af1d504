// Each line that says so is refused by the compiler, and no other.
import type { Client, EventOf, Orders } from "./view-models";

export async function run(client: Client): Promise<void> {
  const orders = await client.open("orders");
  await orders.send({ kind: "selectOrders", index: 2 }); // refused
  await orders.send({ kind: "selectOrder" }); // refused
  await orders.send({ kind: "selectOrder", index: "2" }); // refused
  await orders.send({ kind: "selectOrder", index: null }); // refused
  await orders.send({ kind: "selectOrder", index: 2, reason: "none" }); // refused
  await orders.send({ kind: "orders", count: 0 }); // refused
  orders.on("order", () => {}); // refused
  orders.on("orders", (event) => event.message); // refused
  for await (const event of orders.events) {
    if (event.kind === "order") return; // refused
    if (event.kind === "orders") event.rows?.[0].nam; // refused
    if (event.kind !== "failed") event.message; // refused
  }
  await client.open("order"); // refused
  await client.open("orderDetails"); // refused
  await client.open("orderDetails", { id: 1 }); // refused
  await client.open("orders", { cuont: 3 }); // refused
  await client.open("orders", { count: "3" }); // refused
  await client.open("todos", { count: 3 }); // refused
  const details = await client.attach<"orderDetails">(orders.navigation.stack[0].key);
  await details.send({ kind: "loadOrders" }); // refused
  await client.attach<"order">(orders.key); // refused
  orders.onNavigation((action) => action.kind); // refused
}

export function words(event: Orders.ViewModelEvent): string {
  switch (event.kind) {
    case "loading":
      return "loading";
    case "orders":
      return "orders";
    case "failed":
      return event.message;
    default: {
      const nothing: never = event; // refused
      return nothing;
    }
  }
}

export const order: Orders.Order = { id: 1 }; // refused
export const failed: EventOf<Orders.ViewModelEvent, "failed"> = { kind: "failed", message: null }; // refused
