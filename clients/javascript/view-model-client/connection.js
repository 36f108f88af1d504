// The connection to a server, which is made again when it is lost.
import { ViewModelError, ownError, silentError } from './errors.js';
import { framings } from './framing.js';
import { Heartbeat } from './heartbeat.js';
import { Peer } from './peer.js';
import { systemTimers, unlessAborted, within } from './runtime.js';
import { address } from './transports.js';

const defaults = {
  framing: 'headers',
  connectTimeout: 10_000,
  keepAlive: 30_000,
  answerTimeout: 5_000,
  closeTimeout: 2_000,
};

/** The delay before the first try, and the longest. Each is twice the one before, less a random part. */
const backoff = { initialDelay: 200, maxDelay: 10_000 };

/** One after another, until it is closed for good. Requests wait while there is none. */
export class Connection {
  timers;
  /** What the server said to `initialize`, the last time; null before. */
  initialized = null;
  #target;
  #options;
  #backoff;
  #owner;
  #state = 'connecting';
  #peer = null;
  /** Those who wait for a connection: each is called with a peer, or with null when there will never be one. */
  #waiting = [];
  #failures = 0;
  #retryTimer = null;
  #heartbeat = null;
  /** What `close` has begun; null before it. */
  #closing = null;
  /** Whether it waits for answers no more. */
  #isClosing = false;
  #isSilent = false;
  /** The error for which it was closed for good. */
  #cause;

