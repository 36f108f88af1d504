/** Calls all listeners of a kind, in the order of adding. One that throws doesn't keep the others from being called. */
export class Listeners {
  #byKind = new Map();
  #report;

  constructor(report) {
    this.#report = report;
  }

  has(kind) {
    return this.#byKind.has(kind);
  }

  add(kind, listener) {
    if (typeof listener !== 'function') throw new TypeError('a listener is a function');
    // An object of its own, so that the same function may be added twice.
    const entry = { listener };
    const entries = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, [...entries, entry]);
    return () => {
      const rest = (this.#byKind.get(kind) ?? []).filter((other) => other !== entry);
      if (rest.length > 0) this.#byKind.set(kind, rest);
      else this.#byKind.delete(kind);
    };
  }

  call(kind, ...values) {
    for (const { listener } of this.#byKind.get(kind) ?? []) this.callOne(listener, ...values);
  }

  callOne(listener, ...values) {
    try {
      listener(...values);
    } catch (error) {
      this.#report(error);
    }
  }
}
