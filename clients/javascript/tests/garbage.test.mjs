// Servers that send nonsense: a conversation of which every message may be broken somewhere, at random.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../view-model-client.js';
import { FakeServer, ManualTimers, settled } from './support.mjs';

let state = 1;
const random = (below) => (state = (state * 48_271) % 2_147_483_647) % below;
const one = (list) => list[random(list.length)];
const wrong = [undefined, null, true, 0, -1, 3, 1.5, '', 'text', [], {}, [null], { kind: 'x' }, { stack: 1 }];

/** A copy in which about one value of forty is another. */
function broken(value) {
  if (random(40) === 0) return one(wrong);
  if (Array.isArray(value)) return value.map(broken);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, broken(member)]));
}

/** A correct server's answers. */
function answer(number, { method, params }) {
  const child = { viewModel: 'child', key: `child-${random(3)}` };
  switch (method) {
    case 'session/open':
      return { session: number, key: `key-${number}`, viewModel: 'counter' };
    case 'session/attach': {
      const navigation = { stack: [child], presented: one([null, child]) };
      const snapshot = one([undefined, [{ kind: 'count', value: 1 }]]);
      return { session: number, viewModel: 'counter', seq: params.since ?? 3, snapshot, handled: random(3), navigation };
    }
    case 'view/event':
      return { seq: 1 };
    case 'session/rows':
      return { seq: 1_000_000, count: random(100), first: params.first, rows: Array(random(30)).fill({ id: random(30) }) };
    case 'viewModel/describe':
      return { name: params.viewModel };
    default:
      return null;
  }
}

function notification(session, seq) {
  const method = one(['event', 'event', 'event', 'list', 'list', 'push', 'present', 'pop', 'dismiss', 'closed', 'progress']);
  switch (method) {
    case 'event':
      return { method: 'viewModel/event', params: { session, seq, event: { kind: 'count', value: 1 } } };
    case 'list': {
      const changes = [{ at: random(10), removed: random(3), inserted: random(3) }];
      const rows = [{ id: random(30) }, { id: random(30) }];
      const event = { kind: 'results', count: random(100), changes: one([changes, undefined]), first: random(20), rows };
      return { method: 'viewModel/event', params: { session, seq, event } };
    }
    case 'closed':
      return { method: 'session/closed', params: { session, reason: one(['overflow', 'overflow', 'popped']) } };
    case 'progress':
      return { method: '$/progress', params: { token: 'progress-1', value: { kind: 'report' } } };
    default:
      return { method: `navigation/${method}`, params: { session, seq, viewModel: 'child', key: `child-${random(3)}` } };
  }
}

async function collect(list) {
  let left = 1_000;
  for await (const row of list) if (row === undefined || --left === 0) break;
}

async function talk() {
  const server = new FakeServer();
  const timers = new ManualTimers();
  const result = { errors: [], failures: [], events: 0, views: 0, rows: 0 };
  const client = await connect(server.target, { timers, listeners: { error: (error) => result.errors.push(error) } });
  const views = [];
  const ask = (promise) => promise.catch((error) => result.failures.push(error));
  const use = (view) => {
    result.views += 1;
    views.push(view);
    view.onAny(() => (result.events += 1));
    view.onNavigation(({ action, key }) => action === 'push' && ask(client.attach(key).then(use)));
    view.onSnapshot(() => {});
    const list = view.list('results');
    const place = list.anchor(7);
    list.on('change', ({ count }) => {
      list.show(random(count + 1), 10);
      list.select(one([null, random(30)]));
      result.rows += list.row(place.index) ? 1 : 0;
    });
    if (random(4) === 0) ask(collect(list));
    view.onClosed(() => views.splice(views.indexOf(view), 1));
  };
  let number = 0;
  for (let step = 0; step < 400; step += 1) {
    if (views.length < 3) ask((random(2) ? client.open('counter') : client.attach('key')).then(use));
    const view = one(views);
    if (view && random(3) === 0) ask(view.send({ kind: 'x' }, { onProgress: () => {} }));
    if (view && random(40) === 0) ask(one([() => view.back(), () => view.endSession(), () => view.detach()])());
    await settled();
    const { connection } = server;
    for (const request of connection.received.splice(0)) {
      if (request.id === undefined) continue;
      // Numbers of views rise; those that get none are never heard of.
      if (/open|attach/.test(request.method)) number += 1;
      const failure = { code: one([-32012, -32013, -32014, -32015, -32602]), message: 'no', data: one(wrong) };
      const outcome = random(10) === 0 ? { error: failure } : { result: answer(number, request) };
      connection.write(JSON.stringify(broken({ jsonrpc: '2.0', id: request.id, ...outcome })) ?? 'nothing');
    }
    if (view) {
      const message = { jsonrpc: '2.0', ...notification(number, view.seq + 1) };
      connection.write(JSON.stringify(broken(message)) ?? 'nothing');
    }
    if (random(50) === 0) {
      connection.cut();
      number = 0;
      await timers.advance(20_000);
      // A broken answer to initialize ends the connection.
      if (client.state === 'closed') break;
    }
  }
  if (client.state !== 'closed') {
    server.connection.cut();
    await timers.advance(20_000);
    assert.equal(client.state, 'connected');
    server.connection.received.splice(0);
    const describing = client.describe('last');
    const request = server.connection.received.find(({ params }) => params.viewModel === 'last');
    server.connection.answer(request, { name: 'last' });
    assert.deepEqual(await describing, { name: 'last' });
  }
  const closing = client.close();
  // It waits so long for events that no answer came to.
  await timers.advance(1_000);
  await closing;
  return result;
}

test('a client stands whatever a server sends, and can be used afterwards', async () => {
  const results = [];
  for (let round = 0; round < 25; round += 1) results.push(await talk());
  const sum = (count) => results.reduce((sum, result) => sum + count(result), 0);
  // So that it was no talk of the deaf.
  assert.ok(sum(({ events }) => events) > 500, `${sum(({ events }) => events)} events`);
  assert.ok(sum(({ views }) => views) > 200, `${sum(({ views }) => views)} views`);
  assert.ok(sum(({ rows }) => rows) > 20, `${sum(({ rows }) => rows)} rows`);
  for (const { errors, failures } of results) {
    assert.ok(errors.length > 0);
    for (const error of [...errors, ...failures]) assert.ok(error instanceof Error && error.message, String(error));
  }
});
