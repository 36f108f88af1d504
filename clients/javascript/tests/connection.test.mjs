import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { connect, ViewModelError } from '../view-model-client.js';
import { connected, FakeServer, ManualTimers, opened, outcome, settled } from './support.mjs';

test('a connection is initialized with what the options say', async () => {
  const { client, server, states } = await connected({ token: 'secret', clientInfo: { name: 'test', version: '2' } });
  const [initialize, initialized] = server.connection.received;
  assert.deepEqual(initialize, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '1.2', clientInfo: { name: 'test', version: '2' }, token: 'secret' },
  });
  assert.deepEqual(initialized, { jsonrpc: '2.0', method: 'initialized', params: {} });
  const board = { name: 'board', scope: 'everyone' };
  assert.deepEqual(client.viewModels, [{ name: 'counter' }, { name: 'orders', type: 'Shop.OrdersViewModel' }, board]);
  assert.deepEqual(['board', 'counter', 'nobody'].map((name) => client.scopeOf(name)), ['everyone', undefined, undefined]);
  assert.deepEqual(client.children, [{ name: 'ask', type: 'Shop.AskViewModel' }]);
  const types = ['counter', 'orders', 'ask', 'nobody'].map((name) => client.typeOf(name));
  assert.deepEqual(types, [undefined, 'Shop.OrdersViewModel', 'Shop.AskViewModel', undefined]);
  assert.deepEqual(client.serverInfo, { name: 'fake' });
  assert.equal(client.limits.pendingEvents, 8);
  assert.equal(client.state, 'connected');
  assert.deepEqual(states.map(({ state }) => state), ['connecting', 'connected']);
});

test('a first connection that fails, and a server that says no, are errors of connect', async () => {
  const server = new FakeServer();
  server.refusal = new Error('nobody there');
  await assert.rejects(connect(server.target), { name: 'ConnectionLost', code: 0, message: 'nobody there' });
  server.refusal = null;
  server.initializeError = { code: -32010, message: 'the token is wrong' };
  const states = [];
  await assert.rejects(connect(server.target, { listeners: { state: (state) => states.push(state) } }), {
    name: 'Unauthorized',
    code: -32010,
  });
  assert.deepEqual(states, ['connecting', 'closed']);
  assert.ok(server.connection.isOver);
});

test('a connection that nobody answers is given up', async () => {
  const timers = new ManualTimers();
  let isAborted = false;
  const silent = { transport: () => ({ send() {}, end() {}, abort: () => (isAborted = true) }) };
  const connecting = outcome(connect(silent, { timers, connectTimeout: 500 }));
  await timers.advance(499);
  assert.equal(connecting.isDone, false);
  await timers.advance(1);
  assert.equal(connecting.error.message, 'no answer within 500 ms');
  assert.ok(isAborted);
});

for (const [target, options, message] of [
  [{}, {}, /a target is/],
  [undefined, {}, /a target is/],
  [{ tcp: '127.0.0.1:1', unix: '/x' }, {}, /a target is/],
  [{ tcp: 'localhost' }, {}, /not an address as host:port: localhost/],
  [{ tcp: 'localhost:99999' }, {}, /not an address/],
  [{ tcp: '127.0.0.1:1' }, { framing: 'pages' }, /'headers' or 'lines', not 'pages'/],
]) {
  test(`${JSON.stringify(target)} with ${JSON.stringify(options)} is refused at once`, async () => {
    await assert.rejects(connect(target, options), { name: 'TypeError', message });
  });
}

test('errors of the server have its code, name, message and data', async () => {
  const { client, server } = await connected();
  for (const [code, name] of [
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
    [-1, 'ServerError'],
  ]) {
    const asking = outcome(client.request('some/thing', { a: 1 }));
    const request = await server.connection.next('some/thing');
    assert.deepEqual(request.params, { a: 1 });
    server.connection.fail(request, { code, message: 'because', data: { path: '/a' } });
    await settled();
    assert.ok(asking.error instanceof ViewModelError && asking.error instanceof Error);
    const { code: came, name: called, message, data } = asking.error;
    assert.deepEqual([came, called, message, data], [code, name, 'because', { path: '/a' }]);
  }
});

