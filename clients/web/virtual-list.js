import { el } from "./dom.js";

const overscan = 6;

/**
 * A list of any length, of which only the rows that can be seen are in the document, and the one that has the focus.
 * Its rows are buttons; one of them is in the tab order, and the arrow keys, Home, End, Page Up and Page Down move it.
 */
export class VirtualList {
  #count = 0;
  #active = 0;
  #top = 0;
  #fill;
  #rows = new Map();
  #frame = 0;
  #isStale = false;
  #list;

  /**
   * @param {string} label what assistive technology calls the list
   * @param {(button: HTMLButtonElement, index: number) => void} fill writes a row's content
   * @param {(index: number) => void} activate is called for the row that was clicked, or on which Enter was pressed
   */
  constructor(label, fill, activate) {
    this.#fill = fill;
    this.#list = el("ul.rows", { role: "list", "aria-label": label });
    // Chromium puts what scrolls into the tab order; the rows are there already.
    this.element = el("div.virtual-list", { tabindex: "-1" }, this.#list);
    this.element.addEventListener("scroll", () => this.#didScroll(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#didPress(event));
    this.#list.addEventListener("click", (event) => {
      const index = this.#index(event.target);
      if (index !== null) activate(index);
    });
    this.#list.addEventListener("focusin", (event) => {
      const index = this.#index(event.target);
      if (index !== null) this.#setActive(index);
    });
    new ResizeObserver(() => this.#render()).observe(this.element);
  }

  get count() {
    return this.#count;
  }

  /** There are this many rows from now on, each perhaps another; the place in the list stays. */
  setCount(count) {
    const hadFocus = this.#list.contains(document.activeElement);
    this.#count = count;
    this.#active = Math.max(0, Math.min(this.#active, count - 1));
    for (const index of [...this.#rows.keys()]) if (index >= count) this.#remove(index);
    this.#resize();
    this.#isStale = true;
    this.#render();
    if (hadFocus && count > 0) this.#focusActive();
  }

  /** Writes the rows that can be seen again, once a frame however often it is called. */
  refresh() {
    this.#isStale = true;
    this.#renderSoon();
  }

  /** Brings back the place after the list was hidden: not every browser keeps it. */
  shown() {
    this.#resize();
    this.element.scrollTop = this.#top;
    this.#render();
  }

  get #rowHeight() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) * 3.25;
  }

  #resize() {
    this.#list.style.height = `${this.#count * this.#rowHeight}px`;
  }

  #didScroll() {
    // A list that is hidden scrolls to its top, which isn't what the user did.
    if (this.element.clientHeight === 0) return;
    this.#top = this.element.scrollTop;
    this.#renderSoon();
  }

  #renderSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  #render() {
    const height = this.element.clientHeight;
    if (height === 0) return;
    if (this.#isStale) for (const [index, row] of this.#rows) this.#fill(row.firstChild, index);
    this.#isStale = false;
    const rowHeight = this.#rowHeight;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - overscan);
    const end = Math.min(this.#count, Math.ceil((this.element.scrollTop + height) / rowHeight) + overscan);
    for (const index of [...this.#rows.keys()]) {
      if ((index < first || index >= end) && index !== this.#active) this.#remove(index);
    }
    for (let index = first; index < end; index++) this.#add(index, rowHeight);
    if (this.#count > 0) this.#add(this.#active, rowHeight);
  }

  #add(index, rowHeight) {
    let row = this.#rows.get(index);
    if (!row) {
      const button = el("button.row", { type: "button", tabindex: index === this.#active ? "0" : "-1" });
      row = el("li", { "aria-posinset": index + 1 }, button);
      row.dataset.index = index;
      this.#fill(button, index);
      this.#rows.set(index, row);
      this.#insert(row, index);
    }
    row.setAttribute("aria-setsize", this.#count);
    row.style.transform = `translateY(${index * rowHeight}px)`;
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

  #index(target) {
    const row = target.closest?.("li[data-index]");
    return row ? Number(row.dataset.index) : null;
  }

  #didPress(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.#count === 0) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#rowHeight) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.#setActive(Math.max(0, Math.min(this.#count - 1, this.#active + move)));
    this.#focusActive();
  }

  #setActive(index) {
    if (index === this.#active) return;
    this.#rows.get(this.#active)?.firstChild.setAttribute("tabindex", "-1");
    this.#active = index;
    this.#add(index, this.#rowHeight);
    this.#rows.get(index).firstChild.setAttribute("tabindex", "0");
  }

  #focusActive() {
    const rowHeight = this.#rowHeight;
    const top = this.#active * rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight;
    this.#top = this.element.scrollTop;
    this.#render();
    this.#rows.get(this.#active)?.firstChild.focus({ preventScroll: true });
  }
}
