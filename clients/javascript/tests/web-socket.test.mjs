import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../view-model-client.js';
import { ManualTimers, settled } from './support.mjs';

/** Has of a browser's WebSocket what the client may use. */
class FakeWebSocket {
  static all = [];
  onopen;
  onmessage;
  onclose;
  onerror;
  sent = [];
  state = 'connecting';

  constructor(url) {
    this.url = url;
    FakeWebSocket.all.push(this);
  }

  open() {
    this.state = 'open';
    this.onopen({});
  }

  send(text) {
    // As browsers do.
    if (this.state === 'connecting') throw new Error('InvalidStateError');
    assert.equal(this.state, 'open');
    this.sent.push(JSON.parse(text));
    const { id, method } = this.sent.at(-1);
    if (method === 'initialize') this.receive({ jsonrpc: '2.0', id, result: { capabilities: {}, limits: {} } });
    if (method === 'shutdown') this.receive({ jsonrpc: '2.0', id, result: null });
  }

  receive(message) {
    queueMicrotask(() => this.onmessage({ data: JSON.stringify(message) }));
  }

  close(code = 1005) {
    this.lost(code, '');
  }

  lost(code, reason) {
    if (this.state === 'closed') return;
    this.state = 'closed';
    queueMicrotask(() => {
      if (code === 1006) this.onerror({});
      this.onclose({ code, reason });
    });
  }
}

async function page() {
  FakeWebSocket.all = [];
  const timers = new ManualTimers();
  const [states, errors] = [[], []];
  const listeners = {
    state: (state, details) => states.push({ state, ...details }),
    error: (error) => errors.push(error),
  };
  const connecting = connect({ webSocket: 'ws://127.0.0.1:7351/ws' }, { WebSocket: FakeWebSocket, timers, listeners });
  await settled();
  return { connecting, timers, states, errors };
}

test('a WebSocket that is lost is replaced', async () => {
  const { connecting, timers, states } = await page();
  assert.deepEqual(FakeWebSocket.all.map(({ url, sent }) => [url, sent]), [['ws://127.0.0.1:7351/ws', []]]);
  FakeWebSocket.all[0].open();
  const client = await connecting;
  FakeWebSocket.all[0].lost(1006, '');
  await settled();
  assert.equal(client.state, 'waiting');
  assert.equal(states.at(-1).error.message, 'the connection to ws://127.0.0.1:7351/ws was closed (1006)');
  await timers.advance(200);
  assert.equal(FakeWebSocket.all.length, 2);
  FakeWebSocket.all[1].lost(1011, 'too busy');
  await settled();
  assert.equal(states.at(-1).error.message, 'the connection to ws://127.0.0.1:7351/ws was closed (1011: too busy)');
  await timers.advance(400);
  FakeWebSocket.all[2].open();
  await settled();
  assert.equal(client.state, 'connected');
  await client.close();
  assert.equal(FakeWebSocket.all[2].state, 'closed');
});

test('bytes are no message', async () => {
  const { connecting, errors } = await page();
  FakeWebSocket.all[0].open();
  const client = await connecting;
  FakeWebSocket.all[0].onmessage({ data: new ArrayBuffer(3) });
  assert.match(errors[0].message, /no JSON/);
  await client.close();
});

test('a page that is not let in gets an error', async () => {
  const { connecting } = await page();
  FakeWebSocket.all[0].lost(1006, '');
  await assert.rejects(connecting, { message: 'there is no connection to ws://127.0.0.1:7351/ws' });
  // In Node there may be no close, but a reason.
  const { connecting: other } = await page();
  FakeWebSocket.all[0].onerror({ message: 'refused' });
  await assert.rejects(other, { message: 'there is no connection to ws://127.0.0.1:7351/ws: refused' });
});

test('where there is no WebSocket, that is said', async (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  delete globalThis.WebSocket;
  context.after(() => own && Object.defineProperty(globalThis, 'WebSocket', own));
  await assert.rejects(connect({ webSocket: 'ws://127.0.0.1:1/ws' }), { message: /there is no WebSocket here/ });
});
