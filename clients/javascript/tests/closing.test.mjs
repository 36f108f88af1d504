import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, opened, outcome, settled } from './support.mjs';

const add = { kind: 'add', title: 'Milk' };
const methods = (server) => server.connection.received.map(({ method }) => method);

test('closing waits for the answers to what was sent, and takes nothing new', async () => {
  const { client, server, view } = await opened();
  const sending = outcome(view.send(add));
  const event = await server.connection.next('view/event');
  const closing = outcome(client.close());
  const again = outcome(client.close());
  await settled();
  assert.equal(methods(server).includes('shutdown'), false);
  await assert.rejects(client.open('counter'), { name: 'Closed' });
  assert.deepEqual(view.pending, [{ event: add, isSent: true }]);
  server.connection.answer(event, null);
  await settled();
  await settled();
  assert.deepEqual([sending.isDone, sending.error], [true, undefined]);
  assert.deepEqual([closing.isDone, again.isDone, client.state], [true, true, 'closed']);
  assert.deepEqual(view.dropped, []);
});

test('what is not answered within a second is rejected, and given back before the end is told', async () => {
  const { client, server, view, timers } = await opened();
  let atTheEnd;
  view.onClosed(({ reason }) => (atTheEnd = [reason, view.dropped, view.pending]));
  const first = outcome(view.send(add));
  const closing = outcome(client.close());
  await timers.advance(999);
  assert.deepEqual([first.isDone, closing.isDone, methods(server).includes('shutdown')], [false, false, false]);
  await timers.advance(1);
  assert.deepEqual([first.isDone, closing.isDone], [true, true]);
  assert.equal(first.error.name, 'UnknownSession');
  assert.equal(first.error.message, 'the view is closed: the client was closed');
  assert.deepEqual(atTheEnd, ['closed', [{ event: add, isSent: true }], []]);
});

test('closing waits for a lost connection, too, and no longer for what is taken back', async () => {
  const { client, server, view, timers } = await opened();
  server.connection.cut();
  const sending = outcome(view.send(add));
  const closing = outcome(client.close());
  await timers.advance(200);
  await server.connection.reply('session/attach', { session: 2, viewModel: 'counter', handled: 0, seq: 0 });
  const event = await server.connection.next('view/event');
  assert.equal(closing.isDone, false);
  server.connection.answer(event, null);
  await settled();
  assert.deepEqual([sending.isDone, sending.error], [true, undefined]);
  await settled();
  assert.equal(closing.isDone, true);

  const other = await opened();
  other.server.connection.cut();
  const controller = new AbortController();
  const taken = outcome(other.view.send(add, { signal: controller.signal }));
  const leaving = outcome(other.client.close());
  controller.abort();
  await settled();
  assert.deepEqual([taken.error.name, leaving.isDone, other.view.dropped], ['AbortError', true, []]);
});

test('what the server answers to the end of the client is told as that, once', async () => {
  const { client, server, view, timers } = await opened();
  server.answersShutdown = false;
  const told = [];
  view.onDelivery(({ state }) => state === 'dropped' && told.push(view.closed?.message));
  const sending = outcome(view.send(add));
  const event = await server.connection.next('view/event');
  outcome(client.close());
  await timers.advance(1_000);
  const shutdown = await server.connection.next('shutdown');
  server.connection.fail(event, { code: -32012, message: 'the session was closed before this was done' });
  await settled();
  assert.deepEqual([sending.isDone, told, view.pending], [false, [], [{ event: add, isSent: true }]]);
  server.connection.answer(shutdown, null);
  await settled();
  await settled();
  assert.deepEqual(told, ['the client was closed']);
  assert.equal(sending.error.message, 'the view is closed: the client was closed');
  assert.deepEqual(view.dropped, [{ event: add, isSent: true }]);
});

test('who closes it again waits for the end of the connection, too', async () => {
  const { client, server } = await connected();
  server.connection.end = () => {};
  const closing = outcome(client.close());
  await settled();
  await settled();
  assert.equal(client.state, 'closed');
  const again = outcome(client.close());
  await settled();
  assert.deepEqual([closing.isDone, again.isDone], [false, false]);
  server.connection.cut();
  await settled();
  assert.deepEqual([closing.isDone, again.isDone], [true, true]);
});
