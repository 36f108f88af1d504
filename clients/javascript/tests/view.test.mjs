import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, opened, outcome, settled } from './support.mjs';

const count = (value) => ({ kind: 'count', value });

test('a view that is opened has what its server said, and nothing else yet', async () => {
  const { view, name } = await opened();
  assert.match(name, /^js-[a-z0-9]{10,}$/);
  assert.deepEqual([view.viewModel, view.key, view.seq, view.closed], ['counter', 'key-1', 0, null]);
  assert.deepEqual(view.navigation, { stack: [], presented: null });
});

test('events that come with the answer wait for the listeners of the next turn', async () => {
  const { client, server } = await connected();
  const opening = client.open('counter');
  await server.connection.reply('session/open', { session: 1, key: 'k', viewModel: 'counter' });
  server.connection.event(1, 1, count(1), { more: true });
  server.connection.notify('navigation/push', { session: 1, seq: 2, viewModel: 'child', key: 'c' });
  server.connection.event(1, 3, count(2));
  const view = await opening;
  await settled();
  const seen = [];
  view.on('count', ({ value }, details) => seen.push([value, details]));
  view.onNavigation((action) => seen.push(action));
  view.onAny((event) => seen.push(event.kind));
  assert.deepEqual(seen, []);
  await settled();
  assert.deepEqual(seen, [
    [1, { seq: 1, more: true, isSnapshot: false }],
    'count',
    { action: 'push', viewModel: 'child', key: 'c' },
    [2, { seq: 3, more: false, isSnapshot: false }],
    'count',
  ]);
  const late = [];
  view.on('*', (event) => late.push(event));
  await settled();
  assert.deepEqual(late, []);
  server.connection.event(1, 4, count(3));
  assert.deepEqual(late, [count(3)]);
});

test('listeners hear their kind only, until they are removed', async () => {
  const { server, view } = await opened();
  const seen = [];
  const listen = ({ value }) => seen.push(value);
  const stop = view.on('count', listen);
  view.on('count', listen);
  view.on('rows', () => seen.push('rows'));
  await settled();
  server.connection.event(1, 1, count(1));
  assert.deepEqual(seen, [1, 1]);
  stop();
  stop();
  server.connection.event(1, 2, count(2));
  server.connection.event(1, 3, { kind: 'event' });
  server.connection.event(1, 4, { kind: 'closed' });
  assert.deepEqual(seen, [1, 1, 2]);
  assert.throws(() => view.on('count'), TypeError);
});

test('the first iterator has all events, others those from when they begin, and all end with the view', async () => {
  const { server, view } = await opened();
  view.on('count', () => {});
  server.connection.event(1, 1, count(1));
  await settled();
  server.connection.event(1, 2, count(2));
  const all = view.events[Symbol.asyncIterator]();
  assert.deepEqual(await all.next(), { value: count(1), done: false });
  const later = view.events[Symbol.asyncIterator]();
  const waiting = [later.next(), later.next()];
  server.connection.event(1, 3, count(3));
  server.connection.event(1, 4, count(4));
  assert.deepEqual(await Promise.all(waiting), [{ value: count(3), done: false }, { value: count(4), done: false }]);
  const left = view.events[Symbol.asyncIterator]();
  const pending = left.next();
  await left.return();
  assert.deepEqual(await pending, { value: undefined, done: true });
  server.connection.notify('session/closed', { session: 1, reason: 'dismissed' });
  const rest = [];
  for await (const event of { [Symbol.asyncIterator]: () => all }) rest.push(event.value);
  assert.deepEqual(rest, [2, 3, 4]);
  assert.deepEqual(await later.next(), { value: undefined, done: true });
  for await (const event of view.events) assert.fail(`${event} came after the end`);
});

