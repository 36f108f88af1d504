// A server whose store can't be used for a while: what waits for it says so and why, and is done once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { opened, outcome, settled } from './support.mjs';

const storeUnavailable = "the store can't be used: the disk is full";
const refusal = { code: -32016, message: storeUnavailable, data: { retryAfterMs: 1_000 } };

/** With all stalls of the client and of the view, and a view of another session that waits for nothing. */
async function watched() {
  const all = await opened();
  all.server.answersPings = false;
  const opening = all.client.open('orders');
  await all.server.connection.reply('session/open', { session: 2, key: 'key-2', viewModel: 'orders' });
  const told = { client: [], view: [], other: [] };
  const other = await opening;
  all.client.on('stall', (stall) => told.client.push(stall));
  all.view.onStall((stall) => told.view.push(stall));
  other.onStall((stall) => told.other.push(stall));
  return { ...all, told, other };
}

test('a ping says why nothing is answered, also while something else comes, and when that is over', async () => {
  const { client, server, timers, states, view, other, told } = await watched();
  const adding = outcome(view.send({ kind: 'increment' }));
  await server.connection.next('view/event');
  for (let second = 1; second <= 4; second += 1) {
    await timers.advance(1_000);
    server.connection.event(2, second, { kind: 'news' });
  }
  await timers.advance(1_000);
  await server.connection.reply('ping', { storeUnavailable });
  assert.deepEqual([view.stall, other.stall, client.stall], ['the disk is full', undefined, 'the disk is full']);
  assert.deepEqual([client.state, view.isAttached, view.pending.length], ['connected', true, 1]);
  // Another that begins to wait says so, too.
  const asking = outcome(other.send({ kind: 'load' }));
  assert.equal(other.stall, 'the disk is full');
  await server.connection.reply('view/event', { seq: 4 });
  await settled();
  assert.deepEqual([asking.isDone, other.stall, view.stall], [true, undefined, 'the disk is full']);
  await timers.advance(5_000);
  await server.connection.reply('ping', null);
  assert.deepEqual([view.stall, client.stall, adding.isDone], [undefined, undefined, false]);
  assert.deepEqual(told.view, ['the disk is full', undefined]);
  assert.deepEqual(told.other, ['the disk is full', undefined]);
  assert.deepEqual(told.client, ['the disk is full', undefined]);
  assert.deepEqual(states.map(({ state }) => state), ['connecting', 'connected']);
});

test('an answer, the end of the view and the loss of the connection end it', async () => {
  for (const way of ['answer', 'end', 'loss']) {
    const { client, server, timers, view, told } = await watched();
    outcome(view.send({ kind: 'increment' }));
    const event = await server.connection.next('view/event');
    await timers.advance(5_000);
    await server.connection.reply('ping', { storeUnavailable });
    assert.equal(view.stall, 'the disk is full');
    if (way === 'answer') server.connection.answer(event, { seq: 1 });
    if (way === 'end') server.connection.notify('session/closed', { session: 1, reason: 'failed' });
    if (way === 'loss') server.connection.cut();
    await settled();
    assert.deepEqual([view.stall, told.view], [undefined, ['the disk is full', undefined]], way);
    // Where the view has ended, its event is unanswered still.
    assert.equal(client.stall, way === 'end' ? 'the disk is full' : undefined, way);
  }
});

test('what is unanswered without a reason, and a reason where nothing waits, say nothing', async () => {
  const { client, server, timers, view } = await watched();
  await timers.advance(30_000);
  await server.connection.reply('ping', { storeUnavailable });
  assert.deepEqual([client.stall, view.stall], [undefined, undefined]);
  view.send({ kind: 'increment' });
  await server.connection.next('view/event');
  await timers.advance(5_000);
  await server.connection.reply('ping', null);
  assert.deepEqual([client.stall, view.stall], [undefined, undefined]);
});

test('it is over with the answer to what was refused, though nothing asks the server any more', async () => {
  const { client, server, timers, view, told } = await watched();
  const adding = outcome(view.send({ kind: 'increment' }));
  for (let number = 1; number <= 5; number += 1) {
    server.connection.fail(await server.connection.next('view/event'), refusal);
    await timers.advance(1_000);
    if (number === 5) await server.connection.reply('ping', { storeUnavailable });
  }
  await server.connection.reply('view/event', { seq: 0 });
  await settled();
  assert.deepEqual([adding.isDone, view.stall, client.stall], [true, undefined, undefined]);
  assert.deepEqual([told.view.at(-1), told.client.at(-1)], [undefined, undefined]);
});

