// A client of the view model protocol, version 1.2: in browsers over WebSocket, in Node also over standard input and
// output, TCP and Unix sockets. One file without dependencies, so that a server can hand it to a page.
//
//   const client = await connect({ webSocket: 'ws://127.0.0.1:7351/ws' });
//   const counter = await client.open('counter', { start: 40 });
//   counter.on('count', (event) => console.log(event.value));
//   await counter.send({ kind: 'increment', by: 2 });
//
// From the outside in: `connect`, `Client` (one server, whatever becomes of the connection), `View` (one session, over
// all reconnects), `List` (rows of a view), `Peer` (one connection's requests and answers), transports and framings.

/**
 * Connects to a server and initializes the connection.
 *
 * @param target where the server is: `{ webSocket: url }`, `{ command: [path, ...arguments] }`, `{ tcp: 'host:port' }`,
 *   `{ unix: path }`
 * @param options.signal aborts the first connection, and has no effect afterwards
 * @returns {Promise<Client>} rejects where the first connection fails; only later ones are tried again
 */
export async function connect(target, { signal, ...options } = {}) {
  const client = new Client(target, options);
  await client[start](signal);
  return client;
}

const errorNames = new Map([
  [-32700, 'ParseError'],
  [-32600, 'InvalidRequest'],
  [-32601, 'MethodNotFound'],
  [-32602, 'InvalidParams'],
  [-32603, 'InternalError'],
  [-32002, 'ServerNotInitialized'],
  [-32800, 'RequestCancelled'],
  [-32010, 'Unauthorized'],
  [-32011, 'UnknownViewModel'],
  [-32012, 'UnknownSession'],
  [-32013, 'ReplayUnavailable'],
  [-32014, 'ViewModelFailed'],
  [-32015, 'LimitExceeded'],
  [-32016, 'StoreUnavailable'],
  [-32017, 'Forbidden'],
]);

/** The server's error answer, or (with code 0) an error that the client found itself. */
export class ViewModelError extends Error {
  constructor(code, message, data, name = errorNames.get(code) ?? 'ServerError', options = undefined) {
    super(message, options);
    this.code = code;
    this.name = name;
    this.data = data;
  }
}

/** @param cause the error that led to it, where there is one */
function ownError(name, message, cause, data) {
  return new ViewModelError(0, message, data, name, cause && { cause });
}

/** `data.isSilent` tells a server that stands still, or a connection without another end, from one that was ended. */
function silentError(message) {
  return ownError('ConnectionLost', message, undefined, { isSilent: true });
}

/** Settles as the promise does; or, as soon as the signal is aborted, rejects with its reason. */
function unlessAborted(signal, promise) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Calls all listeners of a kind, in the order of adding. One that throws doesn't keep the others from being called. */
class Listeners {
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

const start = Symbol('start');

const defaults = {
  framing: 'headers',
  connectTimeout: 10_000,
  keepAlive: 30_000,
  answerTimeout: 5_000,
  closeTimeout: 2_000,
};

/** How many milliseconds closing waits for the answers to what was sent. */
const leaveTimeout = 1_000;

/** The delay before the first try, and the longest. Each is twice the one before, less a random part. */
const backoff = { initialDelay: 200, maxDelay: 10_000 };

const systemTimers = {
  setTimeout: (call, delay) => globalThis.setTimeout(call, delay),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => Date.now(),
  random: () => Math.random(),
};

/** A server, over all reconnects. Made by `connect`. */
export class Client {
  #target;
  #options;
  #backoff;
  #timers;
  #listeners = new Listeners((error) => this.#report(error));
  #state = 'connecting';
  #initialized = null;
  #peer = null;
  #sessions = new Set();
  /** Those that have a name: the ones above, and those that are asked for. */
  #named = new Set();
  #name;
  #progress = new Map();
  #lastToken = 0;
  /** Those who wait for a connection: each is called with a peer, or with null when there will never be one. */
  #waiting = [];
  #failures = 0;
  #retryTimer = null;
  #watch = null;
  /** What `close` has begun; null before it. */
  #closing = null;
  /** Whether it waits for answers no more. */
  #isClosing = false;
  #isSilent = false;
  /** Why the server's store can't be used, as the answer to the newest ping says. */
  #stall;
  #toldStall;
  /** The error for which it was closed for good. */
  #cause;

