// A client of the view model protocol, version 1.2, as users know it: one server, whatever becomes of the connection.
import { Connection } from './connection.js';
import { ownError, stallReason } from './errors.js';
import { Listeners } from './listeners.js';
import { findRandomSource, randomText, secretText, within } from './runtime.js';
import { Session, place } from './session.js';

const start = Symbol('start');

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

/** How many milliseconds closing waits for the answers to what was sent. */
const leaveTimeout = 1_000;

/** A server, over all reconnects. Made by `connect`. */
export class Client {
  #connection;
  #listeners = new Listeners((error) => this.#report(error));
  #sessions = new Set();
  /** Those that have a name: the ones above, and those that are asked for. */
  #named = new Set();
  #name;
  #progress = new Map();
  #lastToken = 0;
  #isToldOfViews;
  /** Why the server's store can't be used, as the answer to the newest ping says. */
  #stall;
  #toldStall;
  #isReporting = false;

  constructor(target, { listeners = {}, clientName, views = false, ...options } = {}) {
    this.#isToldOfViews = views;
    this.#name = clientName ?? `js-${randomText()}${randomText()}`;
    this.#connection = new Connection(target, options, this.#owner);
    for (const [kind, listener] of Object.entries(listeners)) this.on(kind, listener);
  }

  /**
   * 'connecting', 'connected', 'silent' (the server doesn't answer, and there is only this connection), 'waiting' (for
   * the next try), 'closed' (for good).
   */
  get state() {
    return this.#connection.state;
  }

  /** Whether there is no connection, or it is of no use, since the server doesn't answer; false where it was ended. */
  get isSilent() {
    return this.#connection.isSilent;
  }

  /**
   * Why the server can't store anything now, in words, while something that was sent waits for that; undefined else.
   */
  get stall() {
    return this.#stall ?? [...this.#sessions].map(({ refusal }) => refusal).find((refusal) => refusal !== undefined);
  }

  /** The view models that can be opened: `[{ name, type, scope? }, …]`. */
  get viewModels() {
    return this.capabilities.viewModels ?? [];
  }

  /** Those that only other view models show. */
  get children() {
    return this.capabilities.children ?? [];
  }

  /** The Swift type of a view model with its module; undefined where the server doesn't tell it. */
  typeOf(viewModel) {
    return [...this.viewModels, ...this.children].find(({ name }) => name === viewModel)?.type;
  }

  /** Whose session `open` finds, 'person' or 'everyone'; undefined where it opens a new one. */
  scopeOf(viewModel) {
    return this.viewModels.find(({ name }) => name === viewModel)?.scope;
  }

  get serverInfo() {
    return this.#connection.initialized?.serverInfo;
  }

  get capabilities() {
    return this.#connection.initialized?.capabilities ?? {};
  }

  get limits() {
    return this.#connection.initialized?.limits ?? {};
  }

  /** Calls the listener for each 'state', 'stall', 'message', 'log' or 'error', until what is returned is called. */
  on(kind, listener) {
    return this.#listeners.add(kind, listener);
  }

