import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, opened, outcome, settled } from './support.mjs';

const count = (value) => ({ kind: 'count', value });

/** Cuts the connection, and lets the client connect again. */
async function reconnect({ server, timers }) {
  server.connection.cut();
  await timers.advance(10_000);
  return server.connection;
}

test('the waits grow to a limit, are short again after a connection, and are random in part', async () => {
  const { server, timers, states, client } = await connected({ reconnect: { initialDelay: 100, maxDelay: 1_000 } });
  server.refusal = new Error('nobody there');
  server.connection.cut();
  await timers.advance(100 + 200 + 400 + 800 + 1_000 + 1_000);
  const waits = states.filter(({ state }) => state === 'waiting');
  assert.deepEqual(waits.map(({ delay }) => delay), [100, 200, 400, 800, 1_000, 1_000, 1_000]);
  assert.deepEqual([waits[0].error.message, waits[1].error.message], ['cut', 'nobody there']);
  assert.deepEqual([waits[2].attempt, waits[2].at], [3, 300 + 400]);
  server.refusal = null;
  await timers.advance(1_000);
  assert.equal(client.state, 'connected');
  // So that clients come back one after another.
  timers.part = 0;
  server.connection.cut();
  assert.equal(states.at(-1).delay, 50);
});

test('the wait can be cut short', async () => {
  const { client, server, timers } = await connected();
  server.connection.cut();
  assert.equal(client.state, 'waiting');
  client.reconnect();
  client.reconnect();
  await settled();
  assert.equal(client.state, 'connected');
  assert.equal(server.connections.length, 2);
  client.reconnect();
  await timers.advance(60_000);
  assert.equal(server.connections.length, 2);
});

test('without reconnecting, views are closed with the reason, and what was asked is not asked again', async () => {
  const { client, server, view, states, timers } = await opened({ reconnect: false });
  const sending = outcome(view.send({ kind: 'x' }));
  const opening = outcome(client.open('counter'));
  let droppedAtTheEnd;
  view.onClosed(() => (droppedAtTheEnd = view.dropped));
  await server.connection.next('view/event');
  // There is nobody who would send it again.
  assert.equal((await server.connection.next('session/open')).params.once, undefined);
  server.connection.cut('the cable broke');
  await timers.advance(100_000);
  assert.equal(client.state, 'closed');
  assert.deepEqual(view.closed, { reason: 'connectionLost', message: 'the cable broke' });
  assert.deepEqual([sending.error.name, opening.error.name], ['UnknownSession', 'ConnectionLost']);
  assert.deepEqual(droppedAtTheEnd, [{ event: { kind: 'x' }, isSent: true }]);
  assert.equal(states.at(-1).message, 'the cable broke');
  assert.equal(server.connections.length, 1);
});

test('a server that refuses to initialize again ends it', async () => {
  const all = await opened();
  all.server.initializeError = { code: -32010, message: 'the token is wrong' };
  await reconnect(all);
  assert.equal(all.client.state, 'closed');
  assert.equal(all.view.closed.message, 'the token is wrong');
  assert.equal(all.server.connections.length, 2);
});

test('a view starts anew where the events after it are gone or never were, and ends where that fails, too', async () => {
  const errors = [{ code: -32013, data: { oldest: 9 } }, { code: -32602, data: { path: '/since', reason: 'beyond' } }];
  for (const error of errors) {
    const all = await opened();
    const { server, view } = all;
    const seen = [];
    view.on('count', ({ value }) => seen.push(value));
    view.onSnapshot((events, { navigation }) => seen.push(navigation.stack.length));
    await settled();
    server.connection.event(1, 1, count(1));
    const next = await reconnect(all);
    next.fail(await next.next('session/attach'), error);
    const again = await next.next('session/attach');
    assert.equal(again.params.since, undefined);
    const navigation = { stack: [{ viewModel: 'a', key: 'b' }], presented: null };
    next.answer(again, { session: 1, viewModel: 'counter', seq: 20, snapshot: [count(19)], handled: 0, navigation });
    assert.deepEqual([seen, view.navigation.stack[0].key], [[1, 1, 19], 'b']);

    const last = await reconnect(all);
    last.fail(await last.next('session/attach'), error);
    last.fail(await last.next('session/attach'), { code: -32013, message: 'no longer kept' });
    await settled();
    assert.deepEqual(view.closed, { reason: 'failed', message: "the view can't be attached again: no longer kept" });
  }
});

