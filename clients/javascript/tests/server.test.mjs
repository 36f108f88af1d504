import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../view-model-client.js';
import { WebSocket } from './web-socket.mjs';
import { outcome, Relay, serverAddress, serverPath, startServer, until } from './support.mjs';

async function folder(context) {
  const path = await mkdtemp(join(tmpdir(), 'view-model-client-'));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

/** Connects, and closes with the test; errors that no promise reports fail it. */
async function open(context, target, options = {}) {
  const errors = [];
  const listeners = { error: (error) => errors.push(error), ...options.listeners };
  const client = await connect(target, {
    reconnect: { initialDelay: 5, maxDelay: 50 },
    // Only against hanging: a process may take its time to begin on a busy machine.
    connectTimeout: 120_000,
    WebSocket,
    ...options,
    listeners,
  });
  context.after(async () => {
    await client.close();
    assert.deepEqual(errors, []);
  });
  return client;
}

test('an event that is too much for a message fails alone', async (context) => {
  const client = await open(context, { tcp: serverAddress });
  const counter = await client.open('counter');
  let tooDeep = [];
  for (let depth = 0; depth < 600; depth++) tooDeep = [tooDeep];
  for (const [by, name] of [[Array.from({ length: 25_000 }, () => 1), 'LimitExceeded'], [tooDeep, 'ParseError']]) {
    const refused = counter.send({ kind: 'increment', by });
    const behind = counter.send({ kind: 'increment', by: 2 });
    await assert.rejects(refused, { name });
    await behind;
  }
  assert.equal((await client.attach(counter.key)).seq, 3);
});

test('who is here is told, and who has a key to look does nothing else', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const client = await open(context, { tcp: relay.address }, { views: true, clientInfo: { name: 'Ada' } });
  const reader = await open(context, { tcp: serverAddress }, { views: true, clientInfo: { name: 'Bob' } });
  const orders = await client.open('orders', { count: 3, delay: 0 });
  const key = await orders.readKey();
  assert.equal(await orders.readKey(), key);
  assert.equal(orders.access, undefined);
  const seen = await reader.attach(key);
  assert.equal(seen.access, 'read');
  const names = (view) => view.views.map(({ program, access, you }) => `${program} ${access ?? 'all'} ${you}`).sort();
  await until(() => names(orders).length === 2, 'the reader, to the other one');
  assert.deepEqual(names(orders), ['Ada all true', 'Bob read false']);
  assert.deepEqual(names(seen), ['Ada all false', 'Bob read true']);
  for (const refused of [seen.send({ kind: 'loadOrders' }), seen.endSession()]) {
    await assert.rejects(refused, { name: 'Forbidden', code: -32017 });
  }
  await orders.send({ kind: 'loadOrders' });
  await orders.send({ kind: 'selectOrder', index: 1 });
  await until(() => seen.navigation.stack.length === 1, 'the details');
  const details = await reader.attach(seen.navigation.stack[0].key);
  assert.equal(details.access, 'read');
  await assert.rejects(details.back(), { name: 'Forbidden' });
  assert.deepEqual(seen.dropped, []);
  // It is told again after a cut.
  const told = [];
  orders.onViews((views) => told.push(views.length));
  relay.cut();
  await until(() => told.at(-1) === 2, 'the views, after the cut');
  await seen.detach();
  await until(() => told.at(-1) === 1, 'that the reader has gone');
  assert.equal(await orders.readKey(), key);
});

test('what a person may come back to is listed', async (context) => {
  const place = await folder(context);
  const target = { command: [serverPath, '--stdio', '--store', `sqlite:${join(place, 'store.db')}`] };
  const first = await open(context, target);
  const todos = await first.open('todos', { list: 'garden' });
  await todos.send({ kind: 'add', title: 'Dig' });
  await first.open('hello');
  await first.close();
  const client = await open(context, target);
  const [kept, ...others] = await client.keptSessions();
  assert.deepEqual(others, []);
  const { lastUsed, ...rest } = kept;
  const expected = { key: todos.key, viewModel: 'todos', arguments: { list: 'garden' }, title: '1 open, 0 done', views: 0 };
  assert.deepEqual(rest, expected);
  assert.ok(Math.abs(Date.parse(lastUsed) - Date.now()) < 600_000, lastUsed);
  const again = await client.attach(kept.key);
  assert.equal(again.viewModel, 'todos');
  const [now] = await client.keptSessions();
  assert.equal(now.views, 1);
});

