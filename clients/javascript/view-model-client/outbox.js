// What a view sends, until it is answered: numbering, sending again, giving back.
import { ViewModelError, isForNow, ownError } from './errors.js';
import { byteCount } from './framing.js';
import { Queue } from './queue.js';

/**
 * The events that a View sends: numbered, so that none is lost or applied twice when the connection is.
 *
 * An event gets its number when it is sent. After a lost connection, events that the server hasn't taken get new
 * numbers. Those that it has taken, and whose answers were lost, are sent again with their old ones: the server doesn't
 * apply them again, and answers when they have had their turn.
 */
export class Outbox {
  dropped = [];
  #port;
  #session;
  /** What an event gets that is sent after the end; null before it. */
  #closedError = null;
  #last = 0;
  /** The highest number that the server had taken as the view was attached. */
  #handled = 0;
  #unsent = new Queue();
  #sent = new Map();
  /** Those who wait until all is answered. */
  #whenIdle = [];
  /** The progress of events that are answered, and whose work may go on. */
  #ongoing = new Set();
  #retryTimer = null;
  /** Whether events were refused for now, and wait for another try. */
  isStalled = false;

  constructor(port, session) {
    this.#port = port;
    this.#session = session;
  }

  get isWaiting() {
    return this.#unsent.length > 0 || [...this.#sent.values()].some(({ isSettled }) => !isSettled);
  }

