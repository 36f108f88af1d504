// Shows a view model with a list in the generic view, over a server in the page, which `window.fake` plays.
const done = arguments[0];

const contract = {
  name: "finder",
  arguments: { type: "object" },
  viewEvent: {
    oneOf: [
      variant("open", { index: { type: "integer" } }),
      variant("remove", { id: { type: ["string", "null"] }, really: { type: "boolean" } }, ["really"]),
      variant("stop", {}),
    ],
  },
  viewModelEvent: {},
  lists: {
    results: { row: { $ref: "#/$defs/Result" }, id: "id" },
    words: { row: { type: "string" } },
  },
  $defs: {
    Result: {
      type: "object",
      properties: {
        id: { type: "string" },
        title: { type: "string" },
        size: { anyOf: [{ type: "integer" }, { type: "null" }] },
        place: { type: "object", properties: { shelf: { type: "integer" } } },
      },
    },
  },
};

function variant(kind, properties, required = Object.keys(properties)) {
  return { type: "object", required: ["kind", ...required], properties: { kind: { const: kind }, ...properties } };
}

function resultOf(number) {
  return { id: `id-${number}`, title: `Result ${number}`, size: number % 3 ? number : undefined, place: { shelf: number % 7 } };
}

/** The server's side. */
class Fake {
  rows = [];
  /** Events that the page sent. */
  sent = [];
  /** Those that came, in words. */
  requests = [];
  /** Requests for rows wait until it is false. */
  isHolding = false;
  isFailing = false;
  announced = "";
  #seq = 0;
  #held = [];
  #handlers;

  get transport() {
    return (handlers) => {
      this.#handlers = handlers;
      handlers.opened();
      const end = () => handlers.closed(new Error("closed"));
      return { send: (text) => queueMicrotask(() => this.#take(JSON.parse(text))), end, abort: end };
    };
  }

  #take({ id, method, params }) {
    if (method === "initialize") this.#answer(id, { capabilities: {}, limits: {} });
    if (method === "session/open") this.#answer(id, { session: 1, key: "key", viewModel: "finder" });
    if (method === "view/event") {
      this.sent.push(params.event);
      this.#answer(id, { seq: this.#seq });
    }
    if (method !== "session/rows") return;
    if (this.isFailing) return this.#write({ id, error: { code: -32014, message: "the disk is gone" } });
    this.requests.push(`${params.first}+${params.count}`);
    this.#held.push({ id, params });
    if (!this.isHolding) this.release();
  }

  #answer(id, result) {
    this.#write({ id, result });
  }

  #write(message) {
    this.#handlers.received(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  tell(event) {
    const params = { session: 1, seq: ++this.#seq, event };
    this.#write({ method: "viewModel/event", params });
  }

  release() {
    this.isHolding = false;
    for (const { id, params: { first, count } } of this.#held.splice(0)) {
      this.#answer(id, { seq: this.#seq, count: this.rows.length, first, rows: this.rows.slice(first, first + count) });
    }
  }

  reset(rows) {
    this.rows = rows;
    this.tell({ kind: "results", count: rows.length });
  }

  edit(at, removed, ...rows) {
    this.rows.splice(at, removed, ...rows);
    this.tell({ kind: "results", count: this.rows.length, changes: [{ at, removed, inserted: rows.length }] });
  }
}

async function main() {
  const { connect } = await import("./view-model-client.js");
  const { makeGenericView } = await import("./generic-view.js");
  const fake = new Fake();
  const client = await connect({ transport: fake.transport });
  const view = await client.open("finder");
  const context = {
    contract: Promise.resolve(contract),
    send: async (event) => (await view.send(event), true),
    isAway: () => false,
    announce: (text) => (fake.announced = text),
    list: async (name, options) => view.list(name, options),
  };
  const shown = makeGenericView(context, { newest: [], lines: [] });
  view.on("*", (event, { seq }) => shown.onEvent(event, { kind: event.kind, text: "", seq }));
  document.getElementById("main").replaceChildren(shown.element);
  fake.resultOf = resultOf;
  fake.reset(Array.from({ length: 100_000 }, (_, number) => resultOf(number)));
  fake.tell({ kind: "words", count: 2, first: 0, rows: ["one", "two"] });
  window.fake = fake;
}

main().then(() => done("shown"), (error) => done(String(error.stack)));
