// The rows of a list that are here: which are asked for, as windows move, and what changes make of them.
import { excerpt, isForNow, ownError } from './errors.js';
import { Mark, countAfter, indexAfter } from './list-marks.js';
import { Listeners } from './listeners.js';
import { unlessAborted } from './runtime.js';

/** How many rows are kept on each side of those on screen: so many, or so many screens. */
const kept = { rows: 500, screens: 5 };

/**
 * The rows of a list that are here.
 *
 * They are those of one version of the list, that of its last event. An answer may be used when it comes: it follows
 * the events up to its number, and has the rows as they are then.
 */
export class ListRows {
  count = 0;
  /** What the program has; undefined until it asks. */
  list;
  idMember = 'id';
  selection = new Mark(false);
  #name;
  #session;
  #listeners;
  #seq = 0;
  /** Whether `count` is so. */
  #isKnown;
  #rows = new Map();
  #places = new Set();
  #readers = new Set();
  /** Those on screen, as `{ first, count }`; null until somebody says so. */
  #window = null;
  /** The one that isn't answered: `{ first, end, isExact, isOld, controller }`. */
  #request = null;
  /** Asking again for the same would get nothing. */
  #isStalled = false;
  /** The server gives fewer rows than are asked for. */
  #isShort = false;
  #retryTimer = null;
  #telling = 0;

  constructor(name, session, isKnown) {
    this.#name = name;
    this.#session = session;
    this.#isKnown = isKnown;
    this.#listeners = new Listeners(session.problem);
  }

  row(index) {
    return this.#rows.get(index);
  }

  on(kind, listener) {
    return this.#listeners.add(kind, listener);
  }