  /** Opens a new session of a view model; of one with a scope, the one session that there is for these arguments. */
  async open(viewModel, given, { signal } = {}) {
    const session = new Session(this.#port, { viewModel });
    const params = { viewModel, client: session.name, ...this.#asked };
    // By it the server knows an `open` whose answer was lost, and gives the same session again.
    if (this.#connection.comesBack) params.once = secretText();
    if (given !== undefined) params.arguments = given;
    const taken = (result, peer) => {
      if (signal?.aborted) {
        // A new session is nobody's. One with a scope belongs to a person, or to all.
        return peer.giveUp(typeof result.isNew === 'boolean' ? 'session/detach' : 'session/close', result.session);
      }
      session.joined(result.key, 0, result, peer);
    };
    try {
      await this.#connection.request('session/open', params, { signal, taken, isRepeatable: true });
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
      const params = { key, client: session.name, ...this.#asked, ...place(since, epoch) };
      const taken = (result, peer) => {
        if (signal?.aborted) return peer.giveUp('session/detach', result.session);
        session.joined(key, since ?? 0, result, peer);
      };
      // Where the answer is lost with its connection, so is the view: it is asked for again.
      await this.#connection.request('session/attach', params, { signal, taken, isRepeatable: true });
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

  /**
   * The sessions that this client's person may come back to, those used last first: `[{ key, viewModel, arguments?, title?,
   * lastUsed, views? }, …]`. Empty where the server is too old to tell.
   */
  async keptSessions({ signal } = {}) {
    const { sessions } = await this.#connection.request(
      'session/list', { kept: true }, { signal, isRepeatable: true });
    return sessions.filter(({ lastUsed }) => lastUsed !== undefined);
  }

  /** The JSON Schemas of a view model: `{ name, arguments, viewEvent, viewModelEvent, $defs? }`. */
  describe(viewModel, { signal } = {}) {
    return this.#connection.request('viewModel/describe', { viewModel }, { signal, isRepeatable: true });
  }

  /** Sends any request; while there is no connection it waits for one. Aborting rejects it, and cancels it there. */
  request(method, params = {}, { signal } = {}) {
    return this.#connection.request(method, params, { signal });
  }

  /** Tries to connect now instead of when the wait is over. */
  reconnect() {
    this.#connection.reconnect();
  }

  /**
   * Ends the connection for good, and leaves the sessions: the server keeps those that can be found again. It waits a
   * second at most for the answers to events; those that aren't answered by then are rejected, and are `dropped`.
   */
  async close() {
    await this.#connection.close(() => {
      const unanswered = [...this.#sessions].filter(({ outbox }) => outbox.isWaiting);
      if (unanswered.length === 0) return undefined;
      return within(this.#connection.timers, leaveTimeout, Promise.all(unanswered.map(({ outbox }) => outbox.idle())));
    });
  }

  async [start](signal) {
    await findRandomSource();
    await this.#connection.open(signal);
  }

  /** The client, as its connection tells it of itself. */
  get #owner() {
    return {
      connected: (peer) => {
        for (const session of this.#sessions) session.resume(peer);
      },
      lost: () => {
        for (const session of this.#sessions) session.connectionLost();
        this.#setStall(undefined);
      },
      silenceChanged: () => {
        for (const session of this.#sessions) session.didChangeSilence();
      },
      ended: (closed, error) => {
        for (const session of [...this.#sessions]) session.end(closed, error, false);
        this.#setStall(undefined);
      },
      stateChanged: (state, details) => this.#listeners.call('state', state, details),
      notified: (peer, method, params, length) => this.#notified(peer, method, params, length),
      answered: () => this.#stall !== undefined && this.#setStall(this.#stall),
      pinged: (result) => this.#pinged(result),
      message: (direction, message) => {
        this.#listeners.call('message', { direction, message, at: this.#connection.timers.now() });
      },
      log: (entry) => this.#listeners.call('log', entry),
      problem: (error) => this.#report(error),
      waits: () => this.#hasRefusals,
    };
  }

  /** What each view asks for beside its session. */
  get #asked() {
    return this.#isToldOfViews ? { views: true } : {};
  }

  /** The client, as its sessions use it. */
  get #port() {
    return {
      asked: () => this.#asked,
      limits: () => this.limits,
      timers: this.#connection.timers,
      problem: (error) => this.#report(error),
      isSilent: () => this.state === 'silent',
      isClosing: () => this.#connection.isClosing,
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

  /** Whether something waits to be asked again, since the store couldn't be used. */
  get #hasRefusals() {
    return [...this.#sessions].some(({ refusal }) => refusal !== undefined);
  }

  #pinged(result) {
    const stall = result?.storeUnavailable;
    if (typeof stall === 'string') return this.#setStall(stallReason(stall));
    for (const session of this.#sessions) session.storeWorks();
    this.#setStall(undefined);
  }

  /** Where nothing waits for the store, it doesn't matter. */
  #setStall(stall) {
    this.#stall = this.#connection.isWaiting || this.#hasRefusals ? stall : undefined;
    for (const session of this.#sessions) session.tellStall();
    const told = this.stall;
    if (told === this.#toldStall) return;
    this.#toldStall = told;
    this.#listeners.call('stall', told);
  }

  #notified(peer, method, params, length) {
    switch (method) {
      case 'viewModel/event':
      case 'navigation/push':
      case 'navigation/present':
      case 'navigation/pop':
      case 'navigation/dismiss':
      case 'session/views':
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
