// What a program with the types of `view-models.d.ts` looks like; all of it is right.
import type { Client, Counter, EventOf, Openable, Orders, View, ViewModels } from "./view-models";

export async function run(client: Client): Promise<string[]> {
  const lines: string[] = [];
  const orders = await client.open("orders", { count: 3, delay: null });
  const stop = orders.on("orders", (event) => {
    for (const order of event.rows ?? []) lines.push(`${order.id + 1}: ${order.name.trim()}`);
  });
  await orders.send({ kind: "loadOrders" });
  await orders.send({ kind: "selectOrder", index: 2 });
  for await (const event of orders.events) lines.push(words(event));
  stop();
  await orders.endSession();

  const counter: View<"counter"> = await client.open("counter");
  counter.on("rows", ({ value }) => value.map((row: Counter.Row) => row.total.toFixed(2)));
  await (await client.open("counter", {})).send({ kind: "increment", by: -1 });
  await (await client.open("todos", {})).send({ kind: "add", title: "Write it down" });
  await client.open("orderDetails", { id: 1, name: "Order #1" });
  await client.close();
  return lines;
}

// An order that is pushed is shown, and left again.
export async function follow(client: Client): Promise<string[]> {
  const lines: string[] = [];
  const orders = await client.open("orders", { count: 3 });
  const stop = orders.onNavigation((action) => {
    lines.push(action.action === "push" ? action.viewModel : action.key);
  });
  await orders.send({ kind: "selectOrder", index: 2 });
  for (const child of orders.navigation.stack) {
    if (child.viewModel !== "orderDetails") continue;
    const details = await client.attach<"orderDetails">(child.key);
    details.on("title", ({ value }) => lines.push(value.trim()));
    await details.send({ kind: "editNote", value: "Fragile" });
    await details.back();
  }
  lines.push(orders.key, `${orders.seq}, ${orders.pending.length}`, ...orders.dropped.map(({ event }) => event.kind));
  stop();
  return lines;
}

// Each kind has its case: with one more, or one less, the last line is an error.
function words(event: Orders.ViewModelEvent): string {
  switch (event.kind) {
    case "loading":
      return event.value ? "loading" : "loaded";
    case "orders":
      return `${event.count.toFixed()} orders`;
    case "failed":
      return event.message;
    case "cancelled":
      return `cancelled ${event.id.toFixed()}`;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}

export const names: Openable[] = ["orders", "hello"];
export const failed: EventOf<Orders.ViewModelEvent, "failed"> = { kind: "failed", message: "no" };
export type Lap = ViewModels["stopwatch"]["viewEvent"];

// A client that knows nothing of these types is one with them.
declare const plain: { open(viewModel: string, given?: object): Promise<any>; close(): Promise<void>; attach(key: string): Promise<any> };
export const client: Client = plain;