test('of events that nobody iterates the newest are kept, and an iteration that begins too late says so', async () => {
  const { server, view, errors } = await opened();
  for (let seq = 1; seq <= 1_500; seq += 1) server.connection.event(1, seq, count(seq));
  const iterator = view.events[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).value.value, 1_500 - 1_024 + 1);
  assert.equal(iterator.skipped, 476);
  // Others are to begin where they begin.
  assert.equal(view.events[Symbol.asyncIterator]().skipped, 1_500);
  await settled();
  assert.deepEqual(errors.map(({ name, message, data }) => [name, message, data]), [
    ['EventsSkipped', '476 events of counter had been forgotten when their iteration began', { count: 476 }],
    ['EventsSkipped', '476 events of counter had been forgotten when the first listener was added', { count: 476 }],
  ]);
  const { server: other, view: large } = await opened();
  for (let seq = 1; seq <= 5; seq += 1) other.connection.event(1, seq, { kind: 'text', seq, value: 'x'.repeat(3_000_000) });
  assert.equal((await large.events[Symbol.asyncIterator]().next()).value.seq, 4);
});

test('a snapshot is told before its events, with what is on screen', async () => {
  const { client, server } = await connected();
  const attaching = client.attach('key-9');
  const attach = await server.connection.next('session/attach');
  assert.deepEqual(Object.keys(attach.params), ['key', 'client']);
  const navigation = { stack: [{ viewModel: 'child', key: 'c' }], presented: { viewModel: 'ask', key: 'p' } };
  server.connection.answer(attach, {
    session: 1, viewModel: 'orders', seq: 7, snapshot: [count(1), count(2)], handled: 0, navigation,
  });
  const view = await attaching;
  assert.deepEqual([view.viewModel, view.key, view.seq], ['orders', 'key-9', 7]);
  assert.deepEqual(view.navigation, navigation);
  const seen = [];
  view.onSnapshot((events, details) => seen.push([events, details]));
  view.on('count', ({ value }, details) => seen.push([value, details]));
  await settled();
  assert.deepEqual(seen, [
    [[count(1), count(2)], { seq: 7, navigation }],
    [1, { seq: 7, more: true, isSnapshot: true }],
    [2, { seq: 7, more: false, isSnapshot: true }],
  ]);
  server.connection.event(1, 8, count(3));
  assert.deepEqual(seen[3], [3, { seq: 8, more: false, isSnapshot: false }]);
});

test('a snapshot is told whole, however long it is', async () => {
  const { client, server } = await connected();
  const attaching = client.attach('k');
  const attach = await server.connection.next('session/attach');
  const snapshot = Array.from({ length: 3_000 }, (_, index) => count(index));
  server.connection.answer(attach, { session: 1, viewModel: 'counter', seq: 3_000, snapshot });
  server.connection.event(1, 3_001, count(-1));
  const view = await attaching;
  const told = [];
  view.onSnapshot((events) => told.push(events.length));
  view.on('count', ({ value }) => told.push(value));
  await settled();
  assert.deepEqual(told, [3_000, ...snapshot.map(({ value }) => value), -1]);
  const events = view.events[Symbol.asyncIterator]();
  for (const event of [...snapshot, count(-1)]) assert.deepEqual((await events.next()).value, event);
});

test('attaching with since goes on from there', async () => {
  const { client, server, errors } = await connected();
  const attaching = client.attach('key-9', { since: 5, epoch: 'a' });
  const attach = await server.connection.next('session/attach');
  assert.deepEqual([attach.params.since, attach.params.epoch], [5, 'a']);
  server.connection.answer(attach, { session: 1, viewModel: 'counter', seq: 7, epoch: 'b', handled: 0 });
  server.connection.event(1, 6, count(1));
  server.connection.event(1, 7, count(2));
  const view = await attaching;
  const seen = [];
  view.onSnapshot(() => seen.push('snapshot'));
  view.on('count', ({ value }) => seen.push(value));
  await settled();
  assert.deepEqual([seen, view.seq, view.epoch, errors], [[1, 2], 7, 'b', []]);
});

