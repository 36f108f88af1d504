import { button, el, setText } from "../dom.js";
import { buttonRows, VirtualList } from "../virtual-list.js";

/** The columns of a board, from left to right. */
export const columns = [
  { name: "toDo", title: "To do" },
  { name: "doing", title: "Doing" },
  { name: "done", title: "Done" },
];

/** What is dragged from one column to another: {card, from}; null while nothing is. */
let dragged = null;

/**
 * A column of a board: its cards, of which each can be chosen, dragged to another column, moved there by a button, and removed.
 */
export class BoardColumn {
  element;
  #index;
  #user;
  #list = null;
  #rows;
  #count = el("span.quiet-text");
  /** The titles of cards whose events aren't answered, by their ids. */
  #waiting = new Map();

  /**
   * @param {number} index of the column in `columns`
   * @param {{ choose: (card: object, index: number) => void, send: (event: object) => Promise<boolean> }} user
   */
  constructor(index, user) {
    this.#index = index;
    this.#user = user;
    const { name, title } = columns[index];
    this.#rows = new VirtualList(
      title,
      (target, index, row) => this.#fill(target, index, row),
      (index) => {
        const card = this.#list?.row(index);
        if (card) this.#user.choose(card, index);
      },
      { kind: { ...buttonRows, height: 3.5, makeRow: () => this.#makeRow(), mark: markRow } },
    );
    this.element = el(
      "section.board-column",
      { "data-column": name, "aria-label": title },
      el("div.title", {}, el("h2", {}, title), this.#count),
      this.#rows.failure,
      this.#rows.element,
    );
    this.#takeDrops();
  }

  /** @param list the list object of the client */
  show(list) {
    this.#list = list;
    this.#rows.follow(list, { willChange: () => setText(this.#count, list.count.toLocaleString("en")) });
  }

  shown() {
    this.#rows.shown();
  }

  /** The title of a card of which an event isn't answered. */
  titleOf(id) {
    return this.#waiting.get(id);
  }

  async #send({ id, title }, event) {
    this.#waiting.set(id, title);
    this.#rows.refresh();
    await this.#user.send({ ...event, id });
    this.#waiting.delete(id);
    this.#rows.refresh();
  }

  move(card, to) {
    return this.#send(card, { kind: "move", to });
  }

  #makeRow() {
    const row = el("li.board-card", {}, el("button.row", { type: "button" }));
    const act = (label, does, step) => {
      const one = button(label, (event) => {
        // A click on the card itself chooses it.
        event.stopPropagation();
        const card = this.#list?.row(Number(row.dataset.index));
        if (card) does(card);
      });
      one.dataset.step = step;
      return one;
    };
    const acts = [-1, 1]
      .filter((step) => columns[this.#index + step])
      .map((step) => act(step < 0 ? "←" : "→", (card) => this.move(card, columns[this.#index + step].name), step));
    acts.push(act("×", (card) => this.#send(card, { kind: "remove" }), 0));
    row.append(el("span.acts", {}, acts));
    row.style.setProperty("--acts", acts.length);
    row.addEventListener("dragstart", (event) => this.#startDrag(event, row));
    row.addEventListener("dragend", () => {
      dragged = null;
    });
    return row;
  }

  #fill(target, index, row) {
    const card = this.#list.row(index);
    target.classList.toggle("is-coming", !card);
    target.setAttribute("aria-busy", !card);
    target.toggleAttribute("data-waiting", this.#waiting.has(card?.id));
    row.setAttribute("draggable", card !== undefined);
    const title = card?.title ?? "…";
    target.replaceChildren(
      el("span.name", { title: title.length > 20 && title }, title),
      card?.by ? el("small", {}, card.by) : "",
    );
    for (const one of row.lastChild.children) {
      const step = Number(one.dataset.step);
      const label = step === 0 ? `Remove ${title}` : `Move ${title} to ${columns[this.#index + step].title}`;
      one.setAttribute("aria-label", label);
      one.title = label;
    }
  }

  #startDrag(event, row) {
    const card = this.#list?.row(Number(row.dataset.index));
    if (!card) return event.preventDefault();
    dragged = { card, from: this };
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.title);
  }

  #takeDrops() {
    const { element } = this;
    const takes = () => dragged !== null && dragged.from !== this;
    element.addEventListener("dragover", (event) => {
      if (!takes()) return;
      event.preventDefault();
      element.classList.add("is-target");
    });
    element.addEventListener("dragleave", ({ relatedTarget }) => {
      if (!element.contains(relatedTarget)) element.classList.remove("is-target");
    });
    element.addEventListener("drop", (event) => {
      element.classList.remove("is-target");
      if (!takes()) return;
      event.preventDefault();
      const { card, from } = dragged;
      dragged = null;
      from.move(card, columns[this.#index].name);
    });
  }
}

/** Of all rows, only the controls of the active one are in the tab order. */
function markRow(target, isActive) {
  for (const one of [target, ...target.nextSibling.children]) one.setAttribute("tabindex", isActive ? "0" : "-1");
}