  /** Resolves when nothing waits for its answer. */
  idle() {
    if (!this.isWaiting) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  get pending() {
    return [...this.#sent.values(), ...this.#unsent.items].filter(({ isSettled }) => !isSettled).map(shown);
  }

  add(given, signal, onProgress) {
    return new Promise((resolve, reject) => {
      if (this.#closedError) throw this.#closedError;
      signal?.throwIfAborted();
      const event = this.#copy(given);
      const entry = { event, signal, isSent: false, isSettled: false, isInFlight: false, refusals: 0 };
      if (onProgress) entry.token = this.#port.addProgress(onProgress);
      const abort = () => this.#abort(entry);
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (finish, state) => (value) => {
        if (entry.isSettled) return;
        entry.isSettled = true;
        signal?.removeEventListener('abort', abort);
        if (entry.goesOn) this.#ongoing.add(entry.token);
        else if (entry.token) this.#port.endProgress(entry.token);
        if (state === 'dropped') this.dropped.push(shown(entry));
        this.#tell(state, entry);
        this.#session.didChange();
        finish(value);
        if (this.#whenIdle.length > 0 && !this.isWaiting) for (const resolve of this.#whenIdle.splice(0)) resolve();
      };
      entry.resolve = settle(resolve, 'settled');
      entry.reject = settle(reject, 'settled');
      entry.drop = settle(reject, 'dropped');
      this.#unsent.push(entry);
      this.#tell('pending', entry);
      this.#flush();
      this.#session.didChange();
    });
  }

  /** A copy, since it may have to be sent again when the caller's has changed. */
  #copy(event) {
    const text = JSON.stringify(event);
    const { messageBytes } = this.#port.limits();
    if (text?.[0] !== '{') throw new TypeError(`an event is an object with a kind: ${text}`);
    // The server would end the connection, and get it again. The rest of the message has less than 1,000 bytes.
    if (messageBytes && text.length * 3 + 1_000 > messageBytes && byteCount(text) + 1_000 > messageBytes) {
      throw new ViewModelError(-32015, `an event may have ${messageBytes - 1_000} bytes`, { limit: 'messageBytes' });
    }
    return JSON.parse(text);
  }

  /**
   * The view is attached: `told` is the last number that the server has taken; undefined where it doesn't know this
   * client. Then nobody knows what became of the events that weren't answered: they are given back, not sent again.
   */
  attached(told) {
    const handled = told ?? 0;
    for (const [number, entry] of this.#sent) {
      if (told === undefined && !entry.isRefused) {
        this.#sent.delete(number);
        entry.isInFlight = false;
        entry.drop(forgottenError());
      } else if (number > handled) {
        continue;
      } else if (entry.isSettled) {
        // Aborted: nobody waits for its answer.
        this.#sent.delete(number);
      } else if (!entry.isInFlight) {
        this.#transmit(entry, number);
      }
    }
    this.#handled = handled;
    this.#sendAgain(handled);
  }

  /** Where the numbers are doubtful, the server says which one is next when the view is attached. */
  #retry() {
    const refused = [...this.#sent.values()].filter(({ isRefused }) => isRefused);
    const [first] = refused.sort((one, other) => one.number - other.number);
    if (first.isForNow && first.number > this.#handled) this.#sendAgain(first.number - 1);
    else this.#session.reattach();
  }

  /** Sends what the server hasn't taken, in its order: all after this number. */
  #sendAgain(handled) {
    this.#port.timers.clearTimeout(this.#retryTimer);
    const again = [];
    for (const [number, entry] of this.#sent) {
      if (number <= handled) continue;
      this.#sent.delete(number);
      entry.isInFlight = false;
      again.push(entry);
    }
    for (const entry of again) {
      entry.isSent = false;
      this.#tell('pending', entry);
    }
    const waiting = [...again, ...this.#unsent.take()];
    for (const entry of waiting) if (!entry.isSettled) this.#unsent.push(entry);
    this.#last = handled;
    this.isStalled = false;
    this.#flush();
  }

  connectionLost() {
    this.#port.timers.clearTimeout(this.#retryTimer);
    for (const entry of this.#sent.values()) entry.isInFlight = false;
    this.#endOngoing();
  }

  /** The server says no more of work whose event it has answered. */
  #endOngoing() {
    for (const token of this.#ongoing) this.#port.endProgress(token);
    this.#ongoing.clear();
  }

  end(error, answersCome) {
    this.#closedError = error;
    this.#port.timers.clearTimeout(this.#retryTimer);
    this.#endOngoing();
    const waiting = [...this.#sent.values(), ...this.#unsent.take()];
    // Those in flight may get their own answers: a view model that takes itself off answers what made it do so.
    for (const entry of waiting) {
      if (entry.isInFlight && answersCome) continue;
      entry.isInFlight = false;
      entry.drop(error);
    }
  }

  #flush() {
    // Fewer than a session takes, since other views may send as well.
    const window = Math.max(1, Math.min(256, (this.#port.limits().pendingEvents ?? 256) >> 1));
    while (this.#unsent.length > 0 && this.#sent.size < window && !this.isStalled && this.#session.isAttached()) {
      this.#transmit(this.#unsent.shift(), ++this.#last);
    }
  }

  #transmit(entry, number) {
    const params = { event: entry.event, number };
    if (entry.token) params.workDoneToken = entry.token;
    entry.number = number;
    entry.isInFlight = true;
    entry.isRefused = false;
    entry.isSent = true;
    this.#sent.set(number, entry);
    const request = this.#session.request(params, { signal: entry.signal });
    entry.request = request;
    this.#tell('sent', entry);
    request.then(
      (result) => {
        if (this.#sent.get(number) === entry) this.#sent.delete(number);
        if (!this.isStalled) this.#session.refused(null);
        // Not where the connection or the view has ended since: that ends it, too.
        const isCurrent = entry.isInFlight && !this.#closedError;
        entry.goesOn = entry.token !== undefined && result?.progress === true && isCurrent;
        entry.resolve();
        this.#flush();
      },
      (error) => {
        // An answer that comes together with a new attachment is settled later, when the event was sent again.
        if (entry.request === request && entry.isInFlight) this.#failed(entry, error);
      },
    );
  }

  #failed(entry, error) {
    // Who shuts down is told that the session is gone: the end of the client, which follows, is the reason.
    const isPassing = !this.#session.isAttached() || this.#port.isClosing();
    const isBetween = error.name === 'UnknownSession' && isPassing && !this.#closedError;
    if (error.name === 'ConnectionLost' || isBetween) {
      // Decided when the view is attached again, or ends.
      entry.isInFlight = false;
      if (this.#closedError) entry.drop(this.#closedError);
      return;
    }
    const isRefused = error.data?.path === '/number' || isForNow(error);
    if (!isRefused || this.#closedError || (!isForNow(error) && ++entry.refusals > 3)) {
      this.#sent.delete(entry.number);
      // Its number is the next one's. One that is on its way already is refused for its own, and is sent again.
      if (foundNoRoom(error) && entry.number === this.#last) this.#last -= 1;
      if (!this.isStalled) this.#session.refused(null);
      if (error.name === 'UnknownSession') entry.drop(error);
      else entry.reject(error);
      return this.#flush();
    }
    // The server has not taken it, nor any after it: they are sent again in their order.
    entry.isInFlight = false;
    entry.isRefused = true;
    entry.isForNow = isForNow(error);
    if (entry.isForNow) this.#session.refused(error);
    if (this.isStalled) return;
    this.isStalled = true;
    this.#retryTimer = this.#port.timers.setTimeout(() => this.#retry(), error.data.retryAfterMs ?? 0);
  }

  /** What is on its way is cancelled by its request. */
  #abort(entry) {
    this.#unsent.remove(entry);
    entry.reject(entry.signal.reason);
  }

  #tell(state, entry) {
    if (this.#session.hasListeners() && (state !== 'pending' || !entry.isSettled)) {
      this.#session.tell({ state, ...shown(entry) });
    }
  }
}

function forgottenError() {
  const message = "the server doesn't know any more whether it took this event, so it isn't sent again";
  return ownError('ConnectionLost', message);
}

/** An event that its session had no room for has taken no number. */
function foundNoRoom({ name, data }) {
  return name === 'LimitExceeded' && (data?.limit === 'pendingEvents' || data?.limit === 'pendingBytes');
}

/** An event that was sent, for the program: a copy, since ours may be sent again. */
function shown({ event, isSent }) {
  return { event: structuredClone(event), isSent };
}
