// What a view is told, on its way to the program: kept until somebody listens, or iterates.
import { ownError } from './errors.js';
import { Listeners } from './listeners.js';
import { Queue } from './queue.js';

/**
 * Hands what comes to listeners and iterators.
 *
 * A view's first events may come before its opener is called back. So what comes before the first listener is
 * held, and given to all that are added in the same turn. For the first iterator all is kept, listeners or not.
 */
export class Feed {
  #listeners;
  #held = new Kept();
  #isHolding = true;
  #isReleasing = false;
  #kept = new Kept();
  #iterators = new Set();
  #isIterated = false;
  #report;
  #name;
  /** How many events have come. */
  #count = 0;
  #closed = null;
  #isClosedTold = false;

  /** @param name gives the view model's name, for errors */
  constructor(report, name) {
    this.#report = report;
    this.#name = name;
    this.#listeners = new Listeners(report);
  }

  on(kind, listener) {
    const remove = this.#listeners.add(kind, listener);
    this.#release();
    // Too late for events that were delivered already.
    if (kind === 'closed' && this.#isClosedTold) queueMicrotask(() => this.#listeners.callOne(listener, this.#closed));
    return remove;
  }

  /** @param length how long it was on the way here */
  event(event, details, length) {
    this.#iterate([event], length);
    this.#add([{ kind: 'event', values: [event, details] }], length);
  }

  snapshot(events, seq, navigation) {
    const length = JSON.stringify(events).length;
    const told = events.map((event, index) => {
      const details = { seq, more: index < events.length - 1, isSnapshot: true };
      return { kind: 'event', values: [event, details] };
    });
    this.#iterate(events, length);
    // However long it is: a part of it would be worth nothing.
    this.#add([{ kind: 'snapshot', values: [events, { seq, navigation }] }, ...told], length);
  }

  navigation(action) {
    this.#add([{ kind: 'navigation', values: [action] }]);
  }

  end(closed) {
    this.#closed = closed;
    this.#add([{ kind: 'closed', values: [closed] }]);
    for (const iterator of this.#iterators) iterator.finish();
  }

  iterator() {
    const skipped = this.#isIterated ? this.#count : this.#kept.skipped;
    const iterator = new EventIterator(skipped, () => this.#iterators.delete(iterator));
    // Only the first iteration is to have all of them.
    if (!this.#isIterated) this.#tellSkipped(skipped, 'their iteration began');
    this.#isIterated = true;
    for (const event of this.#kept.take()) iterator.push(event);
    if (this.#closed) iterator.finish();
    else this.#iterators.add(iterator);
    this.#release();
    return iterator;
  }

  #release() {
    if (!this.#isHolding || this.#isReleasing) return;
    this.#isReleasing = true;
    queueMicrotask(() => {
      this.#isHolding = false;
      this.#tellSkipped(this.#held.skipped, 'the first listener was added');
      for (const { kind, values } of this.#held.take()) this.#tell(kind, values);
    });
  }

  #tellSkipped(count, what) {
    if (count === 0) return;
    const events = count === 1 ? 'event' : 'events';
    const message = `${count} ${events} of ${this.#name()} had been forgotten when ${what}`;
    this.#report(ownError('EventsSkipped', message, undefined, { count }));
  }

  #iterate(events, length) {
    this.#count += events.length;
    if (!this.#isIterated) return this.#kept.push(events, length);
    for (const iterator of this.#iterators) for (const event of events) iterator.push(event);
  }

  #add(entries, length) {
    if (this.#isHolding) this.#held.push(entries, length);
    else for (const { kind, values } of entries) this.#tell(kind, values);
  }

  #tell(kind, values) {
    if (kind === 'event') this.#listeners.call(`event ${values[0]?.kind}`, ...values);
    if (kind === 'closed') this.#isClosedTold = true;
    this.#listeners.call(kind, ...values);
  }
}

/**
 * What is kept for somebody who may never come: the newest, up to a number of them and of characters. What is pushed
 * together is kept together, or not at all.
 */
class Kept {
  /** How many were forgotten. */
  skipped = 0;
  #entries = [];
  #length = 0;

  push(values, length = 0) {
    this.#entries.push({ values, length });
    this.#length += length;
    while (this.#entries.length > 1_024 || (this.#length > 8_388_608 && this.#entries.length > 1)) {
      const { values, length } = this.#entries.shift();
      this.#length -= length;
      this.skipped += values.length;
    }
  }

  take() {
    const values = this.#entries.flatMap(({ values }) => values);
    this.#entries = [];
    this.#length = 0;
    return values;
  }
}

/** Events that wait for their reader, and a reader that waits for events. */
class EventIterator {
  /** How many events came before those that it has. */
  skipped;
  #events = new Queue();
  #readers = [];
  #isOver = false;
  #onReturn;

  constructor(skipped, onReturn) {
    this.skipped = skipped;
    this.#onReturn = onReturn;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  push(event) {
    const read = this.#readers.shift();
    if (read) read({ value: event, done: false });
    else this.#events.push(event);
  }

  finish() {
    this.#isOver = true;
    for (const read of this.#readers) read({ value: undefined, done: true });
    this.#readers = [];
  }

  next() {
    if (this.#events.length > 0) return Promise.resolve({ value: this.#events.shift(), done: false });
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(value) {
    this.#events.take();
    this.#onReturn();
    this.finish();
    return Promise.resolve({ value, done: true });
  }
}