test('an aborted request rejects at once with the reason, and is cancelled at the server', async () => {
  const { client, server, errors } = await connected();
  const controller = new AbortController();
  const asking = outcome(client.request('slow', {}, { signal: controller.signal }));
  const request = await server.connection.next('slow');
  const reason = new Error('enough');
  controller.abort(reason);
  const cancel = await server.connection.next('$/cancelRequest');
  assert.deepEqual(cancel, { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: request.id } });
  assert.equal(asking.error, reason);
  server.connection.fail(request, { code: -32800, message: 'cancelled' });
  await assert.rejects(client.request('slow', {}, { signal: controller.signal }), reason);
  await server.connection.nothingMore();
  assert.deepEqual(errors, []);
});

test('a time that has run out is a TimeoutError, wherever the call waits', async (context) => {
  const { client, server } = await connected();
  // Such a signal keeps no program running, and neither does a server in memory.
  const running = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(running));
  for (const call of [
    (signal) => client.open('counter', undefined, { signal }),
    (signal) => client.attach('key', { signal }),
    (signal) => client.describe('counter', { signal }),
    (signal) => client.request('slow', {}, { signal }),
  ]) {
    await assert.rejects(call(AbortSignal.timeout(1)), { name: 'TimeoutError' });
  }
  server.connection.cut();
  await assert.rejects(client.open('counter', undefined, { signal: AbortSignal.timeout(1) }), { name: 'TimeoutError' });
});

test('a session that comes after it was aborted is left where it has a scope or is attached, and else ended', async () => {
  const attach = (client, options) => client.attach('key', options);
  const open = (client, options) => client.open('counter', {}, options);
  for (const [call, asks, answer, method] of [
    [open, 'session/open', {}, 'session/close'],
    [open, 'session/open', { isNew: true }, 'session/detach'],
    [open, 'session/open', { isNew: false, seq: 4, snapshot: [] }, 'session/detach'],
    [attach, 'session/attach', { seq: 0, snapshot: [] }, 'session/detach'],
  ]) {
    const { client, server, errors } = await connected();
    const controller = new AbortController();
    const calling = outcome(call(client, { signal: controller.signal }));
    const request = await server.connection.next(asks);
    controller.abort();
    await server.connection.next('$/cancelRequest');
    server.connection.answer(request, { session: 1, key: 'key', viewModel: 'counter', ...answer });
    server.connection.event(1, 5, { kind: 'count', value: 1 });
    assert.deepEqual((await server.connection.next(method)).params, { session: 1 });
    assert.deepEqual([calling.error.name, errors], ['AbortError', []]);
  }
});

test('connecting is aborted by its signal, which has no effect later', async () => {
  let isAborted = false;
  const silent = { transport: () => ({ send() {}, end() {}, abort: () => (isAborted = true) }) };
  const controller = new AbortController();
  const connecting = outcome(connect(silent, { signal: controller.signal }));
  await settled();
  const reason = new Error('enough');
  controller.abort(reason);
  await settled();
  assert.equal(connecting.error, reason);
  assert.ok(isAborted);
  await assert.rejects(connect(silent, { signal: AbortSignal.abort(reason) }), reason);
  const later = new AbortController();
  const { client } = await connected({ signal: later.signal });
  later.abort();
  await settled();
  assert.equal(client.state, 'connected');
});

