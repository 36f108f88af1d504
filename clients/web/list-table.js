import { el, readable, setText } from "./dom.js";
import { oneLine } from "./json.js";
import { withoutNull } from "./schema-form.js";
import { markInTabOrder, VirtualList } from "./virtual-list.js";

/** The rows of a table, for assistive technology. The first one is the head. */
const tableRows = {
  height: 2.25,
  makeList: () => el("div.rows", { role: "rowgroup" }),
  makeRow: () => el("div.row", { role: "row" }),
  target: (row) => row,
  place: (row, index) => row.setAttribute("aria-rowindex", index + 2),
  mark: markInTabOrder,
};

/**
 * A list of a view model as a table. Rows are asked for when they can be seen, and have a place until they are there.
 *
 * The selected row, the row that has the focus, and the place in the list stay the same rows when others come and go.
 */
export class ListTable {
  element;
  #name;
  #columns;
  #rows;
  #empty = el("p.quiet-text", {}, "It has no rows.");
  #size = el("span.quiet-text");
  #user;
  /** The client's list; null until the view is attached. */
  #list = null;

  /**
   * @param {string} name of the list
   * @param {object} schema of a row
   * @param {object} definitions what `$ref` leads to
   * @param {{ choose: (index: number, row: any) => void, follow: (index: number | null, row: any) => void }} user
   *   `choose` is called when a row is chosen, `follow` when the chosen one may have moved, gone or come
   */
  constructor(name, schema, definitions, user) {
    this.#name = readable(name);
    this.#columns = columnsOf(schema, definitions);
    this.#user = user;
    const head = el(
      "div.head",
      { role: "rowgroup" },
      el(
        "div.head-row",
        { role: "row", "aria-rowindex": 1 },
        this.#columns.map(({ title }) => el("span", { role: "columnheader" }, title)),
      ),
    );
    this.#rows = new VirtualList(
      this.#name,
      (row, index) => this.#fill(row, index),
      (index) => this.#select(index),
      { kind: tableRows, head },
    );
    const grid = this.#rows.element;
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", this.#name);
    grid.setAttribute("aria-colcount", this.#columns.length);
    grid.style.setProperty("--columns", this.#columns.length);
    grid.hidden = true;
    this.element = el(
      "section.list-table",
      { "data-list": name },
      el("div.title", {}, el("h2", {}, this.#name), this.#size),
      this.#empty,
      this.#rows.failure,
      grid,
    );
  }

  /** @param list the list object of the client */
  show(list) {
    this.#list = list;
    this.#rows.follow(list, { willChange: () => this.#willChange(), didChange: () => this.#didChange() });
  }

  #willChange() {
    const { count } = this.#list;
    setText(this.#size, `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`);
    this.#empty.hidden = count > 0;
    this.#rows.element.hidden = count === 0;
    this.#rows.element.setAttribute("aria-rowcount", count + 1);
  }

  #didChange() {
    const { selected } = this.#list;
    this.#user.follow(selected, selected === null ? undefined : this.#list.row(selected));
  }

  #select(index) {
    this.#list.select(index);
    this.#rows.refresh();
    this.#user.choose(index, this.#list.row(index));
  }

  #fill(element, index) {
    const row = this.#list.row(index);
    const isThere = row !== undefined;
    element.setAttribute("aria-selected", index === this.#list.selected);
    element.classList.toggle("is-coming", !isThere);
    if (isThere) element.removeAttribute("aria-busy");
    else element.setAttribute("aria-busy", "true");
    const cells = this.#columns.map(({ value }, column) => {
      const shown = isThere ? text(value(row)) : column === 0 ? "…" : "";
      return el("span", { role: "gridcell", title: shown.length > 12 && shown }, shown);
    });
    element.replaceChildren(...cells);
  }
}

/** An object's members, or else the whole row. */
function columnsOf(schema, definitions) {
  const names = Object.keys(withoutNull(schema, definitions).schema.properties ?? {});
  if (names.length === 0) return [{ title: "Row", value: (row) => row }];
  return names.map((name) => ({ title: readable(name), value: (row) => row?.[name] }));
}

function text(value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return oneLine(value, 90);
  return String(value).slice(0, 300);
}
