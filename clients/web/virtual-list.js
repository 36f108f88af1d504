import { button, el, sentence, setText } from "./dom.js";
import { indexAfter } from "./view-model-client.js";

const overscan = 6;

/** Browsers lay out nothing that is much taller, in pixels. What is taller yet is scrolled through in larger steps. */
const tallest = 8_000_000;

/** Marks what has the focus when the list has it: the one that is in the tab order. */
export function markInTabOrder(target, isActive) {
  target.setAttribute("tabindex", isActive ? "0" : "-1");
}

/**
 * What the rows of a list are made of. `target` is what is clicked and has the focus, `mark` tells it from the others
 * where it is active; heights are in rem.
 *
 * The rows of this one are buttons.
 */
export const buttonRows = {
  height: 3.25,
  makeList: (label) => el("ul.rows", { role: "list", "aria-label": label }),
  makeRow: () => el("li", {}, el("button.row", { type: "button" })),
  target: (row) => row.firstChild,
  place(row, index, count) {
    row.setAttribute("aria-posinset", index + 1);
    row.setAttribute("aria-setsize", count);
  },
  mark: markInTabOrder,
};

/**
 * A list of any length, of which only the rows that can be seen are in the document, and the one that has the focus.
 * One of its rows is in the tab order, and the arrow keys, Home, End, Page Up and Page Down move it.
 */
export class VirtualList {
  #count = 0;
  #active = 0;
  /** The place in the list, in pixels as if it had its full height, and where the scroller stands for it. */
  #top = 0;
  #scrollTop = 0;
  #fill;
  #kind;
  #head;
  #didShow;
  /** Stay with the first row that is seen, and with the active one; null where no list of the client is followed. */
  #places = null;
  #rows = new Map();
  #frame = 0;
  #isStale = false;
  /** The user has been in one of the rows. */
  #wasEntered = false;
  #list;
  #problem = el("span");
  #again = button("Try again");
  /** Says why rows of the client's list can't be had, where that is so. */
  failure = el("div.failure", { role: "alert", hidden: true }, this.#problem, this.#again);

  /**
   * @param {string} label what assistive technology calls the list
   * @param {(target: HTMLElement, index: number, row: HTMLElement) => void} fill writes a row's content
   * @param {((index: number) => void) | null} activate is called for the row that was clicked, or on which Enter was
   *   pressed; null where rows are only read, and keys scroll
   * @param options `kind` of its rows; `head`, an element that stays on top of them; `didShow`, which is called with the
   *   first row that is seen, and how many there is room for, each time that rows are drawn
   */
  constructor(label, fill, activate, { kind = buttonRows, head = null, didShow } = {}) {
    this.#fill = fill;
    this.#kind = kind;
    this.#head = head;
    this.#didShow = didShow;
    this.#list = kind.makeList(label);
    // Chromium puts what scrolls into the tab order; the rows are there already.
    this.element = el("div.virtual-list", { tabindex: "-1" }, head, this.#list);
    this.element.addEventListener("scroll", () => this.#didScroll(), { passive: true });
    new ResizeObserver(() => this.#render()).observe(this.element);
    if (!activate) return;
    this.element.addEventListener("keydown", (event) => this.#didPress(event, activate));
    this.#list.addEventListener("click", (event) => {
      const index = this.#index(event.target);
      if (index !== null) activate(index);
    });
    this.#list.addEventListener("focusin", (event) => {
      const index = this.#index(event.target);
      if (index !== null) this.#setActive(index);
    });
  }

  get count() {
    return this.#count;
  }

  /**
   * Shows a list of the client from now on: asks for the rows that are seen, and stays where it is in the list when rows
   * come and go, with the focus if a row has it.
   *
   * @param {{ willChange?: (edits: object[] | null) => void, didChange?: (edits: object[] | null) => void }} user
   *   is called before and after it shows a change; first for the list as it is now, as a change of everything
   */
  follow(list, { willChange, didChange }) {
    const change = ({ edits }) => {
      this.failure.hidden = true;
      willChange?.(edits);
      this.#update(list.count, (index) => (edits ? indexAfter(edits, index) : index));
      didChange?.(edits);
    };
    this.#places = { first: list.anchor(0), active: list.anchor(0) };
    this.#didShow = (first, count) => list.show(first, count);
    this.#again.addEventListener("click", () => {
      this.failure.hidden = true;
      list.retry();
    });
    list.on("change", change);
    list.on("error", (error) => {
      setText(this.#problem, sentence(`Rows can’t be shown: ${error.message}`));
      this.failure.hidden = false;
    });
    change({ edits: null });
  }