  mark(mark, index) {
    if (index !== null && !isCount(index)) throw new TypeError(`not an index of a row: ${index}`);
    const isThere = index !== null && this.#rows.has(index);
    mark.set(index, isThere ? this.#identity(this.#rows.get(index)) : undefined);
  }

  addPlace(index) {
    const place = new Mark(true);
    this.mark(place, index);
    this.#places.add(place);
    return place;
  }

  removePlace(place) {
    this.#places.delete(place);
  }

  show(first, count) {
    const window = { first: wholeNumber(first), count: wholeNumber(count) };
    if (this.#window?.first !== window.first || this.#window.count !== window.count) this.#askAnew();
    this.#window = window;
    this.#ask();
  }

  retry() {
    this.#askAnew();
    this.#ask();
  }

  /** What the server says to a request that is on its way doesn't hold for what is asked for next. */
  #askAnew() {
    this.#isStalled = false;
    if (this.#request) this.#request.isOld = true;
  }

  /** An event of the list, or its part of a snapshot. */
  changed({ count, edits: given, first, rows }, seq, more) {
    let edits = this.#isKnown ? given : null;
    this.#isKnown = true;
    if (edits && countAfter(edits, this.count) !== count) {
      const message = `the changes of the list ${this.#name} don't lead from ${this.count} rows to ${count}`;
      this.#session.problem(ownError('ProtocolError', message));
      edits = null;
    }
    this.#seq = seq;
    this.count = count;
    if (edits) this.#edit(edits);
    else this.#rows.clear();
    for (const mark of this.#marks) {
      if (edits) mark.edited(edits);
      else mark.reset();
      mark.limit(count);
    }
    for (const reader of this.#readers) reader.changed(edits);
    if (rows) this.#fill(first, rows);
    this.#askAnew();
    this.#tell({ edits, count, seq, more });
  }

  get #marks() {
    return [this.selection, ...this.#places];
  }

  #edit(edits) {
    const rows = new Map();
    for (const [index, row] of this.#rows) {
      const place = indexAfter(edits, index);
      if (place !== null) rows.set(place, row);
    }
    this.#rows = rows;
  }

  /** @returns how many of the rows weren't there */
  #fill(first, given) {
    const rows = given.slice(0, Math.max(0, this.count - first));
    const before = this.#rows.size;
    rows.forEach((row, offset) => this.#rows.set(first + offset, row));
    for (const mark of this.#marks) mark.came(first, rows, (row) => this.#identity(row));
    return this.#rows.size - before;
  }

  #identity(row) {
    const id = this.idMember === null ? undefined : row?.[this.idMember];
    return typeof id === 'object' && id !== null ? JSON.stringify(id) : (id ?? undefined);
  }

  /** Nothing is asked for until all have heard of it, and have said which rows they show now. */
  #tell(change) {
    this.#telling += 1;
    this.#listeners.call('change', change);
    this.#telling -= 1;
    this.#ask();
  }

  /** It is attached to a connection, perhaps to another than before. */
  attached() {
    this.#isStalled = false;
    this.#ask();
  }

  left() {
    this.#session.timers.clearTimeout(this.#retryTimer);
    this.#session.refused(this, null);
    this.#request?.controller.abort();
    this.#request = null;
  }

  #ask() {
    if (this.#telling > 0) return;
    this.#trim();
    if (!this.#session.isAttached() || !this.#window) return;
    if (this.#request) return this.#cancelUnwanted(this.#request);
    const wanted = this.#isStalled ? null : this.#isKnown ? this.#missing() : this.#unknown();
    if (wanted) this.#send({ ...wanted, isOld: false, controller: new AbortController() });
  }

  /** The rows on screen, with so many more on each side. */
  #around(more) {
    const { first, count } = this.#window;
    return {
      first: Math.min(Math.max(0, first - more), this.count),
      end: Math.min(first + count + more, this.count),
    };
  }

  #cancelUnwanted({ first, end, controller }) {
    // Its answer says how long the list is.
    if (!this.#isKnown) return;
    const wanted = this.#around(this.#window.count);
    if (first >= wanted.end || end <= wanted.first) controller.abort();
  }

  /** What to ask for, as `{ first, end, isExact }`; null where enough is here. */
  #missing() {
    const screen = this.#around(0);
    // Half of what is read ahead may be used up, so that not each line of scrolling is a request.
    const near = this.#around(this.#window.count >> 1);
    if (this.#firstMissing(near) === null) return null;
    const wanted = this.#around(this.#window.count);
    const missing = { first: this.#firstMissing(wanted), end: this.#lastMissing(wanted) + 1 };
    // With those on screen, so that the server knows which these are, and tells them with their changes.
    const first = Math.min(missing.first, screen.first);
    const end = Math.max(missing.end, screen.end);
    const limit = this.#session.limits().rows ?? 1_000;
    if (!this.#isShort && end - first <= limit) return { first, end, isExact: false };
    const start = this.#firstMissing(screen) ?? this.#firstMissing(near);
    return { first: start, end: Math.min(missing.end, start + limit), isExact: true };
  }

  #unknown() {
    const { first, count } = this.#window;
    return count > 0 ? { first, end: first + count, isExact: true } : null;
  }

  #firstMissing({ first, end }) {
    for (let index = first; index < end; index += 1) if (!this.#rows.has(index)) return index;
    return null;
  }

  #lastMissing({ first, end }) {
    for (let index = end - 1; index >= first; index -= 1) if (!this.#rows.has(index)) return index;
    return null;
  }

  #send(request) {
    this.#request = request;
    const { first, end, controller } = request;
    const taken = (result) => this.#answered(request, result);
    const { signal } = controller;
    this.#session
      .request({ list: this.#name, first, count: end - first }, { signal, taken })
      .catch((error) => this.#failed(request, error));
  }

  #answered(request, result) {
    // Of an attachment that is over: events are missing between its rows and those that are here.
    if (this.#request !== request) return;
    const { seq, count, first, rows } = rowsAnswer(result);
    if (seq < this.#seq) throw ownError('ProtocolError', `rows of ${this.#name} came as they were at ${seq}`);
    this.#request = null;
    this.#session.refused(this, null);
    if (count !== this.count || !this.#isKnown) {
      const message = `${count} rows of ${this.#name} came where ${this.count} were told`;
      if (this.#isKnown) this.#session.problem(ownError('ProtocolError', message));
      return this.changed({ count, edits: null, first, rows }, seq, false);
    }
    const end = first + rows.length;
    this.#isShort = end < Math.min(request.end, count);
    const newCount = this.#fill(first, rows);
    this.#isStalled = newCount === 0 && !request.isOld && (request.isExact || !this.#isShort);
    this.#tell({ edits: [], count, seq, more: false });
  }

  #failed(request, error) {
    if (this.#request !== request) return;
    this.#request = null;
    if (error.name === 'RequestCancelled' && request.controller.signal.aborted) return this.#ask();
    this.#isStalled = !request.isOld || isForNow(error);
    this.#session.refused(this, isForNow(error) ? error : null);
    if (isForNow(error)) {
      this.#retryTimer = this.#session.timers.setTimeout(() => this.retry(), error.data.retryAfterMs);
    } else if (this.#listeners.has('error')) {
      this.#listeners.call('error', error);
    } else if (error.name !== 'UnknownSession') {
      this.#session.problem(error);
    }
    this.#ask();
  }

  /** Rows far from those on screen are forgotten when there are many. */
  #trim() {
    const { first, count } = this.#window ?? { first: 0, count: 0 };
    const margin = Math.max(kept.rows, kept.screens * count);
    if (this.#rows.size <= 2 * margin + count) return;
    for (const index of this.#rows.keys()) {
      if (index < first - margin || index >= first + count + margin) this.#rows.delete(index);
    }
  }

  async *all(signal, pageSize = this.#session.limits().rows ?? 1_000) {
    const reader = new RowReader(this.#name);
    this.#readers.add(reader);
    try {
      for (;;) {
        if (reader.error) throw reader.error;
        signal?.throwIfAborted();
        if (reader.rows.length > 0) yield reader.give();
        else if (reader.hasRead && reader.position >= this.count) return;
        else await unlessAborted(signal, this.#read(reader, pageSize, signal));
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  async #read(reader, pageSize, signal) {
    const taken = (result) => {
      const { seq, count, first, rows } = rowsAnswer(result);
      if (seq < this.#seq || (rows.length === 0 && first < count)) {
        const what = `${rows.length} of ${count} rows of ${this.#name}`;
        throw ownError('ProtocolError', `${what} came from ${first} on, as they were at ${seq}`);
      }
      reader.take(first, rows);
    };
    await this.#session.read(() => ({ list: this.#name, first: reader.position, count: pageSize }), { signal, taken });
  }
}

/** Who reads a list from its first row to its last: what was given to it must stay as it is. */
class RowReader {
  /** How many rows were given. */
  position = 0;
  /** The next ones. */
  rows = [];
  hasRead = false;
  error = null;
  #name;

  constructor(name) {
    this.#name = name;
  }

  give() {
    this.position += 1;
    return this.rows.shift();
  }

  take(first, rows) {
    // Where the list has become shorter, there is nothing.
    this.rows = first === this.position ? rows.slice() : [];
    this.hasRead = true;
  }

  changed(edits) {
    const first = edits ? Math.min(...edits.map(({ at }) => at)) : 0;
    if (first < this.position) {
      this.error ??= ownError('ListChanged', `${this.#name} changed at row ${first} after ${this.position} were read`);
    }
    this.rows.length = Math.min(this.rows.length, Math.max(0, first - this.position));
  }
}

function wholeNumber(value) {
  return Math.min(Math.max(0, Math.floor(value) || 0), Number.MAX_SAFE_INTEGER);
}

/** The answer to `session/rows`. */
function rowsAnswer(result) {
  const { seq, count, first, rows } = result ?? {};
  if (isCount(seq) && isCount(count) && isCount(first) && Array.isArray(rows)) return result;
  throw ownError('ProtocolError', `the server's rows make no sense: ${excerpt(JSON.stringify(result) ?? 'nothing')}`);
}

export function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
}