test('attaching takes a snapshot where the events after since are gone', async () => {
  const { client, server } = await connected();
  const attaching = client.attach('key-9', { since: 5 });
  server.connection.fail(await server.connection.next('session/attach'), { code: -32013, data: { oldest: 9 } });
  const again = await server.connection.next('session/attach');
  assert.equal(again.params.since, undefined);
  server.connection.answer(again, { session: 2, viewModel: 'counter', seq: 12, snapshot: [count(1)], handled: 0 });
  assert.equal((await attaching).seq, 12);
  const failing = outcome(client.attach('key-9'));
  server.connection.fail(await server.connection.next('session/attach'), { code: -32013, data: { oldest: 9 } });
  await settled();
  assert.equal(failing.error.name, 'ReplayUnavailable');
});

test('what is on screen is kept in mind as it changes', async () => {
  const { server, view } = await opened();
  const actions = [];
  view.onNavigation((action) => actions.push(action));
  await settled();
  let seq = 0;
  for (const [method, key, viewModel, stack, presented] of [
    ['push', 'a', 'details', ['a'], undefined],
    ['push', 'b', 'details', ['a', 'b'], undefined],
    ['present', 'p', 'ask', ['a', 'b'], 'p'],
    ['dismiss', 'p', undefined, ['a', 'b'], undefined],
    ['pop', 'b', undefined, ['a'], undefined],
  ]) {
    server.connection.notify(`navigation/${method}`, { session: 1, seq: ++seq, key, viewModel });
    assert.deepEqual([view.navigation.stack.map(({ key }) => key), view.navigation.presented?.key], [stack, presented]);
    assert.deepEqual(actions.at(-1), viewModel ? { action: method, viewModel, key } : { action: method, key });
  }
});

test('what is no event is refused by the client', async () => {
  const { server, view } = await opened();
  for (const wrong of [undefined, null, 'text', 7, [1], () => {}]) {
    await assert.rejects(view.send(wrong), { name: 'TypeError' });
  }
  await assert.rejects(view.send({ kind: 'x', value: 1n }), { name: 'TypeError' });
  await assert.rejects(view.send({ kind: 'x', value: 'ü'.repeat(50_000) }), {
    name: 'LimitExceeded',
    data: { limit: 'messageBytes' },
  });
  await server.connection.nothingMore();
  const sending = view.send({ kind: 'x', value: 'x'.repeat(90_000) });
  await server.connection.reply('view/event', { seq: 0 });
  await sending;
});

test("progress goes on after an answer that says so, until the session's end", async () => {
  const { server, view } = await opened();
  const { connection } = server;
  const seen = [];
  const send = async (name, answer) => {
    const sending = view.send({ kind: 'load' }, { onProgress: ({ kind }) => seen.push(`${name} ${kind}`) });
    const message = await connection.next('view/event');
    connection.answer(message, answer);
    await sending;
    return message.params.workDoneToken;
  };
  const tell = (token, kind) => connection.notify('$/progress', { token, value: { kind } });
  const [first, second] = [await send('first', { seq: 0, progress: true }), await send('second', { seq: 0 })];
  tell(first, 'begin');
  tell(second, 'begin');
  tell(first, 'report');
  assert.deepEqual(seen, ['first begin', 'first report']);
  connection.notify('session/closed', { session: 1, reason: 'closed' });
  tell(first, 'report');
  assert.deepEqual(seen, ['first begin', 'first report', 'first end']);
});

test('an aborted event is cancelled at the server', async () => {
  const { server, view } = await opened();
  const controller = new AbortController();
  const sending = outcome(view.send({ kind: 'load' }, { signal: controller.signal }));
  const message = await server.connection.next('view/event');
  controller.abort();
  assert.equal((await server.connection.next('$/cancelRequest')).params.id, message.id);
  assert.equal(sending.error.name, 'AbortError');
  server.connection.fail(message, { code: -32800, message: 'cancelled' });
  await assert.rejects(view.send({ kind: 'load' }, { signal: controller.signal }), { name: 'AbortError' });
  const next = view.send({ kind: 'load' });
  const following = await server.connection.next('view/event');
  assert.equal(following.params.number, 2);
  server.connection.answer(following, { seq: 0 });
  await next;
});

