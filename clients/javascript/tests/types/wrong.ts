// Every line that is marked is wrong, and no other.
import { connect } from "./view-model-client.js";
import type { Finder } from "./right.js";
import type { ViewModels } from "./view-models";

export async function wrong() {
  await connect({ port: 7351 }); // error
  const client = await connect<ViewModels>({ tcp: "127.0.0.1:7351" });
  client.on("stat", () => {}); // error
  await client.open("nothing"); // error
  await client.open("orders", { count: "3" }); // error
  await client.open("orderDetails"); // error
  const orders = await client.open("orders");
  await orders.send({ kind: "load" }); // error
  orders.onDelivery(({ state }) => state === "lost"); // error
  await client.open("orders", { signal: new AbortController().signal }); // error
  await orders.send({ kind: "selectOrder" }); // error
  orders.on("titel", () => {}); // error
  orders.on("orders", (event) => event.value); // error
  const finder = await (await connect<{ finder: Finder }>({ tcp: "127.0.0.1:7351" })).open("finder");
  finder.list("state"); // error
  orders.list("loading"); // error
  finder.list("results").row(0)?.title; // error
}
