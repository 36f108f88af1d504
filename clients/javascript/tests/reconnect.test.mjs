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

test('the waits grow to a limit, and are short again after a connection', async () => {
  const { server, timers, states, client } = await connected({ reconnect: { initialDelay: 100, maxDelay: 1_000 } });
  server.refusal = new Error('nobody there');
  server.connection.cut();
  await timers.advance(100 + 200 + 400 + 800 + 1_000 + 1_000);
  const waits = states.filter(({ state }) => state === 'waiting');
  assert.deepEqual(waits.map(({ delay }) => delay), [100, 200, 400, 800, 1_000, 1_000, 1_000]);
  assert.deepEqual([waits[0].error.message, waits[1].error.message], ['cut', 'nobody there']);
  assert.deepEqual([waits[2].attempt, waits[2].at], [3, 300 + 400]);
  assert.equal(client.state, 'waiting');
  server.refusal = null;
  await timers.advance(1_000);
  assert.equal(client.state, 'connected');
  server.connection.cut();
  assert.equal(states.at(-1).delay, 100);
});

test('a part of each wait is random, so that clients come back one after another', async () => {
  const { server, timers, states } = await connected();
  timers.part = 0;
  server.connection.cut();
  assert.deepEqual([states.at(-1).state, states.at(-1).delay], ['waiting', 100]);
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

test('without reconnecting, views are closed with the reason', async () => {
  const { client, server, view, states, timers } = await opened({ reconnect: false });
  const sending = outcome(view.send({ kind: 'x' }));
  server.connection.cut('the cable broke');
  await timers.advance(100_000);
  assert.equal(client.state, 'closed');
  assert.deepEqual(view.closed, { reason: 'connectionLost', message: 'the cable broke' });
  assert.equal(sending.error.name, 'UnknownSession');
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

for (const [error, name] of [
  [{ code: -32013, data: { oldest: 9 } }, 'are gone'],
  [{ code: -32602, data: { path: '/since', reason: 'beyond' } }, 'never were'],
]) {
  test(`a view starts anew where the events after it ${name}`, async () => {
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
    next.event(1, 21, count(20));
    assert.deepEqual(seen, [1, 1, 19, 20]);
    assert.equal(view.navigation.stack[0].key, 'b');
  });
}

test('a session that is gone closes its view, and no other', async () => {
  const all = await opened();
  const opening = all.client.open('orders');
  const open = await all.server.connection.next('session/open');
  all.server.connection.answer(open, { session: 2, key: 'key-2', viewModel: 'orders' });
  const other = await opening;
  const waiting = outcome(all.view.send({ kind: 'x' }));
  const next = await reconnect(all);
  next.fail(await next.next('session/attach'), { code: -32012, message: 'no such key' });
  next.answer(await next.next('session/attach'), { session: 1, viewModel: 'orders', seq: 0, handled: 0 });
  await settled();
  assert.deepEqual(all.view.closed, { reason: 'gone', message: 'the session ended while the connection was lost' });
  assert.equal(waiting.error.name, 'UnknownSession');
  assert.equal(other.closed, null);
});

test('a view without any snapshot is closed with what the server says', async () => {
  const all = await opened();
  const next = await reconnect(all);
  next.fail(await next.next('session/attach'), { code: -32013, message: 'gone' });
  next.fail(await next.next('session/attach'), { code: -32013, message: 'no longer kept' });
  await settled();
  assert.deepEqual(all.view.closed, { reason: 'failed', message: "the view can't be attached again: no longer kept" });
});

test('a full server is asked again', async () => {
  const all = await opened();
  const next = await reconnect(all);
  next.fail(await next.next('session/attach'), { code: -32015, data: { limit: 'hostedSessions', retryAfterMs: 1_000 } });
  await all.timers.advance(999);
  await next.nothingMore();
  await all.timers.advance(1);
  next.answer(await next.next('session/attach'), { session: 1, viewModel: 'counter', seq: 0, handled: 0 });
  const sending = all.view.send({ kind: 'x' });
  next.answer(await next.next('view/event'), { seq: 0 });
  await sending;
});

test('events on their way are sent again, those that the server has taken with the numbers that it knows', async () => {
  const all = await opened();
  const { server, view } = all;
  const sendings = ['a', 'b', 'c'].map((value) => outcome(view.send({ kind: 'x', value })));
  server.connection.answer(await server.connection.next('view/event'), { seq: 0 });
  await settled();
  server.connection.cut();
  const during = outcome(view.send({ kind: 'x', value: 'd' }));
  await all.timers.advance(10_000);
  const next = server.connection;
  const attach = await next.next('session/attach');
  await next.nothingMore();
  next.answer(attach, { session: 1, viewModel: 'counter', seq: 2, handled: 2 });
  await settled();
  assert.deepEqual(sendings.map(({ isDone }) => isDone), [true, false, false]);
  const again = [await next.next('view/event'), await next.next('view/event'), await next.next('view/event')];
  assert.deepEqual(again.map(({ params }) => [params.number, params.event.value]), [[2, 'b'], [3, 'c'], [4, 'd']]);
  // Taken isn't handled: it is done when it is answered, and what it led to has come.
  next.event(1, 1, count(1));
  next.event(1, 2, count(2));
  await settled();
  assert.equal(sendings[1].isDone, false);
  next.answer(again[0], { seq: 2 });
  await settled();
  assert.deepEqual([sendings[1].isDone, sendings[1].error], [true, undefined]);
  for (const message of again.slice(1)) next.answer(message, { seq: 2 });
  await settled();
  assert.deepEqual([sendings[2].isDone, during.isDone], [true, true]);
  await next.nothingMore();
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
  next.answer(await next.next('session/attach'), { session: 1, viewModel: 'counter', seq: 0, handled: 1 });
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
  next.answer(await next.next('viewModel/describe'), { name: 'counter' });
  next.answer(await next.next('session/open'), { session: 1, key: 'k', viewModel: 'counter' });
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
  next.answer(await next.next('viewModel/describe'), { name: 'counter' });
  next.answer(await next.next('session/attach'), { session: 1, viewModel: 'counter', seq: 0, snapshot: [], handled: 0 });
  await next.nothingMore();
  assert.ok(describing.isDone && attaching.value);
});

test('an open whose answer is lost is sent again under the same name', async () => {
  const { client, server, timers } = await connected();
  const openings = [outcome(client.open('counter', { start: 1 })), outcome(client.open('counter', { start: 1 }))];
  const first = await server.connection.next('session/open');
  const other = await server.connection.next('session/open');
  assert.match(first.params.once, /^[A-Za-z0-9_-]{22,}$/);
  assert.notEqual(first.params.once, other.params.once);
  server.connection.cut();
  await timers.advance(10_000);
  const next = server.connection;
  const again = await next.next('session/open');
  assert.deepEqual(again.params, first.params);
  next.answer(again, { session: 1, key: 'k', viewModel: 'counter' });
  next.event(1, 1, count(1));
  next.answer(await next.next('session/open'), { session: 2, key: 'l', viewModel: 'counter' });
  await settled();
  const { value: view } = openings[0];
  const seen = [];
  view.on('count', ({ value }) => seen.push(value));
  await settled();
  assert.deepEqual([view.key, openings[1].value.key, seen], ['k', 'l', [1]]);

  // Where it won't come back, there is nobody to send it again.
  const { client: single, server: only } = await connected({ reconnect: false });
  const opening = outcome(single.open('counter'));
  const open = await only.connection.next('session/open');
  assert.equal(open.params.once, undefined);
  only.connection.cut();
  await settled();
  assert.equal(opening.error.name, 'ConnectionLost');
});

test('a session that told more than is kept before its open was answered begins with a snapshot', async () => {
  const { client, server, errors } = await connected();
  const opening = outcome(client.open('counter'));
  const open = await server.connection.next('session/open');
  server.connection.answer(open, { session: 1, key: 'k', viewModel: 'counter' });
  server.connection.notify('session/closed', { session: 1, reason: 'overflow' });
  server.connection.fail(await server.connection.next('session/attach'), { code: -32013, data: { oldest: 9 } });
  const attach = await server.connection.next('session/attach');
  server.connection.answer(attach, { session: 2, viewModel: 'counter', seq: 40, snapshot: [count(7)], handled: 0 });
  server.connection.event(2, 41, count(8));
  await settled();
  const seen = [];
  opening.value.on('count', ({ value }) => seen.push(value));
  await settled();
  assert.deepEqual([seen, errors, opening.value.key], [[7, 8], [], 'k']);
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
  next.answer(await next.next('session/attach'), { session: 1, viewModel: 'counter', seq: 0, handled: 0 });
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
  server.connection.answer(await server.connection.next('view/event'), { seq: 0 });
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
  assert.deepEqual(view.pending, []);
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
  next.answer(await next.next('session/attach'), { session: 3, viewModel: 'counter', seq: 0, handled: 0 });
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

test('a connection that is lost again and again loses nothing', async () => {
  const all = await opened({ reconnect: { initialDelay: 1, maxDelay: 1 } });
  const { server, view, timers, errors } = all;
  // A session that takes events, of which the answers are often lost.
  const taken = [];
  const seen = [];
  view.on('count', ({ value }) => seen.push(value));
  await settled();
  const sendings = [];
  let random = 1;
  const chance = (one) => (random = (random * 48_271) % 2_147_483_647) % one === 0;
  let isQuiet = false;
  const cut = (connection, one) => !isQuiet && chance(one) && connection.cut();
  const handle = (connection, { id, method, params }) => {
    if (method === 'session/attach') {
      connection.answer({ id }, { session: 1, viewModel: 'counter', seq: taken.length, handled: taken.length });
      for (let seq = params.since; seq < taken.length; seq += 1) connection.event(1, seq + 1, count(taken[seq]));
    }
    if (method === 'view/event') {
      if (params.number <= taken.length) return connection.answer({ id }, { seq: taken.length });
      assert.equal(params.number, taken.length + 1);
      taken.push(params.event.value);
      cut(connection, 3);
      connection.event(1, taken.length, count(taken.at(-1)));
      cut(connection, 5);
      connection.answer({ id }, { seq: taken.length });
    }
    cut(connection, 7);
  };
  for (let round = 0; round < 700; round += 1) {
    if (round < 300) sendings.push(view.send({ kind: 'x', value: round }));
    // In the end there is quiet, in which the rest comes.
    isQuiet = round > 300;
    const { connection } = server;
    for (const message of connection.received.splice(0)) if (!connection.isOver) handle(connection, message);
    await timers.advance(2);
  }
  await Promise.all(sendings);
  assert.ok(server.connections.length > 50, `${server.connections.length} connections`);
  assert.deepEqual(taken, Array.from({ length: 300 }, (_, value) => value));
  assert.deepEqual(seen, taken);
  assert.deepEqual(errors, []);
});

test('a connection on which nothing comes is asked, and given up without an answer', async () => {
  const { client, server, timers, states } = await connected({ keepAlive: 30_000 });
  server.answersPings = false;
  await timers.advance(30_000);
  server.connection.answer(await server.connection.next('ping'), null);
  await timers.advance(29_999);
  await server.connection.nothingMore();
  await timers.advance(1);
  await server.connection.next('ping');
  await timers.advance(4_999);
  assert.equal(client.state, 'connected');
  await timers.advance(1);
  assert.equal(states.at(-1).error.message, "the server hasn't answered for 35 s");
  assert.equal(client.state, 'waiting');
  await timers.advance(200);
  assert.equal(client.state, 'connected');
});

test('a server that stands still is noticed after 10 s where an answer is waited for, and all goes on by itself', async () => {
  const { client, server, timers, states, view } = await opened();
  server.answersPings = false;
  const attached = [];
  view.onAttached((isAttached) => attached.push(isAttached));
  await timers.advance(20_000);
  const adding = outcome(view.send({ kind: 'increment' }));
  await server.connection.next('view/event');
  await timers.advance(4_000);
  // What was sent later doesn't put it off.
  view.send({ kind: 'reset' });
  await server.connection.next('view/event');
  await timers.advance(1_000);
  await server.connection.next('ping');
  await timers.advance(4_999);
  assert.deepEqual([client.state, view.isAttached], ['connected', true]);
  await timers.advance(1);
  assert.equal(states.at(-1).error.message, "the server hasn't answered for 10 s");
  assert.deepEqual([client.state, client.isSilent, view.isAttached, attached], ['waiting', true, false, [false]]);
  assert.deepEqual(view.pending.map(({ event, isSent }) => [event.kind, isSent]), [['increment', true], ['reset', true]]);
  await timers.advance(200);
  const attach = await server.connection.next('session/attach');
  server.connection.answer(attach, { session: 1, viewModel: 'counter', seq: 0, handled: 1 });
  for (const number of [1, 2]) {
    const message = await server.connection.next('view/event');
    assert.equal(message.params.number, number);
    server.connection.answer(message, { seq: 0 });
  }
  await settled();
  assert.deepEqual([adding.isDone, adding.error, view.pending, client.isSilent], [true, undefined, [], false]);
  server.connection.cut();
  assert.deepEqual([client.state, client.isSilent], ['waiting', false]);
});

test('a server that works long and answers pings stays', async () => {
  const { client, server, timers, view } = await opened();
  server.answersPings = false;
  const working = outcome(view.send({ kind: 'work' }));
  const work = await server.connection.next('view/event');
  for (let minute = 0; minute < 12; minute += 1) {
    await timers.advance(5_000);
    server.connection.answer(await server.connection.next('ping'), null);
  }
  await timers.advance(5_000);
  await server.connection.next('ping');
  await timers.advance(4_000);
  // Anything that comes is a sign, and another ping goes out all the same.
  server.connection.event(1, 1, { kind: 'count', value: 1 });
  await timers.advance(1_000);
  await server.connection.next('ping');
  await timers.advance(4_999);
  await server.connection.nothingMore();
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

test('what a server that has forgotten the client may have taken is given back, and not sent again', async () => {
  const { client, server, timers, view, name } = await opened();
  const given = [];
  view.onDelivery(({ state, event, isSent }) => state === 'dropped' && given.push([event.kind, isSent]));
  const first = view.send({ kind: 'first' });
  server.connection.answer(await server.connection.next('view/event'), { seq: 0 });
  await first;
  const doubtful = outcome(view.send({ kind: 'doubtful' }));
  await server.connection.next('view/event');
  server.connection.cut();
  const unsent = outcome(view.send({ kind: 'unsent' }));
  await timers.advance(200);
  const attach = await server.connection.next('session/attach');
  assert.equal(attach.params.client, name);
  server.connection.answer(attach, { session: 1, viewModel: 'counter', seq: 0 });
  await settled();
  assert.equal(doubtful.error.message, "the server doesn't know any more whether it took this event, so it isn't sent again");
  assert.deepEqual(given, [['doubtful', true]]);
  assert.deepEqual(view.dropped, [{ event: { kind: 'doubtful' }, isSent: true }]);
  const message = await server.connection.next('view/event');
  assert.deepEqual([message.params.event.kind, message.params.number], ['unsent', 1]);
  server.connection.answer(message, { seq: 0 });
  await settled();
  assert.deepEqual([unsent.isDone, unsent.error, view.closed, client.state], [true, undefined, null, 'connected']);
});

test('what was refused for now was not taken, whether the server knows the client or not', async () => {
  const { server, timers, view } = await opened();
  const adding = outcome(view.send({ kind: 'increment' }));
  const refusal = { code: -32016, message: 'the store is away', data: { retryAfterMs: 100 } };
  server.connection.fail(await server.connection.next('view/event'), refusal);
  await settled();
  server.connection.cut();
  await timers.advance(200);
  const attach = await server.connection.next('session/attach');
  server.connection.answer(attach, { session: 2, viewModel: 'counter', seq: 0 });
  server.connection.answer(await server.connection.next('view/event'), { seq: 0 });
  await settled();
  assert.deepEqual([adding.isDone, adding.error], [true, undefined]);
});

test('the history that a number is of goes back with it, and a snapshot of another one is taken', async () => {
  const { client, server, timers } = await connected();
  const opening = client.open('counter');
  const answer = { session: 1, key: 'key-1', viewModel: 'counter', epoch: 'a' };
  server.connection.answer(await server.connection.next('session/open'), answer);
  const view = await opening;
  const shown = [];
  view.onSnapshot(() => shown.push('anew'));
  view.on('count', ({ value }) => shown.push(value));
  await settled();
  for (const seq of [1, 2, 3]) server.connection.event(1, seq, { kind: 'count', value: seq });
  server.connection.cut();
  await timers.advance(200);
  const { id, params } = await server.connection.next('session/attach');
  assert.deepEqual([params.since, params.epoch, view.epoch], [3, 'a', 'a']);
  const snapshot = [{ kind: 'count', value: 20 }];
  server.connection.answer({ id }, { session: 1, viewModel: 'counter', seq: 2, epoch: 'b', snapshot, handled: 0 });
  server.connection.event(1, 3, { kind: 'count', value: 30 });
  assert.deepEqual(shown, [1, 2, 3, 'anew', 20, 30]);
  assert.deepEqual([view.seq, view.epoch], [3, 'b']);
  const attaching = client.attach('key-1', { since: 2, epoch: 'b' });
  const attach = await server.connection.next('session/attach');
  assert.deepEqual([attach.params.since, attach.params.epoch], [2, 'b']);
  server.connection.answer(attach, { session: 2, viewModel: 'counter', seq: 3, epoch: 'b' });
  await attaching;
});