test('only so many events are on their way as a session takes', async () => {
  const { server, view } = await opened();
  const sendings = Array.from({ length: 6 }, (_, value) => view.send({ kind: 'x', value }));
  const messages = [];
  for (let index = 0; index < 4; index += 1) messages.push(await server.connection.next('view/event'));
  await server.connection.nothingMore();
  for (let index = 0; index < 6; index += 1) {
    server.connection.answer(messages[index], { seq: 0 });
    if (index < 2) messages.push(await server.connection.next('view/event'));
  }
  await Promise.all(sendings);
  assert.deepEqual(messages.map(({ params }) => params.number), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(messages.map(({ params }) => params.event.value), [0, 1, 2, 3, 4, 5]);
});

test('events that a full session refuses are sent again in their order', async () => {
  const { server, view, timers, errors } = await opened();
  const { connection } = server;
  const sendings = ['a', 'b', 'c'].map((value) => outcome(view.send({ kind: 'x', value })));
  const a = await connection.next('view/event');
  const b = await connection.next('view/event');
  const c = await connection.next('view/event');
  connection.fail(b, { code: -32015, message: 'full', data: { limit: 'pendingEvents', retryAfterMs: 100 } });
  connection.fail(c, { code: -32602, message: '/number: 3 came where 2 is next', data: { path: '/number' } });
  const later = [outcome(view.send({ kind: 'x', value: 'd' }))];
  const refusal = { code: -32602, message: '/number: 4 came where 2 is next', data: { path: '/number' } };
  connection.fail(await connection.next('view/event'), refusal);
  later.push(outcome(view.send({ kind: 'x', value: 'e' })));
  await timers.advance(99);
  await connection.nothingMore();
  await timers.advance(1);
  connection.event(1, 1, count(1));
  const again = [];
  for (const expected of ['b', 'c', 'd']) {
    const message = await connection.next('view/event');
    assert.deepEqual([message.params.session, message.params.event.value], [1, expected]);
    again.push(message);
  }
  assert.deepEqual(again.map(({ params }) => params.number), [2, 3, 4]);
  // The first is still to be answered, so that there is no room for another.
  await connection.nothingMore();
  for (const message of [a, ...again]) connection.answer(message, { seq: 1 });
  const last = await connection.next('view/event');
  assert.deepEqual([last.params.number, last.params.event.value], [5, 'e']);
  connection.answer(last, { seq: 1 });
  await settled();
  for (const { isDone, error } of [...sendings, ...later]) assert.deepEqual([isDone, error], [true, undefined]);
  assert.deepEqual(errors, []);
  assert.equal(view.seq, 1);
});

test('what is refused later than what was sent after it is sent again before that', async () => {
  const { server, view, timers } = await opened();
  const { connection } = server;
  const sendings = ['a', 'b', 'c'].map((value) => outcome(view.send({ kind: 'x', value })));
  const a = await connection.next('view/event');
  const b = await connection.next('view/event');
  const c = await connection.next('view/event');
  const refusal = { code: -32016, message: 'the store is away', data: { retryAfterMs: 100 } };
  connection.fail(c, refusal);
  await timers.advance(50);
  connection.fail(b, refusal);
  await timers.advance(50);
  const again = [await connection.next('view/event'), await connection.next('view/event')];
  assert.deepEqual(again.map(({ params }) => [params.number, params.event.value]), [[2, 'b'], [3, 'c']]);
  for (const message of [a, ...again]) connection.answer(message, { seq: 0 });
  await settled();
  assert.deepEqual(sendings.map(({ isDone, error }) => [isDone, error]), Array(3).fill([true, undefined]));
  await timers.advance(1_000);
  await connection.nothingMore();
});

test('refusals that come late have no part in what is sent again', async () => {
  const { server, view, timers } = await opened();
  const { connection } = server;
  const sendings = ['a', 'b'].map((value) => outcome(view.send({ kind: 'x', value })));
  const [a, b] = [await connection.next('view/event'), await connection.next('view/event')];
  connection.fail(a, { code: -32015, data: { limit: 'pendingBytes', retryAfterMs: 100 } });
  await timers.advance(100);
  const again = [await connection.next('view/event'), await connection.next('view/event')];
  assert.deepEqual(again.map(({ params }) => params.number), [1, 2]);
  connection.fail(b, { code: -32602, message: '/number: 2 came where 1 is next', data: { path: '/number' } });
  await timers.advance(1_000);
  await connection.nothingMore();
  for (const message of again) connection.fail(message, { code: -32014 });
  await settled();
  assert.deepEqual(sendings.map(({ error }) => error?.name), ['ViewModelFailed', 'ViewModelFailed']);
});

test('a number that the server never takes is an error in the end', async () => {
  const { server, view, timers } = await opened();
  const sending = outcome(view.send({ kind: 'x' }));
  for (let session = 2; session < 6; session += 1) {
    const message = await server.connection.next('view/event');
    server.connection.fail(message, { code: -32602, message: '/number: no', data: { path: '/number' } });
    await timers.advance(0);
    if (session === 5) break;
    await server.connection.reply('session/detach', null);
    await server.connection.reply('session/attach', { session, viewModel: 'counter', seq: 0, handled: 0 });
  }
  assert.equal(sending.error.name, 'InvalidParams');
});

test('a view that is closed says so once, in words, and to those who ask later', async () => {
  for (const [reason, message] of [
    ['closed', 'the session was closed'],
    ['dismissed', 'it was dismissed'],
    ['popped', 'it was left'],
    ['failed', 'the view model failed'],
    ['serverShutdown', 'the server shut down'],
    ['news', 'news'],
  ]) {
    const { server, view, errors } = await opened();
    const closings = [];
    view.onClosed((closed) => closings.push(closed));
    await settled();
    const running = outcome(view.send({ kind: 'x' }));
    const request = await server.connection.next('view/event');
    server.connection.notify('session/closed', { session: 1, reason });
    server.connection.event(1, 1, count(1));
    server.connection.notify('session/closed', { session: 1, reason });
    assert.deepEqual([closings, view.closed], [[{ reason, message }], { reason, message }]);
    view.onClosed((closed) => closings.push(closed));
    await settled();
    assert.equal(closings.length, 2);
    assert.equal(running.isDone, false, 'its answer still comes');
    server.connection.answer(request, { seq: 0 });
    await settled();
    assert.deepEqual([running.isDone, running.error], [true, undefined]);
    await assert.rejects(view.send({ kind: 'x' }), { name: 'UnknownSession', data: { reason } });
    await assert.rejects(view.back(), { name: 'UnknownSession' });
    await view.endSession();
    await view.detach();
    await server.connection.nothingMore();
    assert.deepEqual(errors, []);
  }
});

test('a client has one name, and a second view of a session another, which is kept', async () => {
  const { client, server, timers, view } = await opened({ clientName: 'tab' });
  const attach = async (key, session) => {
    const attaching = client.attach(key);
    const message = await server.connection.next('session/attach');
    server.connection.answer(message, { session, viewModel: 'counter', seq: 0, snapshot: [] });
    return { view: await attaching, name: message.params.client };
  };
  const second = await attach('key-1', 2);
  const other = await attach('key-2', 3);
  assert.deepEqual([second.name, other.name], ['tab.2', 'tab']);
  server.connection.cut();
  await timers.advance(200);
  const names = [];
  for (const session of [1, 2, 3]) {
    const message = await server.connection.next('session/attach');
    names.push([message.params.key, message.params.client]);
    server.connection.answer(message, { session, viewModel: 'counter', seq: 0 });
  }
  assert.deepEqual(names, [['key-1', 'tab'], ['key-1', 'tab.2'], ['key-2', 'tab']]);
  await settled();
  // A name that is free again is taken again.
  const leaving = view.detach();
  await server.connection.reply('session/detach', null);
  await leaving;
  assert.equal((await attach('key-1', 4)).name, 'tab');
  const failing = outcome(client.attach('key-2'));
  const refused = await server.connection.next('session/attach');
  assert.equal(refused.params.client, 'tab.2');
  server.connection.fail(refused, { code: -32012, message: 'gone' });
  await settled();
  assert.equal(failing.error.name, 'UnknownSession');
  assert.equal((await attach('key-2', 5)).name, 'tab.2');
});

test('a view whose name another one took comes back once with what it sent, and then leaves it to that', async () => {
  const { server, timers, view, errors } = await opened();
  const doubtful = outcome(view.send({ kind: 'increment' }));
  const first = await server.connection.next('view/event');
  server.connection.notify('session/closed', { session: 1, reason: 'replaced' });
  server.connection.fail(first, { code: -32012, message: 'there is no view 1' });
  await server.connection.reply('session/attach', { session: 2, viewModel: 'counter', seq: 0, handled: 0 });
  const message = await server.connection.next('view/event');
  assert.deepEqual([message.params.session, message.params.number, doubtful.isDone], [2, 1, false]);
  server.connection.notify('session/closed', { session: 2, reason: 'replaced' });
  server.connection.fail(message, { code: -32012, message: 'there is no view 2' });
  await timers.advance(60_000);
  await server.connection.nothingMore();
  assert.deepEqual(view.closed, { reason: 'replaced', message: 'it is shown elsewhere, under the same name' });
  assert.equal(doubtful.error.name, 'UnknownSession');
  assert.deepEqual([view.dropped, errors], [[{ event: { kind: 'increment' }, isSent: true }], []]);
});

test('a session that an open finds is shown, and what is sent goes on from the number that it has', async () => {
  const { client, server } = await connected({ clientName: 'tab' });
  const opening = client.open('counter');
  const open = await server.connection.next('session/open');
  const found = { session: 1, key: 'key-1', viewModel: 'counter', isNew: false, seq: 9, handled: 7 };
  const navigation = { stack: [], presented: { viewModel: 'ask', key: 'key-2' } };
  server.connection.answer(open, { ...found, snapshot: [count(9)], navigation });
  server.connection.event(1, 10, count(10));
  const view = await opening;
  const shown = [];
  view.on('count', ({ value }) => shown.push(value));
  outcome(view.send({ kind: 'increment' }));
  assert.equal((await server.connection.next('view/event')).params.number, 8);
  await server.connection.nothingMore();
  assert.deepEqual([shown, view.navigation, view.seq], [[9, 10], navigation, 10]);
});

test('what comes out of order is an error, and a server that does it again and again is given up', async () => {
  const { server, view, errors } = await opened();
  server.connection.event(1, 1, count(1));
  server.connection.event(1, 1, count(1));
  assert.match(errors[0].message, /viewModel\/event 1 of counter came where 2 is next/);
  await server.connection.nothingMore();
  server.connection.event(1, 3, count(3));
  assert.match(errors[1].message, /viewModel\/event 3 of counter came where 2 is next/);
  await server.connection.next('session/detach');
  await server.connection.reply('session/attach', { session: 2, viewModel: 'counter', seq: 3 });
  server.connection.event(2, 3, count(3));
  assert.equal(errors.length, 3);
  assert.equal(view.closed.reason, 'failed');
  assert.match(view.closed.message, /attaching again didn't help/);
});