  constructor(target, options = {}) {
    const { reconnect = true, timers, listeners = {}, clientName, ...others } = options;
    this.#name = clientName ?? `js-${randomText()}${randomText()}`;
    this.#target = target;
    this.#options = { ...defaults, ...others, timers: { ...systemTimers, ...timers } };
    check(target, this.#options);
    this.#timers = this.#options.timers;
    this.#backoff = reconnect && canReconnect(target) ? { ...backoff, ...(reconnect === true ? {} : reconnect) } : null;
    for (const [kind, listener] of Object.entries(listeners)) this.on(kind, listener);
  }

  /**
   * 'connecting', 'connected', 'silent' (the server doesn't answer, and there is only this connection), 'waiting' (for
   * the next try), 'closed' (for good).
   */
  get state() {
    return this.#state;
  }

  /** Whether there is no connection, or it is of no use, since the server doesn't answer; false where it was ended. */
  get isSilent() {
    return this.#isSilent;
  }

  /**
   * Why the server can't store anything now, in words, while something that was sent waits for that; undefined else.
   */
  get stall() {
    return this.#stall ?? [...this.#sessions].map(({ refusal }) => refusal).find((refusal) => refusal !== undefined);
  }

  /** The view models that can be opened: `[{ name, type }, …]`. */
  get viewModels() {
    return this.#initialized?.capabilities?.viewModels ?? [];
  }

  /** Those that only other view models show. */
  get children() {
    return this.#initialized?.capabilities?.children ?? [];
  }

  /** The Swift type of a view model with its module; undefined where the server doesn't tell it. */
  typeOf(viewModel) {
    return [...this.viewModels, ...this.children].find(({ name }) => name === viewModel)?.type;
  }

  get serverInfo() {
    return this.#initialized?.serverInfo;
  }

  get capabilities() {
    return this.#initialized?.capabilities ?? {};
  }

  get limits() {
    return this.#initialized?.limits ?? {};
  }

  /** Calls the listener for each 'state', 'stall', 'message', 'log' or 'error', until what is returned is called. */
  on(kind, listener) {
    return this.#listeners.add(kind, listener);
  }

  /** Opens a new session of a view model. */
  async open(viewModel, given, { signal } = {}) {
    const session = new Session(this.#port, { viewModel });
    const params = { viewModel, client: session.name };
    // By it the server knows an `open` whose answer was lost, and gives the same session again.
    if (this.#backoff) params.once = secretText();
    if (given !== undefined) params.arguments = given;
    const taken = (result, peer) => {
      // Nobody has seen a new one. Another was there before, and stays.
      if (signal?.aborted) return peer.giveUp(isFound(result) ? 'session/detach' : 'session/close', result.session);
      session.opened(result, peer);
    };
    try {
      await this.#request('session/open', params, { signal, taken, isRepeatable: true });
    } catch (error) {
      this.#named.delete(session);
      throw error;
    }
    return session.view;
  }

  /** Adds a view to a session that runs: with `since`, events after it follow; else a snapshot comes first. */
  async attach(key, { since, epoch, signal } = {}) {
    const session = new Session(this.#port, { key });
    const attach = async (since) => {
      const params = { key, client: session.name, ...place(since, epoch) };
      const taken = (result, peer) => {
        if (signal?.aborted) return peer.giveUp('session/detach', result.session);
        session.joined(key, since ?? 0, result, peer);
      };
      // Where the answer is lost with its connection, so is the view: it is asked for again.
      await this.#request('session/attach', params, { signal, taken, isRepeatable: true });
    };
    try {
      await attach(since).catch((error) => {
        if (since === undefined || error.name !== 'ReplayUnavailable') throw error;
        return attach();
      });
    } catch (error) {
      this.#named.delete(session);
      throw error;
    }
    return session.view;
  }

  /** The JSON Schemas of a view model: `{ name, arguments, viewEvent, viewModelEvent, $defs? }`. */
  describe(viewModel, { signal } = {}) {
    return this.#request('viewModel/describe', { viewModel }, { signal, isRepeatable: true });
  }

  /** Sends any request; while there is no connection it waits for one. Aborting rejects it, and cancels it there. */
  request(method, params = {}, { signal } = {}) {
    return this.#request(method, params, { signal });
  }

  /** Tries to connect now instead of when the wait is over. */
  reconnect() {
    if (this.#state !== 'waiting') return;
    this.#stopTimer();
    this.#tryAgain();
  }

  /**
   * Ends the connection for good, and leaves the sessions: the server keeps those that can be found again. It waits a
   * second at most for the answers to events; those that aren't answered by then are rejected, and are `dropped`.
   */
  async close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    const isUnanswered = ({ outbox }) => outbox.isWaiting;
    const answers = [...this.#sessions].filter(isUnanswered).map(({ outbox }) => outbox.idle());
    if (answers.length > 0) await within(this.#timers, leaveTimeout, Promise.all(answers));
    // It may have ended meanwhile.
    if (this.#state === 'closed') return;
    this.#isClosing = true;
    this.#stopTimer();
    const peer = this.#peer;
    if (this.#isConnected) {
      await within(this.#timers, this.#options.closeTimeout, peer.request('shutdown').catch(() => {}));
      peer.notify('exit');
    }
    this.#finish({ reason: 'closed', message: 'the client was closed' });
    await peer?.close();
  }

  async [start](signal) {
    signal?.throwIfAborted();
    const abort = () => this.#peer?.fail(ownError('ConnectionLost', 'connecting was aborted', signal.reason));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await findRandomSource();
      await this.#connectOnce();
    } catch (error) {
      this.#finish({ reason: 'connectionLost', message: error.message, error });
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The client, as its sessions use it. */
  get #port() {
    return {
      limits: () => this.limits,
      timers: this.#timers,
      problem: (error) => this.#report(error),
      isSilent: () => this.#state === 'silent',
      isClosing: () => this.#isClosing,
      stall: () => this.#stall,
      didChangeRefusal: () => this.#setStall(this.#stall),
      takeName: (session) => this.#takeName(session),
      add: (session) => this.#sessions.add(session),
      remove: (session) => {
        this.#sessions.delete(session);
        this.#named.delete(session);
      },
      addProgress: (listener) => {
        const token = `progress-${++this.#lastToken}`;
        this.#progress.set(token, { listener, hasBegun: false });
        return token;
      },
      endProgress: (token) => this.#progressed(token, { kind: 'end' }),
    };
  }

  /**
   * One name for the client, since a session keeps the name of each that has numbered events. It belongs to one view
   * at a time: a second view of what may be the same session gets a number behind it.
   */
  #takeName(session) {
    const may = (one, other) => !one || !other || one === other;
    const isSame = ({ key, viewModel }) => (session.key ? may(session.key, key) : may(session.viewModel, viewModel));
    const taken = [...this.#named].filter(isSame).map(({ name }) => name);
    let name = this.#name;
    for (let number = 2; taken.includes(name); number += 1) name = `${this.#name}.${number}`;
    this.#named.add(session);
    return name;
  }

  /** Whether something can be sent. */
  get #isConnected() {
    return this.#state === 'connected' || this.#state === 'silent';
  }

  #request(method, params, options) {
    return unlessAborted(options.signal, this.#answer(method, params, options));
  }

  /** What the server answers, on this connection or on a later one. */
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

  async #connectOnce() {
    this.#setState('connecting');
    const peer = new Peer(this.#target, this.#options, {
      message: (direction, message) =>
        this.#listeners.call('message', { direction, message, at: this.#timers.now() }),
      log: (entry) => this.#listeners.call('log', entry),
      problem: (error) => this.#report(error),
      notified: (method, params, length) => this.#notified(peer, method, params, length),
      asked: () => this.#hasRefusals || this.#watch?.asked(peer),
      heard: () => this.#watch?.heard(peer),
      answered: () => peer === this.#peer && this.#stall !== undefined && this.#setStall(this.#stall),
      lost: (error) => this.#lost(peer, error),
    });
    this.#peer = peer;
    const timer = this.#timers.setTimeout(
      () => peer.fail(silentError(`no answer within ${this.#options.connectTimeout} ms`)),
      this.#options.connectTimeout,
    );
    try {
      await peer.opened;
      const params = { protocolVersion: '1.2', clientInfo: this.#options.clientInfo ?? { name: 'view-model-client' } };
      if (this.#options.token !== undefined) params.token = this.#options.token;
      await peer.request('initialize', params, {
        taken: (result) => {
          this.#initialized = result;
          peer.notify('initialized');
          this.#timers.clearTimeout(timer);
          if (!this.#isClosing) this.#didConnect(peer);
        },
      });
    } catch (error) {
      peer.fail(error);
      throw error;
    } finally {
      this.#timers.clearTimeout(timer);
    }
  }

  #didConnect(peer) {
    this.#failures = 0;
    const { answerTimeout, keepAlive } = this.#options;
    const delays = { waiting: answerTimeout, idle: this.#backoff ? keepAlive : 0 };
    this.#watch = new Watch(peer, this.#timers, delays, {
      waits: () => this.#isWaiting,
      ask: () => this.#ping(peer),
      tell: (error) => this.#heardNothing(peer, error),
    });
    for (const session of this.#sessions) session.resume(peer);
    this.#setState('connected');
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wait of waiting) wait(peer);
  }

  #lost(peer, error) {
    if (peer !== this.#peer || this.#isClosing) return;
    const wasConnected = this.#isConnected;
    this.#isSilent = error.data?.isSilent === true;
    this.#watch?.stop();
    for (const session of this.#sessions) session.connectionLost();
    this.#setStall(undefined);
    // While it connects, the caller that awaits the first answer gets the error, and decides.
    if (!wasConnected) return;
    this.#wait(error);
  }

  #wait(error) {
    if (!this.#backoff) return this.#finish({ reason: 'connectionLost', message: error.message, error });
    const { initialDelay, maxDelay } = this.#backoff;
    const longest = Math.min(maxDelay, initialDelay * 2 ** Math.min(this.#failures, 30));
    const delay = Math.round(longest * (0.5 + this.#timers.random() / 2));
    this.#failures += 1;
    this.#retryTimer = this.#timers.setTimeout(() => this.#tryAgain(), delay);
    this.#setState('waiting', { delay, at: this.#timers.now() + delay, attempt: this.#failures, error });
  }

  async #tryAgain() {
    this.#retryTimer = null;
    try {
      await this.#connectOnce();
    } catch (error) {
      if (this.#isClosing) return;
      if (isFinal(error)) this.#finish({ reason: 'connectionLost', message: error.message, error });
      else this.#wait(error);
    }
  }

  /** A connection that can be made again is given up; one that can't is waited for. */
  #heardNothing(peer, error) {
    if (this.#backoff && error) return peer.fail(error);
    this.#setState(error ? 'silent' : 'connected', error ? { error, message: error.message } : {});
    for (const session of this.#sessions) session.didChangeSilence();
  }

  /** Whether something is unanswered, or waits to be asked again since the store couldn't be used. */
  get #isWaiting() {
    return this.#peer?.isWaiting || this.#hasRefusals;
  }

  get #hasRefusals() {
    return [...this.#sessions].some(({ refusal }) => refusal !== undefined);
  }

  #ping(peer) {
    const taken = (result) => {
      if (peer !== this.#peer) return;
      const stall = result?.storeUnavailable;
      if (typeof stall === 'string') return this.#setStall(stallReason(stall));
      for (const session of this.#sessions) session.storeWorks();
      this.#setStall(undefined);
    };
    peer.request('ping', {}, { taken, isAside: true }).catch(() => {});
  }

  /** Where nothing waits for the store, it doesn't matter. */
  #setStall(stall) {
    this.#stall = this.#isWaiting ? stall : undefined;
    this.#tellStall();
  }

  #tellStall() {
    for (const session of this.#sessions) session.tellStall();
    const { stall } = this;
    if (stall === this.#toldStall) return;
    this.#toldStall = stall;
    this.#listeners.call('stall', stall);
  }

  #stopTimer() {
    this.#timers.clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
  }

  #finish({ reason, message, error }) {
    this.#watch?.stop();
    this.#stopTimer();
    this.#cause = error;
    for (const session of [...this.#sessions]) session.end({ reason, message }, error, false);
    this.#setStall(undefined);
    this.#setState('closed', { reason, message, error });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wait of waiting) wait(null);
  }

  #setState(state, details = {}) {
    if (this.#state === state && state !== 'connecting') return;
    this.#state = state;
    if (details.error) this.#isSilent = details.error.data?.isSilent === true;
    if (state === 'connected') this.#isSilent = false;
    this.#listeners.call('state', state, details);
  }

  #notified(peer, method, params, length) {
    switch (method) {
      case 'viewModel/event':
      case 'navigation/push':
      case 'navigation/present':
      case 'navigation/pop':
      case 'navigation/dismiss':
      case 'session/closed': {
        const session = peer.sessions.get(params.session);
        if (session) return session.received(method, params, length);
        // A message that was on its way to a view that was left is no error.
        if (peer.isKnown(params.session)) return;
        return this.#report(ownError('ProtocolError', `${method} for session ${params.session}, which isn't known`));
      }
      case '$/progress':
        return this.#progressed(params.token, params.value);
      case 'window/logMessage': {
        const level = ['error', 'warning', 'info', 'log'][params.type - 1] ?? 'log';
        return this.#listeners.call('log', { level, message: params.message, source: 'server' });
      }
      case '$/logTrace':
        return this.#listeners.call('log', { level: 'log', message: params.message, source: 'trace' });
    }
  }

  /** A listener is told an end where it was told a beginning. */
  #progressed(token, value) {
    const progress = this.#progress.get(token);
    if (!progress) return;
    progress.hasBegun ||= value.kind === 'begin';
    if (value.kind === 'end') this.#progress.delete(token);
    if (progress.hasBegun) this.#listeners.callOne(progress.listener, value);
  }

  #isReporting = false;

  /** An error that a listener of errors throws goes to the console. */
  #report(error) {
    if (this.#listeners.has('error') && !this.#isReporting) {
      this.#isReporting = true;
      this.#listeners.call('error', error);
      this.#isReporting = false;
    } else {
      console.error('view-model-client:', error);
    }
  }
}

/** An `open` may find a session that was there before. */
function isFound({ isNew, seq }) {
  return isNew === false || seq !== undefined;
}

/** Where a view goes on: at a number of a history, which another one may have taken the place of. */
function place(since, epoch) {
  if (since === undefined) return {};
  return epoch === undefined ? { since } : { since, epoch };
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

function within(timers, delay, promise) {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(resolve, delay);
    promise.then((value) => {
      timers.clearTimeout(timer);
      resolve(value);
    });
  });
}

/** A view of one session, over all reconnects. Made by a client's `open` and `attach`. */
export class View {
  #session;

  constructor(session) {
    this.#session = session;
  }

  /** The name of the view model. */
  get viewModel() {
    return this.#session.viewModel;
  }

  /** With it, any client may attach to the same session. */
  get key() {
    return this.#session.key;
  }

  /** The number of the newest event that came. */
  get seq() {
    return this.#session.seq;
  }

  /** Which history the number is of; undefined where the server doesn't say. */
  get epoch() {
    return this.#session.epoch;
  }

  /** The children on and over this view: `{ stack: [{ viewModel, key }], presented }`. */
  get navigation() {
    return this.#session.navigation;
  }

  /** Null until the view is closed, then `{ reason, message }`. */
  get closed() {
    return this.#session.closed;
  }

  /** Whether its events come now. While it isn't, what is shown may be old. */
  get isAttached() {
    return this.#session.isFollowing;
  }

  /** Why what this view waits for isn't done, where the server can't store anything now; undefined else. */
  get stall() {
    return this.#session.stall;
  }

  /** The events that were sent with `send` and aren't answered: `[{ event, isSent }, …]`, in their order. */
  get pending() {
    return this.#session.outbox.pending;
  }

  /**
   * The events that are given back, `[{ event, isSent }, …]`: those that were lost with the session, and those of which
   * the server can't say any more whether it took them. Complete when the view is closed.
   */
  get dropped() {
    return this.#session.outbox.dropped;
  }

  /** The view model's events: for the first iteration from the first event on, for others from their beginning. */
  get events() {
    const feed = this.#session.feed;
    return { [Symbol.asyncIterator]: () => feed.iterator() };
  }

  /** Resolves when the view model has handled it, and all that it said meanwhile has come. */
  send(event, { signal, onProgress } = {}) {
    return this.#session.outbox.add(event, signal, onProgress);
  }

  /**
   * The list of this name, the same object each time.
   *
   * @param options.id the member by which rows are known again: `id` where nothing is said, null for none
   */
  list(name, { id } = {}) {
    return this.#session.lists.named(name, id);
  }

  /** Calls the listener with each event of a kind ('*': of any) until what is returned is called. */
  on(kind, listener) {
    return this.#session.feed.on(kind === '*' ? 'event' : `event ${kind}`, listener);
  }

  onAny(listener) {
    return this.#session.feed.on('event', listener);
  }

  /** Calls the listener with each `{ action: 'push' | 'present' | 'pop' | 'dismiss', viewModel?, key }`. */
  onNavigation(listener) {
    return this.#session.feed.on('navigation', listener);
  }

  /** Calls the listener before the events of a snapshot: what is shown so far is to be forgotten. */
  onSnapshot(listener) {
    return this.#session.feed.on('snapshot', listener);
  }

  /** Calls the listener with each `{ state: 'pending' | 'sent' | 'settled' | 'dropped', event, isSent }`. */
  onDelivery(listener) {
    return this.#session.news.add('delivery', listener);
  }

  /** Calls the listener with true or false when `isAttached` changes. */
  onAttached(listener) {
    return this.#session.news.add('attached', listener);
  }

  /** Calls the listener with `stall` when that changes. */
  onStall(listener) {
    return this.#session.news.add('stall', listener);
  }

  /** Calls the listener with `{ reason, message }` when the view is closed; at once where it is already. */
  onClosed(listener) {
    return this.#session.feed.on('closed', listener);
  }

  /** Leaves the session: to its other views, or to whoever comes back before the server ends it. */
  detach() {
    return this.#session.detach();
  }

  /** Ends the session for everyone, and removes what is stored of it. */
  endSession() {
    return this.#session.endForAll();
  }

  /** Goes back from a child. Rejects with `data.refused` where the view model stays. */
  back() {
    return this.#session.back();
  }
}

/** A view's attachment to connections. `peer` is null while it isn't attached. */
class Session {
  /** The client's name for this view, kept over reconnects. It needs to differ, not to be secret. */
  name;
  viewModel = '';
  key = '';
  seq = 0;
  epoch;
  navigation = { stack: [], presented: null };
  closed = null;
  feed;
  outbox;
  lists;
  /** Listeners to 'attached', 'stall' and 'delivery', which wait for nobody. */
  news;
  view = new View(this);
  #port;
  #peer = null;
  #number = 0;
  #waiting = [];
  #retryTimer = null;
  #cause;
  /** Whether any notification came in order since the view was attached. */
  #isInOrder = false;
  /** Whether it is attached anew only to send refused events again, of which nobody is to see anything. */
  #isComingBack = false;
  /** Whether another view has taken its place on this connection. */
  #wasReplaced = false;
  /** How many requests are unanswered, events and the opening aside. */
  #unanswered = 0;
  /** What is asked again a little later, since the server's store can't be used, with the reason. */
  #refusals = new Map();
  #toldStall;

  /** @param wanted `{ viewModel }` that is opened, or the `{ key }` of a session that is attached */
  constructor(port, { viewModel = '', key = '' }) {
    this.#port = port;
    Object.assign(this, { viewModel, key });
    this.name = port.takeName(this);
    this.feed = new Feed((error) => port.problem(error), () => this.viewModel);
    this.news = new Listeners((error) => port.problem(error));
    this.outbox = new Outbox(port, {
      request: (params, options) => this.#peer.request('view/event', { session: this.#number, ...params }, options),
      isAttached: () => this.isAttached,
      reattach: () => {
        if (!this.#peer) return;
        this.#isComingBack = true;
        this.#reattach();
      },
      hasListeners: () => this.news.has('delivery'),
      tell: (delivery) => this.news.call('delivery', delivery),
      didChange: () => {
        if (this.#refusals.has(this.outbox) && !this.outbox.isWaiting) this.#refused(this.outbox, null);
        this.tellStall();
      },
      refused: (error) => this.#refused(this.outbox, error),
    });
    this.lists = new Lists({
      timers: port.timers,
      limits: port.limits,
      problem: (error) => port.problem(error),
      isAttached: () => this.isAttached,
      request: (params, options) => this.#ask('session/rows', { session: this.#number, ...params }, options),
      read: (params, options) => this.#readRows(params, options),
      refused: (list, error) => this.#refused(list, error),
    });
  }

  get isAttached() {
    return this.#peer !== null;
  }

  /** Whether events come, or will in a moment. */
  get isFollowing() {
    return (this.isAttached || this.#isComingBack) && !this.isSilent;
  }

  get isSilent() {
    return this.#port.isSilent();
  }

  /** Why something is asked again a little later, where that is the server's store. */
  get refusal() {
    return [...this.#refusals.values()][0];
  }

  get stall() {
    if (this.closed) return undefined;
    const stall = this.refusal ?? this.#port.stall();
    const isWaiting = () => this.#refusals.size > 0 || this.#unanswered > 0 || this.outbox.isWaiting;
    return stall !== undefined && isWaiting() ? stall : undefined;
  }

  tellStall() {
    const { stall } = this;
    if (stall === this.#toldStall) return;
    this.#toldStall = stall;
    this.news.call('stall', stall);
  }

  /** The server's store works: what was refused and is on its way again waits for something else. */
  storeWorks() {
    if (!this.outbox.isStalled) this.#refused(this.outbox, null);
  }

  /** @param error of what `by` asks again a little later; null where it doesn't */
  #refused(by, error) {
    const isStore = error?.name === 'StoreUnavailable';
    if (!isStore && !this.#refusals.has(by)) return;
    if (isStore) this.#refusals.set(by, stallReason(error.message));
    else this.#refusals.delete(by);
    this.tellStall();
    this.#port.didChangeRefusal();
  }

  /** Sends a request, of which it counts whether it is answered. */
  async #ask(method, params, options, peer = this.#peer) {
    this.#unanswered += 1;
    try {
      return await peer.request(method, params, options);
    } finally {
      this.#unanswered -= 1;
      this.tellStall();
    }
  }

  didChangeSilence() {
    if (this.isAttached) this.news.call('attached', !this.isSilent);
  }

  opened(result, peer) {
    this.key = result.key;
    this.#didAttach(result, peer);
    this.#port.add(this);
    // Only the answer to an attachment says which numbers of events this name has used there.
    if (isFound(result) && result.handled === undefined) this.#reattach();
  }

  joined(key, since, result, peer) {
    this.key = key;
    this.seq = since;
    this.lists.isBegun = since > 0;
    this.#didAttach(result, peer);
    this.#port.add(this);
  }

  /** Attaches again on a new connection. */
  async resume(peer) {
    // Where a view was left or closed meanwhile, there is nothing to come back to.
    if (this.closed) return;
    try {
      await this.#attach(peer);
    } catch (error) {
      if (this.closed || peer.isOver) return;
      this.#stayAway();
      if (isForNow(error)) {
        this.#refused(this, error);
        this.#retryTimer = this.#port.timers.setTimeout(() => this.resume(peer), error.data.retryAfterMs);
      } else if (error.name === 'UnknownSession') {
        this.end({ reason: 'gone', message: 'the session ended while the connection was lost' }, error);
      } else {
        this.end({ reason: 'failed', message: `the view can't be attached again: ${error.message}` }, error);
      }
    }
  }

  connectionLost() {
    this.#port.timers.clearTimeout(this.#retryTimer);
    this.outbox.connectionLost();
    this.#wasReplaced = false;
    this.#refusals.clear();
    this.#stayAway();
    this.#leave();
  }

  #leave() {
    if (this.#peer === null) return;
    this.#peer = null;
    this.lists.left();
    if (!this.#isComingBack) this.news.call('attached', false);
  }

  /** It takes longer to come back. */
  #stayAway() {
    if (!this.#isComingBack) return;
    this.#isComingBack = false;
    if (!this.isAttached) this.news.call('attached', false);
  }

  /** @param length how long the message was */
  received(method, params, length) {
    if (method === 'session/closed') {
      // By what this client sent on a connection that it gave up, and came late. The second time it is another client.
      const isLate = params.reason === 'replaced' && !this.#wasReplaced;
      this.#wasReplaced ||= isLate;
      if (params.reason === 'overflow' || isLate) return this.#reattach(false);
      return this.end({ reason: params.reason, message: reasons[params.reason] ?? params.reason });
    }
    const previous = params.after ?? params.seq - 1;
    if (previous !== this.seq) return this.#outOfOrder(method, params);
    this.#isInOrder = true;
    this.seq = params.seq;
    if (method === 'viewModel/event') {
      const details = { seq: params.seq, more: params.more === true, isSnapshot: false };
      this.lists.event(params.event, details);
      this.feed.event(params.event, details, length);
    } else {
      const action = method.slice('navigation/'.length);
      const { viewModel, key } = params;
      this.#navigate(action, { viewModel, key });
      this.feed.navigation(viewModel === undefined ? { action, key } : { action, viewModel, key });
    }
  }

  /**
   * @param cause the error for which it ended
   * @param answersCome whether events that are on their way will still be answered
   */
  end(closed, cause, answersCome = true) {
    if (this.closed) return;
    this.closed = { message: reasons[closed.reason] ?? closed.reason, ...closed };
    this.#cause = cause;
    this.#port.timers.clearTimeout(this.#retryTimer);
    this.#peer?.sessions.delete(this.#number);
    this.#port.remove(this);
    // Before the listeners hear of the end: they may ask what was lost with it.
    this.outbox.end(closedError(this.closed, cause), answersCome);
    this.#refusals.clear();
    this.tellStall();
    this.#port.didChangeRefusal();
    this.#stayAway();
    this.#leave();
    this.feed.end(this.closed);
    this.#wake();
  }

  async detach() {
    if (this.closed) return;
    const [peer, session] = [this.#peer, this.#number];
    this.end({ reason: 'detached' });
    // Where the connection is lost, the view is gone as well.
    await peer?.request('session/detach', { session }).catch(ignoreLoss);
  }

  async endForAll() {
    while (await this.#isThere()) {
      try {
        await this.#ask('session/close', { session: this.#number });
        this.end({ reason: 'closed' });
      } catch (error) {
        if (error.name === 'UnknownSession') this.end({ reason: 'closed' });
        else if (error.name !== 'ConnectionLost') throw error;
      }
    }
  }

  async back() {
    if (!(await this.#isThere())) throw closedError(this.closed, this.#cause);
    await this.#ask('navigation/back', { session: this.#number });
  }

  /** Asks for rows, until the attachment gets them on which they were asked for. */
  async #readRows(params, { signal, taken }) {
    for (;;) {
      if (!(await this.#isThere())) throw closedError(this.closed, this.#cause);
      signal?.throwIfAborted();
      const [peer, session] = [this.#peer, this.#number];
      // Lost again since.
      if (!peer) continue;
      const isCurrent = () => this.#peer === peer && this.#number === session;
      try {
        const options = { signal, taken: (result) => isCurrent() && taken(result) };
        await this.#ask('session/rows', { session, ...params() }, options, peer);
        if (isCurrent()) return;
      } catch (error) {
        if (isCurrent() || (error.name !== 'ConnectionLost' && error.name !== 'UnknownSession')) throw error;
      }
    }
  }

  /** Whether it is attached now; waits while it isn't, until that is certain. */
  async #isThere() {
    while (!this.#peer && !this.closed) await new Promise((resolve) => this.#waiting.push(resolve));
    return this.closed === null;
  }

  #wake() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  async #attach(peer) {
    const attach = (since) => {
      const params = { key: this.key, client: this.name, ...place(since, this.epoch) };
      return this.#ask('session/attach', params, { taken: (result) => this.#didAttach(result, peer) }, peer);
    };
    try {
      await attach(this.seq);
    } catch (error) {
      // Neither can be answered with the events that are missing, but perhaps with all that is to be shown.
      const isTooLate = error.name === 'ReplayUnavailable' || error.data?.path === '/since';
      if (!isTooLate) throw error;
      await attach();
    }
  }

  /** Attaches again on the same connection, to come into step with the server. */
  #reattach(isThere = true) {
    const peer = this.#peer;
    peer.sessions.delete(this.#number);
    this.#leave();
    if (isThere) peer.request('session/detach', { session: this.#number }).catch(() => {});
    return this.resume(peer);
  }

  #didAttach(result, peer) {
    // Left while the answer was on its way.
    if (this.closed) return peer.giveUp('session/detach', result.session);
    this.viewModel = result.viewModel;
    this.epoch = result.epoch;
    this.navigation = result.navigation ?? { stack: [], presented: null };
    this.#attached(result, peer);
    if (result.snapshot) {
      this.seq = result.seq;
      this.lists.snapshot(result.snapshot, this.seq);
      this.feed.snapshot(result.snapshot, this.seq, this.navigation);
    }
    this.outbox.attached(result.handled);
    this.lists.attached();
  }

  #attached(result, peer) {
    this.#peer = peer;
    this.#number = result.session;
    this.#isInOrder = false;
    peer.add(result.session, this);
    this.#refused(this, null);
    this.#wake();
    const wasComingBack = this.#isComingBack;
    this.#isComingBack = false;
    if (!wasComingBack) this.news.call('attached', true);
  }

  #navigate(action, child) {
    const { stack, presented } = this.navigation;
    switch (action) {
      case 'push':
        this.navigation = { stack: [...stack, child], presented };
        break;
      case 'present':
        this.navigation = { stack, presented: child };
        break;
      case 'pop':
        this.navigation = { stack: stack.filter((other) => other.key !== child.key), presented };
        break;
      case 'dismiss':
        this.navigation = { stack, presented: presented?.key === child.key ? null : presented };
        break;
    }
  }

  #outOfOrder(method, { seq, after }) {
    const came = after === undefined ? `${seq}` : `${seq} (after ${after})`;
    const message = `${method} ${came} of ${this.viewModel} came where ${this.seq + 1} is next`;
    const data = { seq, after, last: this.seq, key: this.key };
    this.#port.problem(ownError('ProtocolError', message, undefined, data));
    // One that was there before is passed over.
    if (seq <= this.seq) return;
    // Lost on the way, or sent wrong: attaching again gets it, unless the server does it again.
    if (this.#isInOrder) this.#reattach();
    else this.end({ reason: 'failed', message: `${message}, and attaching again didn't help` });
  }
}

const reasons = {
  closed: 'the session was closed',
  dismissed: 'it was dismissed',
  popped: 'it was left',
  failed: 'the view model failed',
  overflow: 'too much waited for this view',
  serverShutdown: 'the server shut down',
  replaced: 'it is shown elsewhere, under the same name',
  detached: 'the view was detached',
};

function closedError({ reason, message }, cause) {
  const options = cause && { cause };
  return new ViewModelError(-32012, `the view is closed: ${message}`, { reason }, undefined, options);
}

function ignoreLoss(error) {
  if (error.name !== 'ConnectionLost' && error.name !== 'UnknownSession') throw error;
}

function randomText() {
  return Math.random().toString(36).slice(2);
}

let randomSource = globalThis.crypto;

/** Node 18 has it in a module only. */
async function findRandomSource() {
  if (!randomSource) randomSource = (await nodeModule('node:crypto')).webcrypto;
}

/** 24 characters that nobody guesses. */
function secretText() {
  const bytes = randomSource.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes)).replace(/[+]/g, '-').replace(/[/]/g, '_');
}

/**
 * The events that a View sends: numbered, so that none is lost or applied twice when the connection is.
 *
 * An event gets its number when it is sent. After a lost connection, events that the server hasn't taken get new
 * numbers. Those that it has taken, and whose answers were lost, are sent again with their old ones: the server doesn't
 * apply them again, and answers when they have had their turn.
 */
class Outbox {
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

/** There is no room, or the server's store can't be reached: the same may be asked again later. */
function isForNow({ name, data }) {
  return (name === 'LimitExceeded' || name === 'StoreUnavailable') && data?.retryAfterMs !== undefined;
}

/** An event that its session had no room for has taken no number. */
function foundNoRoom({ name, data }) {
  return name === 'LimitExceeded' && (data?.limit === 'pendingEvents' || data?.limit === 'pendingBytes');
}

/** Why the server can't store anything now, for a sentence that says the rest. */
function stallReason(message) {
  return message.replace(/^the store can't be used: /, '');
}

/** An event that was sent, for the program: a copy, since ours may be sent again. */
function shown({ event, isSent }) {
  return { event: structuredClone(event), isSent };
}

/** First in, first out. An array's `shift` moves all that is behind it, which takes long where many wait. */
class Queue {
  #items = [];
  #start = 0;

  get length() {
    return this.#items.length - this.#start;
  }

  push(item) {
    this.#items.push(item);
  }

  shift() {
    const item = this.#items[this.#start];
    this.#items[this.#start] = undefined;
    this.#start += 1;
    if (this.#start * 2 > this.#items.length) this.#items = this.take();
    return item;
  }

  get items() {
    return this.#items.slice(this.#start);
  }

  /** Everything, after which it is empty. */
  take() {
    const items = this.items;
    this.#items = [];
    this.#start = 0;
    return items;
  }

  /** Whether it was there. */
  remove(item) {
    const items = this.take();
    this.#items = items.filter((other) => other !== item);
    return this.#items.length < items.length;
  }
}

function byteCount(text) {
  return new TextEncoder().encode(text).length;
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

/**
 * Hands what comes to listeners and iterators.
 *
 * A view's first events may come before its opener is called back. So what comes before the first listener is
 * held, and given to all that are added in the same turn. For the first iterator all is kept, listeners or not.
 */
class Feed {
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
class Lists {
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

function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

/** How long a list is after edits that may be wrong; undefined where they are. */
function countAfter(edits, count) {
  let length = count;
  for (const { at, removed, inserted } of edits) {
    if (at + removed > length) return undefined;
    length += inserted - removed;
  }
  return length;
}

/** A mark on a row: it moves with edits, and is found again by the row's identity. */
class Mark {
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

/** How many rows are kept on each side of those on screen: so many, or so many screens. */
const kept = { rows: 500, screens: 5 };

/**
 * The rows of a list that are here.
 *
 * They are those of one version of the list, that of its last event. An answer may be used when it comes: it follows
 * the events up to its number, and has the rows as they are then.
 */
class ListRows {
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

function wholeNumber(value) {
  return Math.min(Math.max(0, Math.floor(value) || 0), Number.MAX_SAFE_INTEGER);
}

/** The answer to `session/rows`. */
function rowsAnswer(result) {
  const { seq, count, first, rows } = result ?? {};
  if (isCount(seq) && isCount(count) && isCount(first) && Array.isArray(rows)) return result;
  throw ownError('ProtocolError', `the server's rows make no sense: ${excerpt(JSON.stringify(result) ?? 'nothing')}`);
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

/** One connection: requests and their answers, until it is lost. It comes to an end once, and not to life again. */
class Peer {
  /** Views by their numbers on this connection. */
  sessions = new Map();
  isOver = false;
  /** Resolves when something can be sent; rejects when it never will. */
  opened;
  #handler;
  #options;
  #transport;
  #ready = null;
  #calls = new Map();
  /** Those of the calls that nobody waits for. */
  #asides = new Set();
  #lastID = 0;
  #newestSession = 0;
  #closed = deferred();
  #failed = deferred();

  constructor(target, options, handler) {
    this.#handler = handler;
    this.#options = options;
    const opened = deferred();
    this.#transport = openTransport(target, options, {
      opened: opened.resolve,
      received: (text) => this.#received(text),
      log: (entry) => handler.log(entry),
      closed: (error) => this.#didClose(error),
    });
    this.#transport.catch((error) => this.#didClose(error));
    this.opened = Promise.race([opened.promise, this.#failed.promise]).then(async () => {
      this.#ready = await this.#transport;
    });
    // A caller that awaits it gets the error; none has to.
    this.opened.catch(() => {});
  }

  add(number, session) {
    this.sessions.set(number, session);
    this.#newestSession = Math.max(this.#newestSession, number);
  }

  /** Whether a request is unanswered. */
  get isWaiting() {
    return this.#calls.size > this.#asides.size;
  }

  /** Whether a view with this number is or was on this connection. */
  isKnown(number) {
    return number <= this.#newestSession;
  }

  /** Leaves a view, or ends a session, that nobody wants any more. */
  giveUp(method, number) {
    this.#newestSession = Math.max(this.#newestSession, number);
    this.request(method, { session: number }).catch(() => {});
  }

  /**
   * Resolves with the answer, that of a request that was cancelled too.
   *
   * @param signal cancels it at the server
   * @param taken is called with the result before anything that comes after it is read
   * @param isAside whether nobody waits for the answer
   */
  request(method, params = {}, { signal, taken, isAside = false } = {}) {
    return new Promise((resolve, reject) => {
      if (this.isOver) throw ownError('ConnectionLost', 'the connection was lost');
      signal?.throwIfAborted();
      const id = ++this.#lastID;
      const abort = () => this.notify('$/cancelRequest', { id });
      signal?.addEventListener('abort', abort, { once: true });
      const isFirst = !this.isWaiting;
      if (isAside) this.#asides.add(id);
      this.#calls.set(id, (error, result) => {
        signal?.removeEventListener('abort', abort);
        if (error) return reject(error);
        try {
          taken?.(result, this);
          resolve(result);
        } catch (problem) {
          reject(problem);
        }
      });
      this.#send({ jsonrpc: '2.0', id, method, params });
      if (!isAside && isFirst) this.#handler.asked();
    });
  }

  notify(method, params = {}) {
    if (!this.isOver) this.#send({ jsonrpc: '2.0', method, params });
  }

  /** The connection is given up: every request that waits is answered with an error. */
  fail(error) {
    if (this.isOver) return;
    this.isOver = true;
    this.#transport.then((transport) => transport.abort(), () => {});
    const lost = error instanceof ViewModelError ? error : ownError('ConnectionLost', error.message, error);
    this.#failed.reject(lost);
    this.sessions.clear();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#asides.clear();
    const answer = lost.name === 'ConnectionLost' ? lost : ownError('ConnectionLost', lost.message, lost);
    for (const call of calls) call(answer);
    this.#handler.lost(lost);
  }

  /** Ends it in good order. */
  async close() {
    try {
      (await this.#transport).end();
      await within(this.#options.timers, 2 * this.#options.closeTimeout, this.#closed.promise);
    } catch {
      // It never came to be.
    }
    this.fail(ownError('ConnectionLost', 'the client was closed'));
  }

  #didClose(error) {
    this.#closed.resolve();
    this.fail(error);
  }

  #send(message) {
    this.#handler.message('out', message);
    this.#ready.send(JSON.stringify(message));
  }

  #received(text) {
    if (this.isOver) return;
    this.#handler.heard();
    let message;
    try {
      message = JSON.parse(text);
    } catch (error) {
      const reason = `the server sent what is no JSON: ${error.message}: ${excerpt(text)}`;
      return this.#handler.problem(ownError('ParseError', reason, error));
    }
    this.#handler.message('in', message);
    // Answers to a batch come as one array; this client sends none, but may be handed them.
    for (const one of Array.isArray(message) ? message : [message]) {
      try {
        this.#take(one, text);
      } catch (error) {
        const reason = `the server sent what makes no sense: ${error.message}: ${excerpt(text)}`;
        this.#handler.problem(ownError('ProtocolError', reason, error));
      }
    }
  }

  #take(message, text) {
    const problem = (reason) => this.#handler.problem(ownError('ProtocolError', `${reason}: ${excerpt(text)}`));
    if (typeof message !== 'object' || message === null) return problem('the server sent what is no message');
    const { id, method, params } = message;
    if (typeof method === 'string') {
      if (id !== undefined) return this.#answer(id, method);
      if (typeof params !== 'object' || params === null) return problem(`the server sent ${method} without params`);
      return this.#handler.notified(method, params, text.length);
    }
    if (id === null && message.error) return this.#handler.problem(serverError(message.error));
    const call = this.#calls.get(id);
    if (!call) return problem(`the server answered ${JSON.stringify(id)}, which isn't asked`);
    this.#calls.delete(id);
    this.#asides.delete(id);
    if (message.error) call(serverError(message.error));
    else call(null, message.result);
    this.#handler.answered();
  }

  #answer(id, method) {
    if (method === 'ping') return this.#send({ jsonrpc: '2.0', id, result: null });
    this.#send({ jsonrpc: '2.0', id, error: { code: -32601, message: `there is no request ${method} here` } });
  }
}

/**
 * Finds connections that are dead without being closed, as after a change of networks, and servers that stand still.
 *
 * The server is asked by a `ping`: again and again while an answer is waited for, whatever else comes, since what that
 * says of its store must be known; else where nothing came for a while. Where nothing at all comes after one, for twice
 * as long as is waited, that is told; and, once, when something comes after all.
 */
class Watch {
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

function deferred() {
  const result = {};
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
  return result;
}

function serverError({ code, message, data }) {
  const reason = typeof message === 'string' && message !== '' ? message : 'the server gave no reason';
  return new ViewModelError(code, reason, data);
}

function excerpt(text) {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/**
 * @returns a transport: `send(text)`; `end()`, which lets the server finish; `abort()`, which doesn't. Once closed, for
 *   whatever reason, it calls `handlers.closed`.
 */
async function openTransport(target, options, handlers) {
  if (target.webSocket) return openWebSocket(target.webSocket, options.WebSocket ?? globalThis.WebSocket, handlers);
  if (target.transport) return target.transport(handlers);
  if (target.command) return spawn(target, options, handlers);
  return openSocket(target.tcp ? address(target.tcp) : { path: target.unix }, options, handlers);
}

function openWebSocket(url, WebSocket, handlers) {
  if (!WebSocket) throw new Error('there is no WebSocket here; give one as the option WebSocket, or connect by TCP');
  const socket = new WebSocket(url);
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
    handlers.opened();
  };
  socket.onmessage = ({ data }) => handlers.received(typeof data === 'string' ? data : '(bytes)');
  socket.onclose = ({ code, reason }) => {
    handlers.closed(new Error(`the connection to ${url} was closed (${code}${reason ? `: ${reason}` : ''})`));
  };
  // Browsers keep the reason from scripts, and close next. Node has the reason, and may not close what never opened.
  socket.onerror = ({ message }) => {
    if (!isOpen) handlers.closed(new Error(`there is no connection to ${url}${message ? `: ${message}` : ''}`));
  };
  return { send: (text) => socket.send(text), end: () => socket.close(1000), abort: () => socket.close() };
}

async function openSocket(place, { framing, closeTimeout }, handlers) {
  const net = await nodeModule('node:net');
  const socket = net.connect(place);
  const { encode, decode } = framings(framing);
  let failure = new Error('the server closed the connection');
  const decoder = decode(handlers.received);
  socket.setNoDelay?.(true);
  socket.on('connect', () => handlers.opened());
  socket.on('data', (chunk) => {
    try {
      decoder(chunk);
    } catch (error) {
      failure = error;
      socket.destroy();
    }
  });
  socket.on('error', (error) => (failure = error));
  socket.on('close', () => handlers.closed(failure));
  return {
    send: (text) => socket.write(encode(text)),
    end: () => {
      socket.end();
      socket.setTimeout(closeTimeout, () => socket.destroy());
    },
    abort: () => socket.destroy(),
  };
}

async function spawn({ command: [program, ...given], cwd, env }, { framing, closeTimeout }, handlers) {
  const children = await nodeModule('node:child_process');
  const child = children.spawn(program, given, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const { encode, decode } = framings(framing);
  let failure = null;
  let lastLine = '';
  const decoder = decode(handlers.received);
  const log = lines((text) => {
    lastLine = text;
    handlers.log({ level: 'info', message: text, source: 'stderr' });
  });
  child.stdout.on('data', (chunk) => {
    try {
      decoder(chunk);
    } catch (error) {
      failure = error;
      child.kill();
    }
  });
  child.stderr.on('data', log);
  // A server that is gone says so below.
  child.stdin.on('error', () => {});
  child.on('spawn', () => handlers.opened());
  child.on('error', (cause) => {
    handlers.closed(new Error(`${program} can't be started: ${cause.message}`, { cause }));
  });
  child.on('close', (status, signal) => {
    const how = signal ? `was ended by ${signal}` : `ended with status ${status}`;
    handlers.closed(failure ?? new Error(`${program} ${how}${lastLine ? `: ${lastLine}` : ''}`));
  });
  return {
    send: (text) => child.stdin.write(encode(text)),
    end: () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), closeTimeout);
      child.on('close', () => clearTimeout(timer));
    },
    abort: () => child.kill(),
  };
}

async function nodeModule(name) {
  try {
    return await import(name);
  } catch (cause) {
    throw new Error('only Node can spawn servers and open sockets; a page connects by { webSocket: url }', { cause });
  }
}

function address(text) {
  const [, host, port] = /^(?:(.*):)?([0-9]+)$/.exec(String(text)) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new TypeError(`not an address as host:port: ${text}`);
  return { host: host?.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) };
}

function framings(name) {
  if (name === 'lines') return { encode: (text) => `${text}\n`, decode: lines };
  if (name !== 'headers') throw new TypeError(`a framing is 'headers' or 'lines', not '${name}'`);
  return { encode: (text) => `Content-Length: ${byteCount(text)}\r\n\r\n${text}`, decode: headers };
}

/** Takes chunks of bytes, and hands on each line that isn't empty. */
function lines(take) {
  let chunks = [];
  return (chunk) => {
    chunks.push(chunk);
    if (!chunk.includes(0x0a)) return;
    const bytes = joined(chunks);
    let begin = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, begin)) {
      const text = decoded(bytes.subarray(begin, end)).trim();
      begin = end + 1;
      if (text) take(text);
    }
    chunks = [bytes.subarray(begin)];
  };
}

/** Takes chunks of bytes, and hands on the text of each message. Throws where no header can be found. */
function headers(take) {
  let chunks = [];
  let count = 0;
  let needed = 1;
  return (chunk) => {
    chunks.push(chunk);
    count += chunk.length;
    if (count < needed) return;
    let bytes = joined(chunks);
    for (;;) {
      const end = headerEnd(bytes);
      if (end < 0) {
        needed = bytes.length + 1;
        break;
      }
      const length = contentLength(decoded(bytes.subarray(0, end)));
      needed = end + length;
      if (bytes.length < needed) break;
      const text = decoded(bytes.subarray(end, needed));
      bytes = bytes.subarray(needed);
      take(text);
    }
    chunks = [bytes];
    count = bytes.length;
  };
}

/** Where the message begins; -1 where the header isn't complete. */
function headerEnd(bytes) {
  for (let index = bytes.indexOf(0x0d); index >= 0; index = bytes.indexOf(0x0d, index + 1)) {
    if (bytes[index + 1] === 0x0a && bytes[index + 2] === 0x0d && bytes[index + 3] === 0x0a) return index + 4;
    if (index > 8_192) break;
  }
  if (bytes.length > 8_192) throw new Error('the server sent more than 8,192 bytes without the header of a message');
  return -1;
}

function contentLength(header) {
  const [, length] = /^content-length: *([0-9]{1,15}) *$/im.exec(header) ?? [];
  if (length === undefined) throw new Error(`the server sent a header without a Content-Length: ${excerpt(header)}`);
  return Number(length);
}

function joined(chunks) {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function decoded(bytes) {
  return new TextDecoder().decode(bytes);
}