test('events that are aborted while there is no connection are not sent again', async () => {
  const all = await opened();
  const { server, view } = all;
  const controllers = Array.from({ length: 3 }, () => new AbortController());
  const send = (index) => outcome(view.send({ kind: 'x', value: index }, { signal: controllers[index].signal }));
  const sendings = [send(0), send(1)];
  await settled();
  server.connection.cut();
  sendings.push(send(2));
  for (const controller of controllers) controller.abort();
  await settled();
  assert.deepEqual(sendings.map(({ error }) => error?.name), Array(3).fill('AbortError'));
  assert.deepEqual(view.pending, []);
  await all.timers.advance(10_000);
  const next = server.connection;
  await next.reply('session/attach', { session: 1, viewModel: 'counter', seq: 0, handled: 1 });
  await next.nothingMore();
  const following = view.send({ kind: 'x', value: 3 });
  const message = await next.next('view/event');
  assert.equal(message.params.number, 2);
  next.answer(message, { seq: 0 });
  await following;
});

test('what is asked while there is no connection waits for one', async () => {
  const { client, server, timers } = await connected();
  server.connection.cut();
  const describing = outcome(client.describe('counter'));
  const opening = outcome(client.open('counter'));
  const controller = new AbortController();
  const aborted = outcome(client.request('x', {}, { signal: controller.signal }));
  controller.abort();
  await assert.rejects(client.request('x', {}, { signal: controller.signal }), { name: 'AbortError' });
  await timers.advance(10_000);
  assert.equal(aborted.error.name, 'AbortError');
  const next = server.connection;
  await next.reply('viewModel/describe', { name: 'counter' });
  await next.reply('session/open', { session: 1, key: 'k', viewModel: 'counter' });
  await next.nothingMore();
  assert.deepEqual(describing.value, { name: 'counter' });
  assert.equal(opening.value.key, 'k');
});

test('of what is asked when the connection is lost, only what may be asked twice is', async () => {
  const { client, server, timers } = await connected();
  const describing = outcome(client.describe('counter'));
  const attaching = outcome(client.attach('k'));
  const asking = outcome(client.request('x'));
  await settled();
  server.connection.cut();
  await timers.advance(10_000);
  assert.equal(asking.error.name, 'ConnectionLost');
  const next = server.connection;
  await next.reply('viewModel/describe', { name: 'counter' });
  await next.reply('session/attach', { session: 1, viewModel: 'counter', seq: 0, snapshot: [], handled: 0 });
  await next.nothingMore();
  assert.ok(describing.isDone && attaching.value);
});

/** What becomes of each event, as the program is told it. */
function deliveries(view) {
  const told = [];
  view.onDelivery(({ state, event, isSent }) => told.push(`${state} ${event.value}${isSent ? '' : ' (not sent)'}`));
  return told;
}

