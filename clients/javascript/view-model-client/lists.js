// The lists of a view, as users know them, and which events are of a list.
import { excerpt, ownError } from './errors.js';
import { ListRows, isCount } from './list-rows.js';

/** A list of a view model, of any length: the rows that are wanted are here. Made by a view's `list`. */
export class List {
  #rows;

  constructor(rows) {
    this.#rows = rows;
  }

  /** How many rows there are; 0 until the first event of the list. */
  get count() {
    return this.#rows.count;
  }

  /** The row at an index; undefined where it isn't here (yet). */
  row(index) {
    return this.#rows.row(index);
  }

  /** Says which rows are on screen: they are asked for, and those of a screen before and after them. */
  show(first, count) {
    this.#rows.show(first, count);
  }

  /** Asks again for rows that the server didn't give. */
  retry() {
    this.#rows.retry();
  }

  /** The index of the selected row; null where none is, where it went, and until it is found again. */
  get selected() {
    return this.#rows.selection.index;
  }

  /** Selects a row; null selects none. */
  select(index) {
    this.#rows.mark(this.#rows.selection, index);
  }

  /** A place that stays with the row at an index: `index`, `moveTo(index)`, `release()`. */
  anchor(index) {
    const place = this.#rows.addPlace(index);
    return {
      get index() {
        return place.index ?? 0;
      },
      moveTo: (index) => this.#rows.mark(place, index),
      release: () => this.#rows.removePlace(place),
    };
  }

  /** Calls the listener with each 'change' or 'error', until what is returned is called. */
  on(kind, listener) {
    return this.#rows.on(kind, listener);
  }

  /** All rows from the first on. It throws "ListChanged" when rows change that it has given. */
  all({ signal, pageSize } = {}) {
    return this.#rows.all(signal, pageSize);
  }

  [Symbol.asyncIterator]() {
    return this.all();
  }
}

/** The lists of a view, by name: those that were asked for, and those of which the server has told something. */
export class Lists {
  /** The events before the first one that comes aren't known, and so isn't how long a list is. */
  isBegun = false;
  #byName = new Map();
  #session;

  constructor(session) {
    this.#session = session;
  }

  /** @param id the member that identifies a row; null where none does */
  named(name, id) {
    const rows = this.#rows(name);
    if (id !== undefined) rows.idMember = id;
    // Kept, so that everybody has the same object.
    rows.list ??= new List(rows);
    return rows.list;
  }

  #rows(name) {
    if (!this.#byName.has(name)) this.#byName.set(name, new ListRows(name, this.#session, !this.isBegun));
    return this.#byName.get(name);
  }

  event(event, { seq, more }) {
    const change = this.#change(event);
    if (change) this.#rows(event.kind).changed(change, seq, more);
  }

  /** All lists are as it says, and those of which it says nothing are empty. */
  snapshot(events, seq) {
    this.isBegun = false;
    const told = new Map();
    for (const event of events) {
      const change = this.#change(event);
      if (change) told.set(event.kind, change);
    }
    for (const name of told.keys()) this.#rows(name);
    for (const [name, rows] of this.#byName) {
      const { count, first, rows: given } = told.get(name) ?? { count: 0 };
      rows.changed({ count, edits: null, first, rows: given }, seq, false);
    }
  }

  attached() {
    for (const rows of this.#byName.values()) rows.attached();
  }

  left() {
    for (const rows of this.#byName.values()) rows.left();
  }

  /** What an event says of a list; undefined where it is none of a list. */
  #change(event) {
    const change = listChange(event);
    if (this.#byName.get(event?.kind)?.list) {
      if (!change) this.#report(event);
      return change;
    }
    // Nobody has said which kinds are lists. To take another for one costs little.
    return change && Object.keys(event).every((member) => listMembers.includes(member)) ? change : undefined;
  }

  #report(event) {
    const reason = `what the server sent of the list ${event.kind} makes no sense: ${excerpt(JSON.stringify(event))}`;
    this.#session.problem(ownError('ProtocolError', reason));
  }
}

const listMembers = ['kind', 'count', 'changes', 'first', 'rows'];

/** What an event says, as `{ count, edits, first, rows }`; undefined where it can't be one of a list. */
function listChange(event) {
  const { kind, count, changes, first, rows } = event ?? {};
  const isEdit = (edit) => isCount(edit?.at) && isCount(edit.removed) && isCount(edit.inserted);
  const areEdits = changes === undefined || (Array.isArray(changes) && changes.every(isEdit));
  const areRows = rows === undefined || (Array.isArray(rows) && isCount(first));
  const isList = typeof kind === 'string' && isCount(count) && areEdits && areRows;
  return isList ? { count, edits: changes ?? null, first, rows } : undefined;
}