  /**
   * @param owner is told what becomes of it, by `connected(peer)`, `lost()`, `silenceChanged()`, `ended(closed, error)`
   *   and `stateChanged(state, details)`, and what comes, by `notified(peer, method, params, length)`, `answered()`,
   *   `pinged(result)`, `message(direction, message)`, `log(entry)` and `problem(error)`. By `waits()` it says whether
   *   it has something to ask again, for which no request is on its way
   */
  constructor(target, { reconnect = true, timers, ...others }, owner) {
    this.#target = target;
    this.timers = { ...systemTimers, ...timers };
    this.#options = { ...defaults, ...others, timers: this.timers };
    check(target, this.#options);
    this.#backoff = reconnect && canReconnect(target) ? { ...backoff, ...(reconnect === true ? {} : reconnect) } : null;
    this.#owner = owner;
  }

  /** One of those that `Client.state` names. */
  get state() {
    return this.#state;
  }

  get isSilent() {
    return this.#isSilent;
  }

  get isClosing() {
    return this.#isClosing;
  }

  get comesBack() {
    return this.#backoff !== null;
  }

  /** Whether a request is unanswered. */
  get isWaiting() {
    return this.#peer?.isWaiting ?? false;
  }

  /** The first one: rejects where it fails. */
  async open(signal) {
    signal?.throwIfAborted();
    const abort = () => this.#peer?.fail(ownError('ConnectionLost', 'connecting was aborted', signal.reason));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await this.#connect();
    } catch (error) {
      this.#finish({ reason: 'connectionLost', message: error.message, error });
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * What the server answers, on this connection or, where it `isRepeatable`, on a later one.
   *
   * @param taken is called with the result and the peer before anything that comes after it is read
   */
  request(method, params, options = {}) {
    return unlessAborted(options.signal, this.#answer(method, params, options));
  }

  async #answer(method, params, { signal, taken, isRepeatable = false }) {
    for (;;) {
      // At once where that is possible, so that requests go out in the order of asking.
      const peer = this.#isConnected && !this.#closing ? this.#peer : await this.#connected(signal);
      // Lost since: nothing was sent yet.
      if (peer.isOver) continue;
      try {
        return await peer.request(method, params, { signal, taken });
      } catch (error) {
        if (!isRepeatable || error.name !== 'ConnectionLost' || !this.#backoff || this.#isClosing) throw error;
        signal?.throwIfAborted();
      }
    }
  }

  /** Tries to connect now instead of when the wait is over. */
  reconnect() {
    if (this.#state !== 'waiting') return;
    this.#stopTimer();
    this.#tryAgain();
  }

  /**
   * Ends it for good: takes no more requests, and waits for these answers first.
   *
   * @param answers gives a promise for them; undefined where there is nothing to wait for
   */
  close(answers) {
    this.#closing ??= this.#close(answers());
    return this.#closing;
  }

  async #close(answers) {
    if (answers) await answers;
    // It may have ended meanwhile.
    if (this.#state === 'closed') return;
    this.#isClosing = true;
    this.#stopTimer();
    const peer = this.#peer;
    if (this.#isConnected) {
      await within(this.timers, this.#options.closeTimeout, peer.request('shutdown').catch(() => {}));
      peer.notify('exit');
    }
    this.#finish({ reason: 'closed', message: 'the client was closed' });
    await peer?.close();
  }

  /** Whether something can be sent. */
  get #isConnected() {
    return this.#state === 'connected' || this.#state === 'silent';
  }

  /** The next initialized connection. */
  #connected(signal) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closing || this.#state === 'closed') {
      return Promise.reject(ownError('Closed', 'the client is closed', this.#cause));
    }
    return new Promise((resolve, reject) => {
      const wait = (peer) => {
        signal?.removeEventListener('abort', abort);
        if (peer) resolve(peer);
        else reject(ownError('ConnectionLost', 'the connection was lost and is not coming back', this.#cause));
      };
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== wait);
        reject(signal.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(wait);
    });
  }

  async #connect() {
    this.#setState('connecting');
    const owner = this.#owner;
    const peer = new Peer(this.#target, this.#options, {
      message: (direction, message) => owner.message(direction, message),
      log: (entry) => owner.log(entry),
      problem: (error) => owner.problem(error),
      notified: (method, params, length) => owner.notified(peer, method, params, length),
      asked: () => owner.waits() || this.#heartbeat?.asked(peer),
      heard: () => this.#heartbeat?.heard(peer),
      answered: () => peer === this.#peer && owner.answered(),
      lost: (error) => this.#lost(peer, error),
    });
    this.#peer = peer;
    const { connectTimeout, clientInfo, token } = this.#options;
    const fail = () => peer.fail(silentError(`no answer within ${connectTimeout} ms`));
    const timer = this.timers.setTimeout(fail, connectTimeout);
    try {
      await peer.opened;
      const params = { protocolVersion: '1.2', clientInfo: clientInfo ?? { name: 'view-model-client' } };
      if (token !== undefined) params.token = token;
      await peer.request('initialize', params, {
        taken: (result) => {
          this.initialized = result;
          peer.notify('initialized');
          this.timers.clearTimeout(timer);
          if (!this.#isClosing) this.#didConnect(peer);
        },
      });
    } catch (error) {
      peer.fail(error);
      throw error;
    } finally {
      this.timers.clearTimeout(timer);
    }
  }

  #didConnect(peer) {
    this.#failures = 0;
    const { answerTimeout, keepAlive } = this.#options;
    const delays = { waiting: answerTimeout, idle: this.#backoff ? keepAlive : 0 };
    this.#heartbeat = new Heartbeat(peer, this.timers, delays, {
      waits: () => peer.isWaiting || this.#owner.waits(),
      ask: () => this.#ping(peer),
      tell: (error) => this.#heardNothing(peer, error),
    });
    this.#owner.connected(peer);
    this.#setState('connected');
    this.#tellWaiting(peer);
  }

  #ping(peer) {
    const taken = (result) => peer === this.#peer && this.#owner.pinged(result);
    peer.request('ping', {}, { taken, isAside: true }).catch(() => {});
  }

  /** A connection that can be made again is given up; one that can't is waited for. */
  #heardNothing(peer, error) {
    if (this.#backoff && error) return peer.fail(error);
    this.#setState(error ? 'silent' : 'connected', error ? { error, message: error.message } : {});
    this.#owner.silenceChanged();
  }

  #lost(peer, error) {
    if (peer !== this.#peer || this.#isClosing) return;
    const wasConnected = this.#isConnected;
    this.#isSilent = error.data?.isSilent === true;
    this.#heartbeat?.stop();
    this.#owner.lost();
    // While it connects, the caller that awaits the first answer gets the error, and decides.
    if (wasConnected) this.#wait(error);
  }

  #wait(error) {
    if (!this.#backoff) return this.#finish({ reason: 'connectionLost', message: error.message, error });
    const { initialDelay, maxDelay } = this.#backoff;
    const longest = Math.min(maxDelay, initialDelay * 2 ** Math.min(this.#failures, 30));
    const delay = Math.round(longest * (0.5 + this.timers.random() / 2));
    this.#failures += 1;
    this.#retryTimer = this.timers.setTimeout(() => this.#tryAgain(), delay);
    this.#setState('waiting', { delay, at: this.timers.now() + delay, attempt: this.#failures, error });
  }

  async #tryAgain() {
    this.#retryTimer = null;
    try {
      await this.#connect();
    } catch (error) {
      if (this.#isClosing) return;
      if (isFinal(error)) this.#finish({ reason: 'connectionLost', message: error.message, error });
      else this.#wait(error);
    }
  }

  #stopTimer() {
    this.timers.clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
  }

  #finish({ reason, message, error }) {
    this.#heartbeat?.stop();
    this.#stopTimer();
    this.#cause = error;
    this.#owner.ended({ reason, message }, error);
    this.#setState('closed', { reason, message, error });
    this.#tellWaiting(null);
  }

  #tellWaiting(peer) {
    for (const wait of this.#waiting.splice(0)) wait(peer);
  }

  #setState(state, details = {}) {
    if (this.#state === state && state !== 'connecting') return;
    this.#state = state;
    if (details.error) this.#isSilent = details.error.data?.isSilent === true;
    if (state === 'connected') this.#isSilent = false;
    this.#owner.stateChanged(state, details);
  }
}

function check(target, { framing }) {
  const kinds = ['webSocket', 'command', 'tcp', 'unix', 'transport'].filter((kind) => target?.[kind]);
  if (kinds.length !== 1) {
    throw new TypeError('a target is { webSocket: url }, { command: [...] }, { tcp: "host:port" } or { unix: path }');
  }
  if (target.tcp) address(target.tcp);
  framings(framing);
}

/** A process that ended took its sessions with it. */
function canReconnect(target) {
  return !target.command;
}

/** The server is there and says no: asking again gets the same answer. */
function isFinal(error) {
  return error instanceof ViewModelError && error.code !== 0 && error.name !== 'LimitExceeded';
}