test('a program is told which events wait, which are sent, and which were answered', async () => {
  const all = await opened();
  const { server, view } = all;
  const told = deliveries(view);
  const attached = [];
  view.onAttached((isAttached) => attached.push(isAttached));
  const event = { kind: 'x', value: 'a', list: [1] };
  view.send(event);
  event.list.push(2);
  assert.deepEqual(view.pending, [{ event: { kind: 'x', value: 'a', list: [1] }, isSent: true }]);
  // Its own copy: changing it doesn't change what is sent again.
  view.pending[0].event.list.push(3);
  await server.connection.next('view/event');
  server.connection.cut();
  assert.equal(view.isAttached, false);
  view.send({ kind: 'x', value: 'b' });
  assert.deepEqual(view.pending.map(({ event, isSent }) => [event.value, isSent]), [['a', true], ['b', false]]);
  await all.timers.advance(10_000);
  const next = server.connection;
  await next.reply('session/attach', { session: 1, viewModel: 'counter', seq: 0, handled: 0 });
  const messages = [await next.next('view/event'), await next.next('view/event')];
  assert.deepEqual(messages[0].params.event.list, [1]);
  for (const message of messages) next.answer(message, { seq: 0 });
  await settled();
  assert.deepEqual(told, [
    'pending a (not sent)', 'sent a', 'pending b (not sent)', 'pending a (not sent)', 'sent a', 'sent b', 'settled a', 'settled b',
  ]);
  assert.deepEqual([view.pending, view.dropped, attached], [[], [], [false, true]]);
});

test('what a session took with it is given back to the program, before it hears of the end', async () => {
  const all = await opened();
  const { server, view } = all;
  const told = deliveries(view);
  let atTheEnd;
  view.onClosed(() => (atTheEnd = view.dropped.length));
  const controller = new AbortController();
  const sendings = ['a', 'b'].map((value) => outcome(view.send({ kind: 'x', value })));
  await server.connection.reply('view/event', { seq: 0 });
  await settled();
  server.connection.cut();
  sendings.push(outcome(view.send({ kind: 'x', value: 'c' })));
  sendings.push(outcome(view.send({ kind: 'x', value: 'd' }, { signal: controller.signal })));
  controller.abort();
  await all.timers.advance(10_000);
  server.connection.fail(await server.connection.next('session/attach'), { code: -32012, message: 'no such key' });
  await settled();
  assert.deepEqual(view.dropped, [
    { event: { kind: 'x', value: 'b' }, isSent: true },
    { event: { kind: 'x', value: 'c' }, isSent: false },
  ]);
  assert.equal(atTheEnd, 2);
  assert.deepEqual(view.closed, { reason: 'gone', message: 'the session ended while the connection was lost' });
  assert.deepEqual(told.filter((line) => /^(settled|dropped)/.test(line)), [
    'settled a', 'settled d (not sent)', 'dropped b', 'dropped c (not sent)',
  ]);
  assert.deepEqual(sendings.map(({ error }) => error?.name), [undefined, 'UnknownSession', 'UnknownSession', 'AbortError']);
  assert.equal(sendings[1].error.cause.message, 'no such key');
});

test('closing waits for the view to be there, leaving does not', async () => {
  const all = await opened();
  const { view, server } = all;
  const closing = outcome(view.endSession());
  await server.connection.next('session/close');
  const next = await reconnect(all);
  await next.reply('session/attach', { session: 3, viewModel: 'counter', seq: 0, handled: 0 });
  const close = await next.next('session/close');
  assert.deepEqual(close.params, { session: 3 });
  next.answer(close, null);
  await settled();
  assert.ok(closing.isDone);

  const other = await opened();
  other.server.connection.cut();
  await other.view.detach();
  assert.equal(other.view.closed.reason, 'detached');
  await other.timers.advance(10_000);
  await other.server.connection.nothingMore();
});

test('a view that is left while it is attached again is detached', async () => {
  const all = await opened();
  const next = await reconnect(all);
  const attach = await next.next('session/attach');
  await all.view.detach();
  next.answer(attach, { session: 4, viewModel: 'counter', seq: 0, handled: 0 });
  assert.deepEqual((await next.next('session/detach')).params, { session: 4 });
  next.event(4, 1, count(1));
});

test('a connection on which nothing comes is asked, and given up without an answer', async () => {
  const { client, server, timers, states } = await connected({ keepAlive: 30_000 });
  server.answersPings = false;
  await timers.advance(30_000);
  await server.connection.reply('ping', null);
  await timers.advance(29_999);
  await server.connection.nothingMore();
  await timers.advance(1);
  await server.connection.next('ping');
  await timers.advance(4_999);
  assert.equal(client.state, 'connected');
  await timers.advance(1);
  assert.deepEqual([client.state, states.at(-1).error.message], ['waiting', "the server hasn't answered for 35 s"]);
});