  /** As if nobody had been in its rows: after the next change the first one is active, whichever that is. */
  letGo() {
    this.#wasEntered = false;
  }

  /** The row that is in the tab order. */
  get active() {
    return this.#active;
  }

  /** How many rows Page Down goes on. */
  get page() {
    return Math.max(1, Math.floor(this.#room / this.#rowHeight) - 1);
  }

  /** The first row that is seen. */
  get first() {
    return Math.floor(this.#top / this.#rowHeight);
  }

  /** There are this many rows from now on, each perhaps another; the place in the list stays. */
  setCount(count) {
    this.#count = count;
    for (const index of [...this.#rows.keys()]) if (index >= count) this.#remove(index);
    this.#resize();
    this.#isStale = true;
    this.#render();
  }

  /**
   * There are this many rows from now on, and those that were there may have moved. At its beginning, the list isn't
   * scrolled: one sees what comes there.
   *
   * @param place where the row at an index is now; null where it went
   */
  #update(count, place) {
    const hadFocus = this.#list.contains(document.activeElement);
    const moved = (this.#places.first.index - this.first) * this.#rowHeight;
    // Where the user has scrolled to since.
    this.#readPlace();
    this.#count = count;
    this.#move(place);
    this.#active = this.#wasEntered ? Math.max(0, Math.min(this.#places.active.index, count - 1)) : 0;
    for (const [index, row] of this.#rows) this.#mark(row, index);
    this.#resize();
    this.#scrollTo(this.#top > 0 ? this.#top + moved : 0);
    this.#isStale = true;
    this.#render();
    if (!hadFocus || count === 0) return;
    const target = this.#target(this.#active);
    if (document.activeElement !== target) target?.focus({ preventScroll: true });
  }

  #move(place) {
    const rows = [...this.#rows];
    this.#rows.clear();
    for (const [index, row] of rows) {
      const next = place(index);
      if (next === null || next >= this.#count || this.#rows.has(next)) {
        row.remove();
      } else {
        row.dataset.index = next;
        this.#rows.set(next, row);
      }
    }
  }

  /** Writes the rows that can be seen again, once a frame however often it is called. */
  refresh() {
    this.#isStale = true;
    this.#renderSoon();
  }

  /** Makes a row the active one, and scrolls to it. The focus stays where it is. */
  goTo(index) {
    this.#setActive(index);
    this.reveal(index);
  }

  /** Scrolls as far as it takes to see a row, or so that the row is in the middle. */
  reveal(index, isCentered = false) {
    const rowHeight = this.#rowHeight;
    const room = this.#room;
    const top = index * rowHeight;
    if (isCentered) this.#scrollTo(top - (room - rowHeight) / 2);
    else if (top < this.#top) this.#scrollTo(top);
    else if (top + rowHeight > this.#top + room) this.#scrollTo(top + rowHeight - room);
    this.#render();
  }

  /** Brings back the place after the list was hidden: not every browser keeps it. */
  shown() {
    this.#resize();
    this.#scrollTo(this.#top);
    this.#render();
  }

  get #rowHeight() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) * this.#kind.height;
  }

  get #fullHeight() {
    return this.#count * this.#rowHeight;
  }

  /** The room for rows, in pixels; 0 where the list is hidden. */
  get #room() {
    return Math.max(0, this.element.clientHeight - (this.#head?.offsetHeight ?? 0));
  }

  #resize() {
    this.#list.style.height = `${Math.min(this.#fullHeight, tallest)}px`;
  }

  #scrollTo(top) {
    const most = this.#fullHeight - this.#room;
    this.#top = Math.max(0, Math.min(top, most));
    if (this.#room === 0) return;
    const isTall = this.#fullHeight > tallest;
    const scrollTop = isTall ? (this.#top / most) * (tallest - this.#room) : this.#top;
    if (Math.abs(this.element.scrollTop - scrollTop) >= 1) this.element.scrollTop = scrollTop;
    this.#scrollTop = this.element.scrollTop;
  }

  #didScroll() {
    this.#readPlace();
    this.#renderSoon();
  }

  #readPlace() {
    const room = this.#room;
    const { scrollTop } = this.element;
    // A list that is hidden scrolls to its top, which isn't what the user did.
    if (room === 0 || scrollTop === this.#scrollTop) return;
    const moved = scrollTop - this.#scrollTop;
    const most = tallest - room;
    this.#scrollTop = scrollTop;
    if (this.#fullHeight <= tallest) this.#top = scrollTop;
    // By a wheel or a finger: as far as in any other list. Else the bar was drawn to a part of the list.
    else if (Math.abs(moved) < 2 * room && scrollTop > 0 && scrollTop < most) this.#top += moved;
    else this.#top = (scrollTop / most) * (this.#fullHeight - room);
    this.#top = Math.max(0, Math.min(this.#top, this.#fullHeight - room));
    this.#didMove();
  }

  /** Not for the same place: while its row is looked for, it isn't known which row stands there. */
  #didMove() {
    if (!this.#places) return;
    const { first, active } = this.#places;
    if (first.index !== this.first) first.moveTo(this.first);
    if (active.index !== this.#active) active.moveTo(this.#active);
  }

  #renderSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  #render() {
    const room = this.#room;
    if (room === 0) return;
    this.#readPlace();
    if (this.#isStale) for (const [index, row] of this.#rows) this.#fill(this.#kind.target(row), index, row);
    this.#isStale = false;
    const rowHeight = this.#rowHeight;
    const start = Math.floor(this.#top / rowHeight);
    const first = Math.max(0, start - overscan);
    const stop = Math.ceil((this.#top + room) / rowHeight);
    const end = Math.min(this.#count, stop + overscan);
    for (const index of [...this.#rows.keys()]) {
      if ((index < first || index >= end) && index !== this.#active) this.#remove(index);
    }
    for (let index = first; index < end; index++) this.#add(index, rowHeight);
    if (this.#count > 0) this.#add(this.#active, rowHeight);
    this.#didMove();
    this.#didShow?.(start, stop - start);
  }

  #add(index, rowHeight) {
    let row = this.#rows.get(index);
    if (!row) {
      row = this.#kind.makeRow();
      row.dataset.index = index;
      this.#mark(row, index);
      this.#fill(this.#kind.target(row), index, row);
      this.#rows.set(index, row);
      this.#insert(row, index);
    }
    this.#kind.place(row, index, this.#count);
    row.style.transform = `translateY(${index * rowHeight - (this.#top - this.#scrollTop)}px)`;
  }

  #mark(row, index) {
    this.#kind.mark(this.#kind.target(row), index === this.#active);
  }

  /** In the order of their indices, which is the order in which assistive technology reads them. */
  #insert(row, index) {
    let next = this.#list.firstElementChild;
    while (next && Number(next.dataset.index) < index) next = next.nextElementSibling;
    this.#list.insertBefore(row, next);
  }

  #remove(index) {
    this.#rows.get(index)?.remove();
    this.#rows.delete(index);
  }

  #target(index) {
    const row = this.#rows.get(index);
    return row && this.#kind.target(row);
  }

  #index(target) {
    const row = target.closest?.("[data-index]");
    return row ? Number(row.dataset.index) : null;
  }

  #didPress(event, activate) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.#count === 0) return;
    // What is a button is clicked by them.
    if ((event.key === "Enter" || event.key === " ") && event.target.localName !== "button") {
      const index = this.#index(event.target);
      if (index === null) return;
      event.preventDefault();
      return activate(index);
    }
    const { page } = this;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.#setActive(Math.max(0, Math.min(this.#count - 1, this.#active + move)));
    this.#focusActive();
  }

  #setActive(index) {
    this.#wasEntered = true;
    if (index === this.#active) return;
    const before = this.#active;
    this.#active = index;
    this.#didMove();
    this.#add(index, this.#rowHeight);
    for (const one of [before, index]) if (this.#rows.has(one)) this.#mark(this.#rows.get(one), one);
  }

  #focusActive() {
    this.reveal(this.#active);
    this.#target(this.#active)?.focus({ preventScroll: true });
  }
}
