// Places in a list that changes: where a row is after edits, and marks that go with their rows.

/** Where the row at an index is after these edits; null where it went, or where the edits are null. */
export function indexAfter(edits, index) {
  if (edits === null) return null;
  let place = index;
  for (const { at, removed, inserted } of edits) {
    if (place < at) continue;
    if (place < at + removed) return null;
    place += inserted - removed;
  }
  return place;
}

/** How long a list is after edits that may be wrong; undefined where they are. */
export function countAfter(edits, count) {
  let length = count;
  for (const { at, removed, inserted } of edits) {
    if (at + removed > length) return undefined;
    length += inserted - removed;
  }
  return length;
}

/** A mark on a row: it moves with edits, and is found again by the row's identity. */
export class Mark {
  /** Null where it isn't known where the row is. */
  index = null;
  #id;
  /** Another row may have taken the place of the one that was marked. */
  #isLost = false;
  #staysInPlace;

  /** @param staysInPlace where the row goes, it marks the row that comes there */
  constructor(staysInPlace) {
    this.#staysInPlace = staysInPlace;
  }

  set(index, id) {
    this.index = index;
    this.#id = id;
    this.#isLost = false;
  }

  edited(edits) {
    for (const { at, removed, inserted } of edits) {
      if (this.index === null || this.index < at) continue;
      if (this.index < at + removed) this.#didGo(at, removed, inserted);
      else this.index += inserted - removed;
    }
  }

  /** As many rows came as went: perhaps they are the same ones with other content. */
  #didGo(at, removed, inserted) {
    this.#isLost = true;
    if (removed === inserted) return;
    this.index = this.#staysInPlace ? at + Math.min(this.index - at, inserted) : null;
  }

  /** Any row may be another. */
  reset() {
    this.#isLost = true;
    if (!this.#staysInPlace) this.index = null;
  }

  limit(count) {
    if (this.index !== null && this.index >= count) this.index = this.#staysInPlace ? Math.max(0, count - 1) : null;
  }

  /** Looks whether the row is one of those that came. */
  came(first, rows, identity) {
    const offset = this.index === null ? -1 : this.index - first;
    const isInside = offset >= 0 && offset < rows.length;
    if (this.#isLost && this.#id !== undefined) {
      const place = rows.findIndex((row) => identity(row) === this.#id);
      if (place >= 0) return this.set(first + place, this.#id);
      if (isInside && !this.#staysInPlace) this.index = null;
    }
    if (isInside && this.index !== null) this.set(this.index, identity(rows[offset]));
  }
}