test('an error names the one that led to it', async () => {
  const server = new FakeServer();
  const refusal = (server.refusal = new Error('nobody there'));
  await assert.rejects(connect(server.target), ({ cause }) => cause === refusal);
  server.refusal = null;
  const { client, view, server: other } = await opened({ reconnect: false });
  const asking = outcome(client.request('slow'));
  const sending = outcome(view.send({ kind: 'x' }));
  await settled();
  other.connection.cut('the cable broke');
  await settled();
  const late = outcome(client.open('counter'));
  const lateEvent = outcome(view.send({ kind: 'x' }));
  await settled();
  const causes = ({ cause }) => (cause ? [cause.message, ...causes(cause)] : []);
  const lost = ['the cable broke'];
  assert.deepEqual(causes(asking.error), lost);
  for (const { error } of [sending, late, lateEvent]) assert.deepEqual(causes(error), [...lost, ...lost]);
});

for (const [text, message] of [
  ['{"jsonrpc":"2.0",', /no JSON: .*\{"jsonrpc":"2.0",$/],
  ['7', /no message: 7/],
  ['null', /no message: null/],
  ['[3]', /no message/],
  ['{}', /answered undefined, which isn't asked/],
  ['{"jsonrpc":"2.0","id":99,"result":null}', /answered 99, which isn't asked/],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}', /^not JSON$/],
  ['{"jsonrpc":"2.0","method":"viewModel/event"}', /viewModel\/event without params/],
  ['{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":9,"seq":1,"event":{}}}', /session 9, which isn't known/],
  ['{"jsonrpc":"2.0","method":"session/closed","params":{}}', /session undefined, which isn't known/],
  [`"${'x'.repeat(1_000)}"`, /^[^…]{200,260}…$/],
]) {
  test(`the client tells of ${text.slice(0, 80)}, and goes on`, async () => {
    const { client, server, errors } = await connected();
    server.connection.write(text);
    assert.equal(errors.length, 1);
    assert.match(errors[0].message, message);
    const describing = client.describe('counter');
    await server.connection.reply('viewModel/describe', { name: 'counter' });
    assert.deepEqual(await describing, { name: 'counter' });
  });
}

test('every message and log entry is shown to listeners, and removed listeners see no more', async () => {
  const { client, server, timers } = await connected();
  const [messages, logs] = [[], []];
  const stop = client.on('message', (entry) => messages.push(entry));
  client.on('log', (entry) => logs.push(entry));
  timers.time = 5;
  const params = { type: 2, message: 'careful' };
  server.connection.notify('window/logMessage', params);
  server.connection.notify('$/logTrace', { message: 'traced' });
  client.request('ask').catch(() => {});
  await settled();
  assert.deepEqual(messages, [
    { direction: 'in', message: { jsonrpc: '2.0', method: 'window/logMessage', params }, at: 5 },
    { direction: 'in', message: { jsonrpc: '2.0', method: '$/logTrace', params: { message: 'traced' } }, at: 5 },
    { direction: 'out', message: { jsonrpc: '2.0', id: 2, method: 'ask', params: {} }, at: 5 },
  ]);
  assert.deepEqual(logs, [
    { level: 'warning', message: 'careful', source: 'server' },
    { level: 'log', message: 'traced', source: 'trace' },
  ]);
  stop();
  server.connection.notify('something', {});
  assert.equal(messages.length, 3);
});

test('a listener that throws is an error of its own, and keeps no other from being called', async () => {
  const { server, view, errors } = await opened();
  const seen = [];
  view.on('count', () => {
    throw new Error('my mistake');
  });
  view.on('count', ({ value }) => seen.push(value));
  await settled();
  server.connection.event(1, 1, { kind: 'count', value: 40 });
  assert.deepEqual(seen, [40]);
  assert.deepEqual(errors.map(({ message }) => message), ['my mistake']);
});

test('closing shuts down in good order, closes views, and answers what waits', async () => {
  const { client, server, view, states } = await opened();
  const asking = outcome(client.request('never/answered'));
  const closings = [];
  view.onClosed((closed) => closings.push(closed));
  await client.close();
  const methods = server.connection.received.map(({ method }) => method);
  assert.deepEqual(methods, ['initialize', 'initialized', 'session/open', 'never/answered', 'shutdown', 'exit']);
  assert.ok(server.connection.isEnded);
  assert.equal(asking.error.name, 'ConnectionLost');
  assert.deepEqual(closings, [{ reason: 'closed', message: 'the client was closed' }]);
  assert.equal(states.at(-1).state, 'closed');
  await client.close();
  await assert.rejects(client.open('counter'), { name: 'Closed' });
  await assert.rejects(view.send({ kind: 'increment' }), { name: 'UnknownSession', data: { reason: 'closed' } });
});

// Framings, over real sockets: what is written comes in pieces of all sizes.

const answers = [
  { jsonrpc: '2.0', id: 1, result: { protocolVersion: '1.1', serverInfo: { name: 'x' }, capabilities: {}, limits: {} } },
  { jsonrpc: '2.0', method: 'window/logMessage', params: { type: 3, message: 'Grüße 👋 \u2028' } },
  { jsonrpc: '2.0', method: 'window/logMessage', params: { type: 3, message: '' } },
];

const encodings = {
  headers: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  lines: (text) => `${text}\n`,
};

/** A server that writes chunks as soon as it receives anything. */
async function speak(context, chunks) {
  const received = { text: '' };
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => (received.text += data));
    socket.once('data', async () => {
      for (const chunk of chunks) {
        if (socket.destroyed) return;
        await new Promise((resolve) => socket.write(chunk, resolve));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { address: `127.0.0.1:${server.address().port}`, received };
}

async function logged(context, framing, chunks, count) {
  const { address, received } = await speak(context, chunks);
  const logs = [];
  let isEnough;
  const enough = new Promise((resolve) => (isEnough = resolve));
  const log = ({ message }) => logs.push(message) === count && isEnough();
  const client = await connect({ tcp: address }, { framing, reconnect: false, listeners: { log } });
  await enough;
  client.close();
  return { logs, received };
}

for (const framing of ['headers', 'lines']) {
  const bytes = Buffer.from(answers.map((answer) => encodings[framing](JSON.stringify(answer))).join(''));
  test(`${framing} are read byte by byte, in two pieces of all sizes, and all at once`, async (context) => {
    const expected = ['Grüße 👋 \u2028', ''];
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    const { logs, received } = await logged(context, framing, single, 2);
    assert.deepEqual(logs, expected);
    assert.ok(received.text.startsWith(framing === 'lines' ? '{"jsonrpc"' : 'Content-Length: '));
    for (let split = 0; split < bytes.length; split += 7) {
      const halves = await logged(context, framing, [bytes.subarray(0, split), bytes.subarray(split)], 2);
      assert.deepEqual(halves.logs, expected);
    }
  });
}

test('headers in other cases and with more of them are read, and empty lines skipped', async (context) => {
  const texts = answers.map((answer) => JSON.stringify(answer));
  const framed = texts.map((text) => {
    return `content-TYPE: application/x; charset=utf-8\r\ncontent-length:${Buffer.byteLength(text)}\r\n\r\n${text}`;
  });
  assert.equal((await logged(context, 'headers', [framed.join('')], 2)).logs.length, 2);
  assert.equal((await logged(context, 'lines', [`\n\r\n${texts.join('\r\n\n')}\r\n`], 2)).logs.length, 2);
});

for (const [garbage, message] of [
  ['Content-Size: 3\r\n\r\n{}', /a header without a Content-Length: Content-Size/],
  ['Content-Length: -1\r\n\r\n{}', /a header without a Content-Length/],
  [`X: ${'y'.repeat(10_000)}`, /more than 8,192 bytes/],
]) {
  test(`a connection with ${JSON.stringify(garbage.slice(0, 30))} is given up, and that is said`, async (context) => {
    const { address } = await speak(context, [garbage]);
    await assert.rejects(connect({ tcp: address }), { name: 'ConnectionLost', message });
  });
}
