import { button, el, newID, setText } from "../dom.js";
import { columns } from "./board-column.js";

/** A card of a board on a screen of its own. */
export function makeBoardCard(context) {
  const input = el("input", { type: "text", id: newID("title"), autocomplete: "off" });
  const save = el("button.primary", { type: "submit", disabled: true }, "Save title");
  const form = el("form.add", {}, input, save);
  const by = el("p.quiet-text", { role: "status" });
  const group = newID("column");
  const choices = columns.map(({ name, title }) => {
    const radio = el("input", { type: "radio", name: group, value: name });
    radio.addEventListener("change", () => move(name));
    return el("label", {}, radio, title);
  });
  const remove = button("Remove card", () => context.send({ kind: "remove" }, { mark: remove }), { kind: "danger" });
  let card = null;
  /** Whether a title is on its way to the board, which isn't answered. */
  let isSaving = false;

  async function move(to) {
    if (!(await context.send({ kind: "move", to }))) show();
  }

  function show() {
    for (const label of choices) label.firstChild.checked = label.firstChild.value === card?.column;
    if (card?.by) setText(by, `Changed last by ${card.by}`);
    context.setTitle(card?.title ?? "");
    showSave();
  }

  function showSave() {
    save.disabled = isSaving || input.value === card?.title;
  }

  input.addEventListener("input", showSave);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    isSaving = true;
    showSave();
    await context.send({ kind: "rename", title: input.value }, { mark: save });
    isSaving = false;
    showSave();
  });
  return {
    element: el(
      "div.details",
      {},
      el("div.field", {}, el("label", { for: input.id }, "Title"), form),
      el("fieldset.column-choice", {}, el("legend", {}, "Column"), choices),
      by,
      el("div.actions.spread.foot", {}, remove),
    ),
    words: ({ kind, to, title }) => {
      if (kind === "move") return `Move to ${columns.find(({ name }) => name === to)?.title ?? to}`;
      return kind === "rename" ? `Rename: ${title}` : undefined;
    },
    field: {
      kind: "rename",
      draft: () => (card && input.value !== card.title ? { kind: "rename", title: input.value } : null),
      restore: ({ title }) => {
        if (card && input.value !== card.title) return false;
        input.value = title;
        showSave();
        return true;
      },
    },
    onEvent: (event) => {
      if (event.kind !== "card") return;
      // A title that is being written stays.
      if (!card || input.value === card.title || isSaving) input.value = event.value.title;
      card = event.value;
      show();
    },
  };
}