test('a list that is opened twice is one session, for which each view sends, also after a lost connection', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const given = { list: randomUUID() };
  const shown = (view) => {
    const titles = [];
    view.on('changed', ({ value }) => titles.splice(0, titles.length, ...value.items.map(({ title }) => title)));
    return titles;
  };
  const client = await open(context, { tcp: relay.address });
  const one = await client.open('todos', given);
  const first = shown(one);
  await one.send({ kind: 'add', title: 'Milk' });
  const two = await client.open('todos', given);
  const second = shown(two);
  assert.equal(two.key, one.key);
  await two.send({ kind: 'add', title: 'Bread' });
  relay.cut();
  await Promise.all([one.send({ kind: 'add', title: 'Eggs' }), two.send({ kind: 'toggle', id: 1 })]);
  await until(() => first.length === 3 && second.length === 3, 'what both have added');
  assert.deepEqual([first, second], [['Milk', 'Bread', 'Eggs'], ['Milk', 'Bread', 'Eggs']]);
  await one.detach();
  assert.equal(two.closed, null);

  const later = await open(context, { tcp: serverAddress });
  const again = await later.open('todos', given);
  const third = shown(again);
  await until(() => third.length === 3, 'the list as it is');
  assert.equal(again.key, two.key);
  await again.endSession();
  await until(() => two.closed, 'the end of the other view');
  const anew = await later.open('todos', given);
  assert.notEqual(anew.key, again.key);
  await anew.endSession();
});

/** Where a server is, for each way to reach one. */
const ways = {
  stdio: () => ({ command: [serverPath, '--stdio'] }),
  TCP: () => ({ tcp: serverAddress }),
  WebSocket: () => ({ webSocket: `ws://${serverAddress}/ws` }),
  'a Unix socket': async (context) => {
    const unix = join(await folder(context), 'socket');
    await startServer(context, '--unix', unix);
    return { unix };
  },
};

for (const [name, way] of Object.entries(ways)) {
  for (const framing of name === 'WebSocket' ? ['headers'] : ['headers', 'lines']) {
    test(`a counter counts over ${name}${name === 'WebSocket' ? '' : ` in ${framing}`}`, async (context) => {
      const client = await open(context, await way(context), { framing });
      assert.equal(client.serverInfo.name, 'view-model-server');
      assert.equal(client.typeOf('counter'), 'Examples.CounterViewModel');
      const counter = await client.open('counter', { start: 40 });
      const counts = [];
      counter.on('count', ({ value }) => counts.push(value));
      await counter.send({ kind: 'increment', by: 2 });
      assert.deepEqual(counts, [40, 42]);
      await assert.rejects(counter.send({ kind: 'nothing' }), ({ name, data }) => {
        return name === 'InvalidParams' && data.path === '/event/kind';
      });
      await counter.send({ kind: 'increment', by: -2 });
      assert.deepEqual(counts, [40, 42, 40]);
      await counter.endSession();
      assert.equal(counter.closed.reason, 'closed');
    });
  }
}

test('many orders are read', async (context) => {
  const client = await open(context, { tcp: serverAddress });
  const orders = await client.open('orders', { count: 20_000, delay: 0 });
  await orders.send({ kind: 'loadOrders' });
  let count = 0;
  for await (const { id, name } of orders.list('orders')) {
    if (id !== count || name !== `Order #${count}`) assert.fail(`${name} with the id ${id} at ${count}`);
    count += 1;
  }
  assert.equal(count, 20_000);
  await orders.endSession();
});

test('progress goes on after the answer, with the work', async (context) => {
  const client = await open(context, { tcp: serverAddress });
  const watch = await client.open('stopwatch');
  const progress = [];
  await watch.send({ kind: 'start' }, { onProgress: ({ kind }) => progress.push(kind) });
  assert.deepEqual(progress, ['begin']);
  await watch.send({ kind: 'lap' });
  await watch.send({ kind: 'stop' });
  assert.deepEqual(progress, ['begin', 'report', 'end']);
  await watch.endSession();
});

