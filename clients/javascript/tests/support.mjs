// Shared by the tests: a clock that is moved by hand, a server in memory, a real one, and a relay to cut.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import net from 'node:net';
import { connect } from '../view-model-client.js';

/** Waits until the condition holds; the error says `what` didn't come. */
export async function until(condition, what, limit = 120_000) {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) assert.fail(`${what} didn't come within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Stops a process. One of its threads takes the signal, and the others run until it has: so each is looked at. */
export async function stop(pid) {
  process.kill(pid, 'SIGSTOP');
  await until(async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
    return states.every((state) => state.includes(') T '));
  }, 'the stop');
}

/** Lets everything run that waits for nothing. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Timers that go off when a test says so. */
export class ManualTimers {
  time = 0;
  /** All of each delay. */
  part = 1;
  #timers = new Map();
  #lastTimer = 0;

  setTimeout = (call, delay) => {
    this.#timers.set(++this.#lastTimer, { call, at: this.time + delay });
    return this.#lastTimer;
  };
  clearTimeout = (timer) => void this.#timers.delete(timer);
  now = () => this.time;
  random = () => this.part;

  async advance(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      await settled();
      const [timer, next] = [...this.#timers].sort((one, other) => one[1].at - other[1].at)[0] ?? [];
      if (!next || next.at > end) break;
      this.#timers.delete(timer);
      this.time = next.at;
      next.call();
    }
    this.time = end;
    await settled();
  }
}

/** A server whose part a test plays. */
export class FakeServer {
  connections = [];
  /** An error for the next connections, instead of an opened one. */
  refusal = null;
  initializeError = null;
  /** By itself; else a test sees pings as it sees other requests. */
  answersPings = true;
  answersShutdown = true;
  limits = { messageBytes: 100_000, sessions: 10, pendingEvents: 8, replayEvents: 8 };

  get target() {
    return { transport: (handlers) => this.#accept(handlers) };
  }

  get connection() {
    return this.connections.at(-1);
  }

  #accept(handlers) {
    if (this.refusal) throw this.refusal;
    const connection = new FakeConnection(this, handlers);
    this.connections.push(connection);
    handlers.opened();
    return connection;
  }
}

class FakeConnection {
  received = [];
  isOver = false;
  isEnded = false;
  #server;
  #handlers;
  #unread = [];

  constructor(server, handlers) {
    this.#server = server;
    this.#handlers = handlers;
  }

  send(text) {
    assert.ok(!this.isOver, 'nothing is sent over a connection that is closed');
    const message = JSON.parse(text);
    this.received.push(message);
    if (message.method === 'initialize') {
      if (this.#server.initializeError) return queueMicrotask(() => this.fail(message, this.#server.initializeError));
      const board = { name: 'board', scope: 'everyone' };
      const viewModels = [{ name: 'counter' }, { name: 'orders', type: 'Shop.OrdersViewModel' }, board];
      const children = [{ name: 'ask', type: 'Shop.AskViewModel' }];
      const { limits } = this.#server;
      const result = { protocolVersion: '1.1', serverInfo: { name: 'fake' }, capabilities: { viewModels, children }, limits };
      return queueMicrotask(() => this.answer(message, result));
    }
    if (message.method === 'initialized') return;
    if (message.method === 'ping' && this.#server.answersPings) return queueMicrotask(() => this.answer(message, null));
    if (message.method === 'shutdown' && this.#server.answersShutdown) return queueMicrotask(() => this.answer(message, null));
    this.#unread.push(message);
  }

  end() {
    this.isEnded = true;
    this.cut('the server closed the connection');
  }

  abort() {
    this.cut('aborted');
  }

  cut(reason = 'cut') {
    if (this.isOver) return;
    this.isOver = true;
    this.#handlers.closed(new Error(reason));
  }

  /** The next message, which must be of this method. */
  async next(method) {
    await settled();
    const message = this.#unread.shift();
    assert.equal(message?.method, method, `${JSON.stringify(message)} came where ${method} is expected`);
    return message;
  }

  async nothingMore() {
    await settled();
    assert.deepEqual(this.#unread, []);
  }

  write(message) {
    if (!this.isOver) this.#handlers.received(typeof message === 'string' ? message : JSON.stringify(message));
  }

  answer({ id }, result) {
    this.write({ jsonrpc: '2.0', id, result });
  }

  /** Answers the next message, which must be of this method, and gives its params. */
  async reply(method, result) {
    const message = await this.next(method);
    this.answer(message, result);
    return message.params;
  }

  fail({ id }, { code, message = 'no', data }) {
    this.write({ jsonrpc: '2.0', id, error: { code, message, data } });
  }

  notify(method, params) {
    this.write({ jsonrpc: '2.0', method, params });
  }

  event(session, seq, event, more) {
    this.notify('viewModel/event', { session, seq, event, ...more });
  }
}

/** A client of a fake server, with errors and states in lists. */
export async function connected(options = {}, server = new FakeServer()) {
  const timers = new ManualTimers();
  const errors = [];
  const states = [];
  const listeners = {
    error: (error) => errors.push(error),
    state: (state, details) => states.push({ state, ...details }),
  };
  const client = await connect(server.target, { timers, listeners, ...options });
  return { client, server, timers, errors, states };
}

/** The same with a view of a session that was opened as number 1. */
export async function opened(options, server) {
  const all = await connected(options, server);
  const opening = all.client.open('counter', { start: 40 });
  const open = await all.server.connection.next('session/open');
  all.server.connection.answer(open, { session: 1, key: 'key-1', viewModel: 'counter' });
  return { ...all, view: await opening, name: open.params.client };
}

/** Whether a promise is settled, without waiting for it. */
export function outcome(promise) {
  const result = { isDone: false };
  promise.then(
    (value) => Object.assign(result, { isDone: true, value }),
    (error) => Object.assign(result, { isDone: true, error }),
  );
  return result;
}

/** The executable that tests start. */
export const serverPath = process.env.VIEW_MODEL_SERVER;
/** A server that runs, for all. */
export const serverAddress = process.env.VIEW_MODEL_ADDRESS;

/** Starts a server that listens, and ends it with the test. */
export function startServer(test, ...options) {
  return startProgram(test, serverPath, ...options);
}

export async function startProgram(test, program, ...options) {
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (chunk) => (text += chunk));
  test.after(() => end(child));
  await until(() => text.includes('\n') || child.exitCode !== null, 'the server');
  const [, address] = /listening on (\S+)/.exec(text) ?? assert.fail(text);
  return { child, address };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/** Carries bytes between clients and a server, until it is to cut all connections. */
export class Relay {
  #sockets = new Set();
  #listener;
  /** Connections are refused as long as it is false. */
  isOpen = true;
  /** Where the server is; may become another one. */
  target;
  /**
   * How many bytes of the server's a new connection hands on before it is lost. By bytes and not by time, so that a slow
   * machine gets on as a fast one does.
   */
  life = () => Infinity;
  /** A text of the server, in one piece, and another of as many bytes that is handed on in its place. */
  replaced = null;
  address;

  static async start(test, address) {
    const relay = new Relay();
    relay.target = address;
    relay.#listener = net.createServer((socket) => relay.#accept(socket));
    relay.#listener.listen(0, '127.0.0.1');
    await once(relay.#listener, 'listening');
    relay.address = `127.0.0.1:${relay.#listener.address().port}`;
    test.after(() => relay.#stop());
    return relay;
  }

  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on connections are lost, each after some bytes, as the seed has it. */
  loseConnections(seed = 1) {
    let state = seed;
    this.life = () => {
      state = (state * 48_271) % 0x7fff_ffff;
      return state % 30_000;
    };
    this.cut();
  }

  #accept(client) {
    if (!this.isOpen) return client.destroy();
    let left = this.life();
    const [, host, port] = /^(.*):(\d+)$/.exec(this.target);
    const server = net.connect({ host, port: Number(port) });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(socket);
      socket.on('data', (data) => {
        if (socket === client) return other.write(data);
        if (this.replaced) data = Buffer.from(data.toString('latin1').replace(...this.replaced), 'latin1');
        const isLast = data.length > left;
        other.write(isLast ? data.subarray(0, left) : data);
        left -= data.length;
        if (isLast) socket.destroy();
      });
      socket.on('end', () => other.end());
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }

  #stop() {
    this.cut();
    this.#listener.close();
  }
}
