import { button, el, setText } from "../dom.js";

export function makeCounter(context) {
  const count = el("output.big-number", { "aria-live": "polite", "aria-label": "Count" }, "…");
  const step = el("input", { type: "number", value: "1", step: "1", id: "counter-step", inputmode: "numeric" });
  const body = el("tbody");
  const names = ["Order", "Status", "Total"].map((name) => el("th", { scope: "col" }, name));
  const table = el(
    "div.table-scroller",
    { hidden: true, tabindex: "0", role: "region", "aria-label": "Rows" },
    el("table", {}, el("thead", {}, el("tr", {}, names)), body),
  );
  const add = (sign, mark) => {
    const by = Math.trunc(Number(step.value));
    if (!Number.isSafeInteger(by)) return context.notice("The step must be a whole number below 2⁵³.");
    context.send({ kind: "increment", by: sign * by }, { mark });
  };
  const decrease = button("−", () => add(-1, decrease), { kind: "round", "aria-label": "Decrease" });
  const increase = button("+", () => add(1, increase), { kind: "round", "aria-label": "Increase" });
  const reset = button("Reset", () => context.send({ kind: "reset" }, { mark: reset }));
  const load = button("Load rows", () => context.send({ kind: "load" }, { mark: load }));
  return {
    element: el(
      "div",
      {},
      el(
        "div.stage",
        {},
        el("div.counter", {}, decrease, count, increase),
        el("div.actions", {}, el("label.inline", { for: "counter-step" }, "Step"), step, reset, load),
      ),
      table,
    ),
    reset: () => {
      setText(count, "…");
      table.hidden = true;
    },
    onEvent: (event) => {
      if (event.kind === "count") setText(count, shown(event.value));
      if (event.kind === "rows") {
        body.replaceChildren(...event.value.map(makeRow));
        table.hidden = false;
        context.announce(`${event.value.length} rows`);
      }
    },
  };
}

/** JavaScript's numbers are exact up to 2^53 only. */
function shown(count) {
  return `${Number.isSafeInteger(count) ? "" : "≈ "}${count.toLocaleString("en")}`;
}

function makeRow({ name, status, total }) {
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, status), el("td.number", {}, total.toFixed(2)));
}
