import { button, el, setText } from "../dom.js";

export function makeTodos(context) {
  const question = "What is to be done?";
  const input = el("input", { type: "text", "aria-label": question, placeholder: question, autocomplete: "off" });
  const list = el("ul.todos", { "aria-label": "Things to do" });
  const remaining = el("p.quiet-text", { role: "status" });
  // Shown while the connection is lost: what was added, and isn't on the server's list yet.
  const waiting = el("ul.todos.only-away", { "aria-label": "Things that wait to be added" });
  const removeDone = button("Remove done", () => context.send({ kind: "removeDone" }, { mark: removeDone }), {
    kind: "quiet",
    disabled: true,
  });
  const form = el("form.add", {}, input, el("button.primary", { type: "submit" }, "Add"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const title = input.value;
    input.value = "";
    input.focus();
    const row = el("li.waiting", {}, el("span", {}, title), el("span.chip", {}, "waits"));
    waiting.append(row);
    const isDone = await context.send({ kind: "add", title });
    row.remove();
    // A title that was refused or taken back is in the field again, unless another one was begun.
    if (!isDone) restore({ title });
  });
  const restore = ({ title }) => {
    if (input.value !== "") return false;
    input.value = title;
    input.focus();
    return true;
  };
  const titles = new Map();
  const show = ({ items, remaining: left }) => {
    for (const { id, title } of items) titles.set(id, title);
    const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
    const rows = items.map((item) => fill(old.get(String(item.id)) ?? makeItem(item, context), item));
    for (const row of old.values()) if (!rows.includes(row)) row.remove();
    rows.forEach((row, index) => {
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    setText(remaining, items.length === 0 ? "Nothing to do." : left === 0 ? "All done." : `${left} to do`);
    removeDone.disabled = left === items.length;
  };
  return {
    element: el("div", {}, form, list, waiting, el("div.actions.spread", {}, remaining, removeDone)),
    reset: () => show({ items: [], remaining: 0 }),
    words: ({ kind, id }) => (kind === "toggle" ? `Toggle: ${titles.get(id) ?? id}` : undefined),
    field: { kind: "add", draft: () => (input.value.trim() ? { kind: "add", title: input.value } : null), restore },
    onEvent: (event) => {
      if (event.kind === "changed") show(event.value);
    },
  };
}

function makeItem({ id }, context) {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", async () => {
    if (!(await context.send({ kind: "toggle", id }, { mark: row }))) box.checked = !box.checked;
  });
  const row = el("li", {}, el("label", {}, box, el("span")));
  row.dataset.id = id;
  return row;
}

function fill(row, item) {
  row.querySelector("input").checked = item.isDone;
  setText(row.querySelector("span"), item.title);
  row.classList.toggle("done", item.isDone);
  return row;
}
