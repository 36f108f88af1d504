import { button, el, setText } from "../dom.js";
import { VirtualList } from "../virtual-list.js";

export function makeOrders(context) {
  /** The client's list; null until the view is attached. */
  let orders = null;
  let hasLoaded = false;
  let isLoading = false;
  let ownLoading = null;
  /** The focus was on the button that is gone since: it goes to the one that comes. */
  let focusAfter = false;
  const cancelled = new Set();
  /** Indices of the rows that were chosen while the connection is lost. */
  const chosen = new Set();

  const list = new VirtualList(
    "Orders",
    (row, index) => {
      const order = orders.row(index);
      fillRow(row, order, cancelled.has(order?.id));
      row.toggleAttribute("data-waiting", chosen.has(index));
    },
    (index) => select(index),
  );
  const load = button("Load orders", () => startLoading(), { kind: "primary" });
  const summary = el("p.quiet-text", { role: "status" });
  const progress = el("progress", { "aria-label": "Loading orders", max: "100" });
  const progressText = el("span", { role: "status" });
  const cancel = button("Cancel", () => ownLoading?.abort(), {});
  const loading = el("div.loading", { hidden: true }, progressText, progress, cancel);
  const failure = el("div.failure", { role: "alert", hidden: true });
  const empty = el("p.empty", {});

  async function start() {
    orders = (await context.list("orders")) ?? null;
    if (orders) list.follow(orders, { willChange: show });
  }

  async function select(index) {
    chosen.add(index);
    list.refresh();
    await context.send({ kind: "selectOrder", index });
    chosen.delete(index);
    list.refresh();
  }

  async function startLoading() {
    if (ownLoading) return;
    const controller = new AbortController();
    ownLoading = controller;
    failure.hidden = true;
    setText(progressText, context.isAway() ? "Waits for the connection…" : "Loading orders…");
    progress.removeAttribute("value");
    const hadFocus = document.activeElement === load;
    show();
    if (hadFocus) cancel.focus();
    const { signal } = controller;
    const ended = await context.send({ kind: "loadOrders" }, { signal, onProgress: showProgress, mark: loading });
    focusAfter = document.activeElement === cancel;
    ownLoading = null;
    if (!ended && signal.aborted) context.announce("Loading was cancelled.");
    show();
  }

  function showProgress(value) {
    if (value.percentage !== undefined) progress.value = value.percentage;
    const text = value.message ?? value.title;
    if (text) setText(progressText, text);
  }

  function show() {
    const isBusy = isLoading || ownLoading !== null;
    // A loading may begin at the view model when it is cancelled here already.
    if (isBusy && document.activeElement === load) focusAfter = true;
    loading.hidden = !isBusy;
    // Only who began it can cancel it.
    cancel.hidden = ownLoading === null;
    load.disabled = isBusy;
    // Trying again is offered beside the failure.
    load.hidden = (isBusy && !hasLoaded) || !failure.hidden;
    load.className = hasLoaded ? "" : "primary";
    setText(load, hasLoaded ? "Load again" : "Load orders");
    element.classList.toggle("is-new", !hasLoaded);
    const count = orders?.count ?? 0;
    list.element.hidden = count === 0;
    empty.hidden = count > 0 || isBusy || !failure.hidden;
    setText(empty, hasLoaded ? "There are no orders." : "Nothing is loaded yet.");
    const gone = cancelled.size ? `, ${cancelled.size.toLocaleString("en")} cancelled` : "";
    summary.hidden = count === 0;
    setText(summary, count ? `${count.toLocaleString("en")} ${count === 1 ? "order" : "orders"}${gone}` : "");
    // A loading that was cancelled here goes on until the view model says that it doesn't.
    if (focusAfter && !isBusy) {
      focusAfter = false;
      if ([cancel, document.body].includes(document.activeElement)) (failure.querySelector("button") ?? load).focus();
    }
  }

  function showFailure(message) {
    failure.replaceChildren(
      el("span", {}, `The orders couldn't be loaded: ${message}.`),
      button("Try again", () => startLoading()),
    );
    failure.hidden = false;
  }

  const handlers = {
    loading: ({ value }) => {
      if (value) {
        failure.hidden = true;
        setText(progressText, "Loading orders…");
        if (!ownLoading) progress.removeAttribute("value");
      }
      isLoading = value;
    },
    orders: ({ count }) => {
      // A snapshot that was made before anything was loaded holds an empty list.
      hasLoaded ||= count > 0 || ownLoading !== null || isLoading;
      failure.hidden = true;
    },
    failed: ({ message }) => showFailure(message),
    cancelled: ({ id }) => {
      cancelled.add(id);
      list.refresh();
    },
  };

  const head = el("div.actions.spread", {}, summary, load);
  const element = el("div.orders", {}, head, loading, failure, list.failure, empty, list.element);
  start();
  show();
  return {
    element,
    onEvent: (event) => {
      handlers[event.kind]?.(event);
      show();
    },
    // Its place in the list stays: most often the same orders come again.
    reset: () => {
      cancelled.clear();
      isLoading = false;
      failure.hidden = true;
    },
    shown: () => list.shown(),
    words: ({ kind, index }) => {
      return kind === "selectOrder" ? `Show ${orders?.row(index)?.name ?? `order ${index}`}` : undefined;
    },
  };
}

function fillRow(row, order, isCancelled) {
  row.classList.toggle("is-coming", !order);
  row.classList.toggle("is-cancelled", isCancelled);
  row.setAttribute("aria-busy", !order);
  row.replaceChildren(
    el("span.name", {}, order?.name ?? "…"),
    isCancelled ? el("span.chip.bad", {}, "Cancelled") : "",
    el("span.chevron", { "aria-hidden": "true" }, "›"),
  );
}
