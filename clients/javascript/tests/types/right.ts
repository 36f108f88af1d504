// A program with the client's types and those that the server writes; all of it is right.
import { connect, indexAfter, View, ViewModelError } from "./view-model-client.js";
import type { Client as TypedClient, Orders, ViewModels } from "./view-models";

export async function typed(): Promise<Orders.ViewModelEvent[]> {
  const client = await connect<ViewModels>({ tcp: "127.0.0.1:7351" }, { reconnect: { maxDelay: 5_000 } });
  const generated: TypedClient = client;
  await generated.open("counter");
  const scopes: ("person" | "everyone" | undefined)[] = client.viewModels.map(({ scope }) => scope);
  scopes.push(client.scopeOf("counter"));

  const orders = await client.open("orders", { count: 3 });
  orders.on("failed", (event, { more }) => event.message.length + (more ? 1 : 0));
  orders.on("orders", ({ count }) => orders.list("orders").row(count - 1)?.name.length);
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

interface Row {
  id: number;
  text: string;
}

export interface Finder {
  arguments: {};
  viewEvent: { kind: "search"; text: string };
  viewModelEvent: { kind: "state"; value: string } | { kind: "results"; count: number };
  lists: { results: Row };
  scope: "person";
}

export async function lists(): Promise<Row[]> {
  const client = await connect<{ finder: Finder }>({ tcp: "127.0.0.1:7351" });
  const finder = await client.open("finder");
  const results = finder.list("results", { id: "id" });
  const place = results.anchor(3);
  const stop = results.on("change", ({ edits, count }) => place.moveTo(indexAfter(edits, place.index) ?? count));
  results.on("error", (error) => error.message);
  results.show(0, 30);
  results.select(results.row(0)?.text ? 0 : null);
  const found: Row[] = [];
  for await (const row of results) found.push(row);
  for await (const row of results.all({ pageSize: 10, signal: new AbortController().signal })) found.push(row);
  stop();
  return found.slice(results.selected ?? 0);
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
  view.list("anything", { id: null }).row(3).anything.at(3);
  const { viewEvent } = await client.describe(view.viewModel);
  client.on("message", ({ direction, message, at }) => [direction, message, at, viewEvent]);
}