test('a server that stands still is noticed 10 s after what waits first, whatever is sent after that', async () => {
  const { client, server, timers, states, view } = await opened();
  server.answersPings = false;
  await timers.advance(20_000);
  view.send({ kind: 'increment' });
  await timers.advance(4_000);
  view.send({ kind: 'reset' });
  await timers.advance(5_999);
  assert.deepEqual([client.state, client.isSilent, view.isAttached], ['connected', false, true]);
  await timers.advance(1);
  assert.equal(states.at(-1).error.message, "the server hasn't answered for 10 s");
  assert.deepEqual([client.state, client.isSilent, view.isAttached], ['waiting', true, false]);
  await timers.advance(200);
  assert.deepEqual([client.state, client.isSilent], ['connected', false]);
  server.connection.cut();
  assert.deepEqual([client.state, client.isSilent], ['waiting', false]);
});

test('a server that works long stays while it answers pings or says something else', async () => {
  const { client, server, timers, view } = await opened();
  server.answersPings = false;
  const working = outcome(view.send({ kind: 'work' }));
  const work = await server.connection.next('view/event');
  for (let round = 1; round <= 3; round += 1) {
    await timers.advance(5_000);
    await server.connection.reply('ping', null);
  }
  await timers.advance(5_000);
  await server.connection.next('ping');
  await timers.advance(4_000);
  server.connection.event(1, 1, count(1));
  await timers.advance(5_999);
  await server.connection.next('ping');
  assert.equal(client.state, 'connected');
  server.connection.answer(work, { seq: 1 });
  await timers.advance(20_000);
  await server.connection.nothingMore();
  assert.deepEqual([client.state, working.isDone], ['connected', true]);
});

test('where there is one connection only, a server that stands still is waited for, and said to be silent', async () => {
  const { client, server, timers, states, view } = await opened({ reconnect: false });
  server.answersPings = false;
  const attached = [];
  view.onAttached((isAttached) => attached.push(isAttached));
  const adding = outcome(view.send({ kind: 'increment' }));
  const message = await server.connection.next('view/event');
  await timers.advance(10_000);
  assert.deepEqual([client.state, states.at(-1).message], ['silent', "the server hasn't answered for 10 s"]);
  assert.deepEqual([view.isAttached, view.closed, view.pending.length], [false, null, 1]);
  // It goes out all the same.
  view.send({ kind: 'reset' });
  await server.connection.next('ping');
  await server.connection.next('view/event');
  server.connection.answer(message, { seq: 0 });
  await settled();
  assert.deepEqual([client.state, adding.isDone, attached], ['connected', true, [false, true]]);
  await timers.advance(5_000);
  await server.connection.next('ping');
});

test('what was refused for now or never sent was not taken, also by a server that has forgotten the client', async () => {
  const { server, timers, view } = await opened();
  const sendings = [outcome(view.send({ kind: 'refused' }))];
  const refusal = { code: -32016, message: 'the store is away', data: { retryAfterMs: 100 } };
  server.connection.fail(await server.connection.next('view/event'), refusal);
  await settled();
  server.connection.cut();
  sendings.push(outcome(view.send({ kind: 'unsent' })));
  await timers.advance(200);
  await server.connection.reply('session/attach', { session: 2, viewModel: 'counter', seq: 0 });
  for (const [index, kind] of ['refused', 'unsent'].entries()) {
    const message = await server.connection.next('view/event');
    assert.deepEqual([message.params.event.kind, message.params.number], [kind, index + 1]);
    server.connection.answer(message, { seq: 0 });
  }
  await settled();
  assert.deepEqual(sendings.map(({ isDone, error }) => [isDone, error]), [[true, undefined], [true, undefined]]);
});
