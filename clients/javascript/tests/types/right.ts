// A program with the client's types and those that the server writes; all of it is right.
import { connect, View, ViewModelError } from "./view-model-client.js";
import type { Client as TypedClient, Orders, ViewModels } from "./view-models";

export async function typed(): Promise<Orders.ViewModelEvent[]> {
  const client = await connect<ViewModels>({ tcp: "127.0.0.1:7351" }, { reconnect: { maxDelay: 5_000 } });
  const generated: TypedClient = client;
  await generated.open("counter");

  const orders = await client.open("orders", { count: 3 });
  orders.on("orders", (event, { more }) => event.value[0].name.length + (more ? 1 : 0));
  orders.on("*", (event) => event.kind);
  orders.onSnapshot((events, { navigation }) => events.length + navigation.stack.length);
  orders.onNavigation(async (navigation) => {
    if (navigation.action !== "push") return;
    const details = await client.attach<"orderDetails">(navigation.key);
    details.on("title", (event) => event.value.length);
    await details.send({ kind: "editNote", value: navigation.viewModel });
    await details.back();
  });
  const controller = new AbortController();
  try {
    await orders.send({ kind: "loadOrders" }, { signal: controller.signal, onProgress: (value) => value.message });
  } catch (error) {
    if (error instanceof ViewModelError && error.data?.refused) controller.abort();
  }
  const { signal } = controller;
  await client.open("counter", undefined, { signal });
  await client.open("orders", { count: 3 }, { signal });
  await client.attach<"orderDetails">("key", { since: 1, signal });
  await client.describe("orders", { signal });
  orders.onDelivery(({ state, event, isSent }) => state === "dropped" && event.kind === "selectOrder" && isSent);
  orders.onAttached((isAttached) => isAttached === orders.isAttached);
  const lost: Orders.ViewEvent[] = [...orders.dropped, ...orders.pending].map(({ event }) => event);
  const skipped: number = orders.events[Symbol.asyncIterator]().skipped + lost.length;
  controller.abort(skipped);
  const events: Orders.ViewModelEvent[] = [];
  for await (const event of orders.events) events.push(event);
  return events;
}

export async function untyped(): Promise<void> {
  const client = await connect(
    { webSocket: "ws://127.0.0.1:7351/ws" },
    { listeners: { state: (state, { at }) => `${state} ${at?.toFixed()}`, error: (error) => error.message } },
  );
  const generated: TypedClient = client;
  await generated.close();
  const view: View = await client.open("anything", { some: 1 });
  view.on("kind", (event, details) => [event.value, details.seq]);
  view.onAny((event) => event.kind);
  await view.send({ kind: "x", y: 1 });
  const { viewEvent } = await client.describe(view.viewModel);
  client.on("message", ({ direction, message, at }) => [direction, message, at, viewEvent]);
}
