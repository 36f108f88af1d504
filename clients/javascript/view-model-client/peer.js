import { ViewModelError, excerpt, ownError, serverError } from './errors.js';
import { within } from './runtime.js';
import { openTransport } from './transports.js';

/** One connection: JSON-RPC's requests and answers, until it is lost. It comes to an end once, not to life again. */
export class Peer {
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

function deferred() {
  const result = {};
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
  return result;
}
