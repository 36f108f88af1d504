import { button, el, newID, setText } from "../dom.js";
import { BoardColumn, columns } from "./board-column.js";

/** One's own screen of a board. A card that is chosen is shown on a screen of its own. */
export function makeBoardScreen(context) {
  const newsOf = ({ kind, value }) => (kind === "news" ? value : undefined);
  return makeColumns(context, newsOf, (column) => (card, index) => context.send({ kind: "open", column, index }));
}

const states = { toDo: "to do", doing: "being done", done: "done" };

/** The board itself. A card that is chosen is renamed in place. */
export function makeBoard(context) {
  const newsOf = ({ kind, value }) => {
    const by = value?.by ? `${value.by}: ` : "";
    if (kind === "card") return `${by}${value.title} is ${states[value.column] ?? value.column}`;
    return kind === "removed" ? `${by}${value.title} is off the board` : undefined;
  };
  const { element, show } = makeRenaming(context);
  const view = makeColumns(context, newsOf, () => show);
  view.element.querySelector(".board").before(element);
  return view;
}

/**
 * @param {(event: object) => string | undefined} newsOf an event in words, where it is news
 * @param {(column: string) => (card: object, index: number) => void} chooserIn what is done with a card that is chosen
 */
function makeColumns(context, newsOf, chooserIn) {
  const shown = columns.map(
    ({ name }, index) => new BoardColumn(index, { choose: chooserIn(name), send: (event) => context.send(event) }),
  );
  const question = "What is to be done?";
  const input = el("input", { type: "text", "aria-label": question, placeholder: question, autocomplete: "off" });
  const form = el("form.add", {}, input, el("button.primary", { type: "submit" }, "Add"));
  // Shown while the connection is lost: what was added, and isn't on the server's board yet.
  const waiting = el("ul.todos.only-away", { "aria-label": "Cards that wait to be added" });
  const here = el("p.quiet-text", { "data-part": "here", hidden: true });
  const news = el("p.quiet-text", { role: "status", "data-part": "news" });
  const restore = ({ title }) => {
    if (input.value !== "") return false;
    input.value = title;
    input.focus();
    return true;
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const title = input.value;
    input.value = "";
    input.focus();
    const card = el("li.waiting", {}, el("span", {}, title), el("span.chip", {}, "waits"));
    waiting.append(card);
    const isDone = await context.send({ kind: "add", title });
    card.remove();
    // A title that was refused or taken back is in the field again, unless another one was begun.
    if (!isDone) restore({ title });
  });
  for (const [index, { name }] of columns.entries()) {
    context.list(name).then((list) => list && shown[index].show(list));
  }
  const showHere = (names) => {
    here.hidden = names.length === 0;
    setText(here, `On the board: ${names.join(", ")}`);
  };
  return {
    element: el(
      "div.board-view",
      {},
      form,
      waiting,
      here,
      el("div.board", {}, shown.map(({ element }) => element)),
      news,
    ),
    reset: () => {
      showHere([]);
      setText(news, "");
    },
    shown: () => shown.forEach((column) => column.shown()),
    words: ({ kind, id, title, to }) => wordsOf(shown, kind, id, title, to),
    field: { kind: "add", draft: () => (input.value.trim() ? { kind: "add", title: input.value } : null), restore },
    onEvent: (event) => {
      if (event.kind === "here") showHere(event.value);
      const text = newsOf(event);
      if (text !== undefined) setText(news, text);
    },
  };
}

function wordsOf(shown, kind, id, title, to) {
  const card = () => shown.map((column) => column.titleOf(id)).find((one) => one !== undefined) ?? `card ${id}`;
  if (kind === "move") return `Move to ${columns.find(({ name }) => name === to)?.title ?? to}: ${card()}`;
  if (kind === "remove") return `Remove: ${card()}`;
  return kind === "rename" ? `Rename: ${title}` : undefined;
}

/** A form for the title of a card, which is hidden until one is chosen. */
function makeRenaming(context) {
  const input = el("input", { type: "text", id: newID("title"), autocomplete: "off" });
  const save = el("button.primary", { type: "submit" }, "Save");
  const element = el(
    "form.rename",
    { hidden: true },
    el("label", { for: input.id }, "Title"),
    input,
    save,
    button("Cancel", () => hide()),
  );
  let id = null;
  let focusBefore = null;
  const hide = () => {
    element.hidden = true;
    focusBefore?.focus();
  };
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const title = input.value;
    if (await context.send({ kind: "rename", id, title }, { mark: save })) hide();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    // Escape leaves the session elsewhere.
    event.stopPropagation();
    hide();
  });
  const show = (card) => {
    focusBefore = document.activeElement;
    id = card.id;
    input.value = card.title;
    element.hidden = false;
    input.select();
    input.focus();
  };
  return { element, show };
}