test('an event that is refused for the store says why until it is taken, whatever a ping says meanwhile', async () => {
  const { client, server, timers, view, told } = await watched();
  const attached = [];
  view.onAttached((isAttached) => attached.push(isAttached));
  const adding = outcome(view.send({ kind: 'increment' }));
  for (let number = 1; number <= 7; number += 1) {
    const event = await server.connection.next('view/event');
    if (number > 1) assert.deepEqual([view.stall, client.stall], ['the disk is full', 'the disk is full']);
    if (number === 1) await timers.advance(500);
    server.connection.fail(event, refusal);
    await timers.advance(999);
    if (number === 5) await server.connection.reply('ping', null);
    assert.equal(view.stall, 'the disk is full');
    await timers.advance(1);
  }
  assert.deepEqual([told.view, attached], [['the disk is full'], []]);
  // It is on its way, and a handler may take long.
  const event = await server.connection.next('view/event');
  await timers.advance(3_000);
  await server.connection.reply('ping', null);
  assert.deepEqual([view.stall, client.stall, adding.isDone], [undefined, undefined, false]);
  server.connection.answer(event, { seq: 1 });
  await settled();
  assert.deepEqual([adding.isDone, adding.error, told.client], [true, undefined, ['the disk is full', undefined]]);
});

test("a view that can't come back to send a refused event again is away", async () => {
  for (const way of ['refusal', 'loss']) {
    const { server, timers, view } = await watched();
    const attached = [];
    view.onAttached((isAttached) => attached.push(isAttached));
    outcome(view.send({ kind: 'increment' }));
    const early = { code: -32602, message: '/number: 1 came where 0 is next', data: { path: '/number' } };
    server.connection.fail(await server.connection.next('view/event'), early);
    await timers.advance(0);
    await server.connection.next('session/detach');
    const attach = await server.connection.next('session/attach');
    if (way === 'refusal') server.connection.fail(attach, refusal);
    else server.connection.cut();
    await settled();
    assert.deepEqual([view.isAttached, attached], [false, [false]], way);
    await timers.advance(1_000);
    await server.connection.reply('session/attach', { session: 3, viewModel: 'counter', handled: 0 });
    assert.deepEqual([view.isAttached, attached], [true, [false, true]], way);
  }
});

test('an event that is taken back while it waits for the store waits no more', async () => {
  const { client, server, timers, view } = await watched();
  const controller = new AbortController();
  outcome(view.send({ kind: 'increment' }, { signal: controller.signal }));
  server.connection.fail(await server.connection.next('view/event'), refusal);
  await timers.advance(1);
  assert.equal(view.stall, 'the disk is full');
  controller.abort();
  assert.deepEqual([view.stall, client.stall], [undefined, undefined]);
});

test('a session that is attached again when the store is back says why', async () => {
  const { client, server, timers, view, told } = await watched();
  server.connection.cut();
  await timers.advance(200);
  server.connection.fail(await server.connection.next('session/attach'), refusal);
  await server.connection.reply('session/attach', { session: 2, viewModel: 'orders', handled: 0 });
  await timers.advance(1_000);
  assert.deepEqual([view.stall, view.isAttached, client.stall], ['the disk is full', false, 'the disk is full']);
  await server.connection.reply('session/attach', { session: 3, viewModel: 'counter', handled: 0 });
  await settled();
  assert.deepEqual([view.stall, view.isAttached, client.stall], [undefined, true, undefined]);
  assert.deepEqual([told.view, told.other], [['the disk is full', undefined], []]);
});

test('rows that are refused for the store say why', async () => {
  const { server, timers, other } = await watched();
  other.list('orders').show(0, 10);
  server.connection.event(2, 1, { kind: 'orders', count: 100 });
  server.connection.fail(await server.connection.next('session/rows'), refusal);
  await settled();
  assert.equal(other.stall, 'the disk is full');
  await timers.advance(1_000);
  const rows = Array.from({ length: 20 }, (_, id) => ({ id }));
  await server.connection.reply('session/rows', { seq: 1, count: 100, first: 0, rows });
  await settled();
  assert.equal(other.stall, undefined);
});
