import { silentError } from './errors.js';

/**
 * Finds connections that are dead without being closed, as after a change of networks, and servers that stand still.
 *
 * The server is asked by a `ping`: again and again while an answer is waited for, whatever else comes, since what that
 * says of its store must be known; else where nothing came for a while. Where nothing at all comes after one, for twice
 * as long as is waited, that is told; and, once, when something comes after all.
 */
export class Heartbeat {
  #peer;
  #timers;
  #delays;
  #on;
  #timer = null;
  /** When something came, or when a request went out on which others waited for nothing. */
  #since = 0;
  /** When it was asked last, or had to wait where it didn't. */
  #askedAt = 0;
  /** When it was asked first of all since something came; null where it wasn't. */
  #pingedAt = null;
  #isSilent = false;

  /**
   * @param delays `{ waiting, idle }`: milliseconds where an answer is waited for, and where none is; 0 for never
   * @param on `waits()`, whether an answer is waited for; `ask()`; `tell(error)`, with null when there is none any more
   */
  constructor(peer, timers, delays, on) {
    this.#peer = peer;
    this.#timers = timers;
    this.#delays = delays;
    this.#on = on;
    this.heard(peer);
    this.#wait();
  }

  /** A request waits where none did. */
  asked(peer) {
    if (peer !== this.#peer || this.#pingedAt !== null) return;
    this.#since = this.#askedAt = this.#timers.now();
    this.#wait();
  }

  heard(peer) {
    if (peer !== this.#peer) return;
    this.#since = this.#timers.now();
    this.#pingedAt = null;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#askedAt = this.#since;
    this.#on.tell(null);
    this.#wait();
  }

  stop() {
    this.#timers.clearTimeout(this.#timer);
  }

  /** When it is asked; undefined for never. */
  get #askAt() {
    const { waiting, idle } = this.#delays;
    if (waiting && this.#on.waits()) return this.#askedAt + waiting;
    return idle ? Math.max(this.#since, this.#askedAt) + idle : undefined;
  }

  /** When it is silent, unless something comes; undefined where it isn't asked. */
  get #silentAt() {
    if (this.#pingedAt === null || this.#isSilent) return undefined;
    const delay = this.#delays.waiting || this.#delays.idle;
    return Math.max(this.#since + 2 * delay, this.#pingedAt + delay);
  }

  #wait() {
    this.stop();
    const end = Math.min(this.#askAt ?? Infinity, this.#silentAt ?? Infinity);
    if (end === Infinity) return;
    this.#timer = this.#timers.setTimeout(() => this.#look(), Math.max(0, end - this.#timers.now()));
    // Waiting for news keeps no program running.
    this.#timer?.unref?.();
  }

  #look() {
    if (this.#peer.isOver) return;
    const now = this.#timers.now();
    if (now >= this.#silentAt) {
      this.#isSilent = true;
      const seconds = Math.round((now - this.#since) / 1_000);
      return this.#on.tell(silentError(`the server hasn't answered for ${seconds} s`));
    }
    if (now >= this.#askAt) {
      this.#askedAt = now;
      this.#pingedAt ??= now;
      this.#on.ask();
    }
    this.#wait();
  }
}