test('loading tells its progress, and can be cancelled', async (context) => {
  const client = await open(context, { tcp: serverAddress });
  const quick = await client.open('orders', { delay: 0 });
  const progress = [];
  await quick.send({ kind: 'loadOrders' }, { onProgress: ({ kind }) => progress.push(kind) });
  assert.deepEqual(progress, ['begin', 'report', 'end']);
  const slow = await client.open('orders', { delay: 3_600 });
  const controller = new AbortController();
  const loading = outcome(slow.send({ kind: 'loadOrders' }, { signal: controller.signal }));
  const events = slow.events[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, { kind: 'loading', value: true });
  controller.abort();
  await until(() => loading.isDone, 'the end');
  assert.equal(loading.error.name, 'AbortError');
  assert.deepEqual((await events.next()).value, { kind: 'loading', value: false });
  await Promise.all([quick.endSession(), slow.endSession()]);
});

test('a server that is not there is an error with its address', async (context) => {
  const path = join(await folder(context), 'nobody');
  await assert.rejects(connect({ unix: path }), ({ name, message, cause }) => {
    return name === 'ConnectionLost' && message.includes(path) && cause.code === 'ENOENT';
  });
  await assert.rejects(connect({ command: [path] }), ({ message, cause }) => {
    return message.startsWith(`${path} can't be started`) && cause.cause.code === 'ENOENT';
  });
  await assert.rejects(connect({ command: [serverPath, '--wrong'] }), {
    message: /ended with status 64: .*/,
  });
});

/** A server to spawn, that says which process it is. */
async function traceable(context) {
  const path = join(await folder(context), 'pid');
  return {
    command: ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$1" --stdio', path, serverPath],
    pid: async () => Number(await readFile(path, 'utf8')),
  };
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a server that was spawned takes its views with it when it dies', async (context) => {
  const { command, pid } = await traceable(context);
  const client = await open(context, { command });
  const counter = await client.open('counter');
  const closed = new Promise((resolve) => counter.onClosed(resolve));
  const iterated = outcome((async () => {
    for await (const { kind } of counter.events) assert.equal(kind, 'count');
  })());
  process.kill(await pid(), 'SIGKILL');
  assert.deepEqual(await closed, { reason: 'connectionLost', message: '/bin/sh was ended by SIGKILL' });
  assert.equal(client.state, 'closed');
  await until(() => iterated.isDone, 'the end of the events');
  await assert.rejects(counter.send({ kind: 'increment' }), { name: 'UnknownSession' });
  await assert.rejects(client.open('counter'), { name: 'Closed' });
});

test('a newer view under the same name ends the older one, which leaves it to that', async (context) => {
  const [older, newer] = [
    await open(context, ways.TCP(), { clientName: 'tab' }),
    await open(context, ways.TCP(), { clientName: 'tab' }),
  ];
  const first = await older.open('counter');
  await first.send({ kind: 'increment', by: 1 });
  const second = await newer.attach(first.key);
  await until(() => first.closed, 'the end of the older view');
  assert.deepEqual([first.closed.reason, first.dropped], ['replaced', []]);
  let value;
  second.on('count', (event) => (value = event.value));
  await second.send({ kind: 'increment', by: 2 });
  assert.deepEqual([value, second.closed, older.state], [3, null, 'connected']);
  await second.endSession();
});

test('closing the client ends a server that it spawned', async (context) => {
  const { command, pid } = await traceable(context);
  const client = await connect({ command });
  assert.ok(isRunning(await pid()));
  await client.close();
  assert.ok(!isRunning(await pid()));
});

test('events that are sent while connections break anywhere are applied once each, in their order', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  let connections = 0;
  const listeners = { state: (state) => (connections += state === 'connected' ? 1 : 0) };
  const client = await open(context, { tcp: relay.address }, { listeners });
  const counter = await client.open('counter');
  const counts = [];
  counter.on('count', ({ value }) => counts.push(value));
  relay.loseConnections();
  const sendings = [];
  while (connections < 10) {
    for (let index = 0; index < 20; index += 1) sendings.push(counter.send({ kind: 'increment', by: 1 }));
    await new Promise(setImmediate);
    // Events that aren't done are in memory.
    if (sendings.length % 1_000 === 0) await Promise.all(sendings);
  }
  relay.life = () => Infinity;
  await Promise.all(sendings);
  assert.deepEqual(counts, Array.from({ length: sendings.length + 1 }, (_, value) => value));
  await counter.endSession();
});
