// Lists of any length: which rows are asked for, and what becomes of them and of the places that are marked. That what is
// shown is the list as it was at one moment, and in the end as it is, is what `view-model-server conform` walks through.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexAfter } from '../view-model-client.js';
import { FakeServer, connected, opened, outcome, settled } from './support.mjs';

const row = (index) => ({ id: `row-${index}`, text: `Row ${index}` });
const rows = (first, end) => Array.from({ length: end - first }, (_, offset) => row(first + offset));
const insertion = (at, inserted) => ({ at, removed: 0, inserted });
const removal = (at, removed) => ({ at, removed, inserted: 0 });
const update = (at, count = 1) => ({ at, removed: count, inserted: count });

/** A view with a list `results` of so many rows, of which none came, and whose changes are kept. */
async function listed(count, rowLimit) {
  const fake = new FakeServer();
  if (rowLimit) fake.limits.rows = rowLimit;
  const all = await opened({}, fake);
  const { server, view } = all;
  const list = view.list('results');
  const changes = [];
  list.on('change', (change) => changes.push(change));
  let seq = 0;
  const tell = (event) => server.connection.event(1, ++seq, { kind: 'results', ...event });
  if (count !== undefined) tell({ count });
  changes.length = 0;
  /** The next request for rows, whose range this must be. */
  const asked = async (first, count) => {
    const request = await server.connection.next('session/rows');
    assert.deepEqual(request.params, { session: request.params.session, list: 'results', first, count });
    return request;
  };
  const answer = (request, given, count = list.count, first = request.params.first) =>
    server.connection.answer(request, { seq, count, first, rows: given });
  return { ...all, list, changes, tell, asked, answer };
}

test('a list is empty before its first event, and the same object each time', async () => {
  const { view, server } = await opened();
  const list = view.list('results');
  assert.equal(view.list('results'), list);
  assert.notEqual(view.list('others'), list);
  assert.deepEqual([list.count, list.row(0), list.selected], [0, undefined, null]);
  list.show(0, 10);
  await server.connection.nothingMore();
});

test('what came before a list is asked for is there', async () => {
  const { view, server } = await opened();
  server.connection.event(1, 1, { kind: 'results', count: 1_000, first: 0, rows: rows(0, 100) });
  server.connection.event(1, 2, { kind: 'results', count: 999, changes: [removal(0, 1)] });
  server.connection.event(1, 3, { kind: 'progress', count: 5, of: 7 });
  const list = view.list('results');
  assert.deepEqual([list.count, list.row(0), list.row(98), list.row(99)], [999, row(1), row(99), undefined]);
  assert.equal(view.list('progress').count, 0);
});

test('rows on screen are asked for once, with a screen before and after them', async () => {
  const { list, asked, answer, changes, server } = await listed(1_000);
  list.show(100, 10);
  list.show(100, 10);
  const request = await asked(90, 30);
  assert.equal(list.row(100), undefined);
  answer(request, rows(90, 120));
  assert.deepEqual([89, 90, 119, 120].map((index) => list.row(index)), [undefined, row(90), row(119), undefined]);
  assert.deepEqual(changes, [{ edits: [], count: 1_000, seq: 1, more: false }]);
  // As long as half a screen is left on both sides, nothing is asked for.
  list.show(105, 10);
  list.show(95, 10);
  await server.connection.nothingMore();
  // With those on screen, so that the server knows them.
  list.show(106, 10);
  answer(await asked(106, 20), rows(106, 126));
  await server.connection.nothingMore();
});

test('a request whose rows are out of sight is cancelled, and the next one goes when it is answered', async () => {
  const { list, asked, answer, server, errors } = await listed(10_000);
  list.show(0, 10);
  const first = await asked(0, 20);
  list.show(5_000, 10);
  list.show(6_000, 10);
  const { params } = await server.connection.next('$/cancelRequest');
  assert.equal(params.id, first.id);
  await server.connection.nothingMore();
  server.connection.fail(first, { code: -32800, message: 'cancelled' });
  const second = await asked(5_990, 30);
  list.show(0, 10);
  await server.connection.next('$/cancelRequest');
  // It was too late, and its rows are as good as others.
  answer(second, rows(5_990, 6_020));
  assert.deepEqual(list.row(6_000), row(6_000));
  answer(await asked(0, 20), rows(0, 20));
  await server.connection.nothingMore();
  assert.deepEqual(errors, []);
});

test('no more rows are asked for than the server gives', async () => {
  const { list, asked, answer, server } = await listed(10_000, 50);
  list.show(100, 40);
  answer(await asked(100, 50), rows(100, 150));
  answer(await asked(80, 50), rows(80, 130));
  answer(await asked(150, 30), rows(150, 180));
  await server.connection.nothingMore();
});

test('fewer rows than asked for are asked for again from where they end', async () => {
  const { list, asked, answer, server } = await listed(100);
  list.show(20, 20);
  answer(await asked(0, 60), rows(0, 15));
  // Those on screen first.
  answer(await asked(20, 40), rows(20, 60));
  answer(await asked(15, 25), rows(15, 40));
  await server.connection.nothingMore();
});

test('where no rows come, none are asked for until something changes', async () => {
  const { list, asked, answer, tell, server } = await listed(100);
  list.show(0, 10);
  answer(await asked(0, 20), []);
  answer(await asked(0, 20), []);
  list.show(0, 10);
  await server.connection.nothingMore();
  list.retry();
  answer(await asked(0, 20), []);
  list.show(1, 10);
  answer(await asked(1, 20), []);
  tell({ count: 101, changes: [insertion(0, 1)] });
  await asked(1, 20);
});

test('rows move with the changes, and what is new comes with them', async () => {
  const { list, tell, asked, answer, changes, server } = await listed(100);
  list.show(0, 10);
  answer(await asked(0, 20), rows(0, 20));
  changes.length = 0;
  const edits = [insertion(2, 1), removal(5, 2), update(0)];
  const now = [{ id: 'a' }, row(1), { id: 'b' }, row(2), row(3), row(6), row(7), row(8), row(9), row(10)];
  tell({ count: 99, changes: edits, first: 0, rows: now });
  assert.deepEqual(changes, [{ edits, count: 99, seq: 2, more: false }]);
  assert.deepEqual(now.map((_, index) => list.row(index)), now);
  assert.deepEqual([list.row(10), list.row(18), list.row(19)], [row(11), row(19), undefined]);
  await server.connection.nothingMore();
  // What isn't told is asked for.
  tell({ count: 100, changes: [insertion(0, 1)] });
  assert.deepEqual([list.row(0), list.row(1)], [undefined, { id: 'a' }]);
  answer(await asked(0, 10), [row(-1), ...now.slice(0, 9)]);
  // Any may be another, but those that come with it.
  tell({ count: 500, first: 0, rows: rows(1_000, 1_100) });
  assert.deepEqual(changes.at(-1), { edits: null, count: 500, seq: 4, more: false });
  assert.deepEqual([list.row(0), list.row(100)], [row(1_000), undefined]);
  await server.connection.nothingMore();
});

test('while the connection is lost the rows stay, and those that are wanted then are asked for when it is back', async () => {
  const { list, asked, answer, server, timers } = await listed(1_000);
  list.show(0, 10);
  answer(await asked(0, 20), rows(0, 20));
  list.show(100, 10);
  await asked(90, 30);
  server.connection.cut();
  list.show(200, 10);
  assert.deepEqual([list.row(3), list.row(19), list.row(200)], [row(3), row(19), undefined]);
  await timers.advance(200);
  await server.connection.reply('session/attach', { session: 1, viewModel: 'counter', seq: 1, handled: 0 });
  await asked(190, 30);
});

test('a snapshot resets the lists that it tells, and empties the others', async () => {
  const { view, list, tell, server, timers } = await listed(1_000);
  const other = view.list('other');
  tell({ kind: 'other', count: 7 });
  server.connection.cut();
  await timers.advance(200);
  const snapshot = [{ kind: 'results', count: 500, first: 0, rows: rows(40, 140) }];
  await server.connection.reply('session/attach', { session: 1, viewModel: 'counter', seq: 40, snapshot });
  assert.deepEqual([list.count, list.row(0), other.count], [500, row(40), 0]);
});

test('a listener that shows others in a change asks for those alone', async () => {
  const { list, tell, asked, answer, server } = await listed(10_000);
  list.show(100, 10);
  answer(await asked(90, 30), rows(90, 120));
  list.on('change', ({ edits }) => edits?.length > 0 && list.show(indexAfter(edits, 100), 10));
  tell({ count: 11_000, changes: [insertion(0, 1_000)] });
  assert.deepEqual(list.row(1_100), row(100));
  await server.connection.nothingMore();
});

test('rows of an older number or of another count are shown under none', async () => {
  const { list, tell, asked, answer, server, errors } = await listed(100);
  list.show(0, 10);
  const request = await asked(0, 20);
  tell({ count: 100 });
  server.connection.answer(request, { seq: 1, count: 100, first: 0, rows: rows(0, 20) });
  await settled();
  assert.deepEqual([list.row(0), errors.length], [undefined, 1]);
  assert.match(errors[0].message, /as they were at 1/);
  list.retry();
  answer(await asked(0, 20), rows(0, 20), 50);
  assert.deepEqual([list.count, list.row(0)], [50, row(0)]);
  assert.match(errors[1].message, /50 rows of results came where 100 were told/);
  // Changes that don't lead to the count.
  tell({ count: 60, changes: [insertion(0, 1)] });
  assert.deepEqual([list.count, list.row(0), errors.length], [60, undefined, 3]);
});

for (const [event, what] of [
  [{ count: -1 }, 'a count below zero'],
  [{ count: 5, changes: [{ at: 0 }] }, 'half a change'],
  [{ count: 5, rows: [1] }, 'rows without their place'],
  [{ count: 5, changes: 'all' }, 'changes in words'],
]) {
  test(`${what} is reported, and changes nothing`, async () => {
    const { list, tell, errors } = await listed(100);
    tell(event);
    assert.deepEqual([list.count, errors.length, errors[0].name], [100, 1, 'ProtocolError']);
  });
}

test('an error is told, and the rows are asked for again when one wants', async () => {
  const { list, asked, answer, server, errors } = await listed(100);
  list.show(0, 10);
  server.connection.fail(await asked(0, 20), { code: -32014, message: 'the file is gone' });
  await settled();
  assert.deepEqual(errors.map(({ message }) => message), ['the file is gone']);
  const own = [];
  list.on('error', (error) => own.push(error.message));
  list.show(0, 10);
  await server.connection.nothingMore();
  list.retry();
  server.connection.fail(await asked(0, 20), { code: -32014, message: 'still gone' });
  await settled();
  assert.deepEqual([own, errors.length], [['still gone'], 1]);
  list.show(1, 10);
  answer(await asked(0, 21), rows(0, 21));
});

test('rows far from the screen are forgotten', async () => {
  const { list, asked, answer } = await listed(100_000);
  for (let first = 0; first < 20_000; first += 100) {
    list.show(first, 100);
    answer(await asked(first, 200), rows(first, first + 200));
  }
  let count = 0;
  for (let index = 0; index < 20_000; index += 1) count += list.row(index) ? 1 : 0;
  assert.ok(count >= 200 && count <= 1_400, `${count} rows`);
  assert.deepEqual(list.row(19_900), row(19_900));
});

test('the selection moves with its row', async () => {
  const { list, tell, asked, answer } = await listed(100);
  list.show(0, 20);
  answer(await asked(0, 40), rows(0, 40));
  list.select(5);
  tell({ count: 103, changes: [insertion(0, 3)] });
  assert.equal(list.selected, 8);
  tell({ count: 101, changes: [removal(1, 2)] });
  assert.equal(list.selected, 6);
  // Updated: it is known by its identity when it comes.
  tell({ count: 101, changes: [update(4, 5)] });
  assert.equal(list.selected, 6);
  tell({ count: 101, changes: [update(4, 5)], first: 4, rows: [row(90), row(91), row(92), row(5), row(93)] });
  assert.equal(list.selected, 7);
  tell({ count: 100, changes: [removal(7, 1)] });
  assert.equal(list.selected, null);
  // It was moved.
  tell({ count: 101, changes: [insertion(2, 1)], first: 2, rows: [row(5)] });
  assert.equal(list.selected, 2);
  list.select(null);
  tell({ count: 101, first: 0, rows: [row(5)] });
  assert.equal(list.selected, null);
  assert.throws(() => list.select(-1), TypeError);
});

test('rows are known by another member, or by none', async () => {
  const { view, server } = await opened();
  const list = view.list('people', { id: 'name' });
  server.connection.event(1, 1, { kind: 'people', count: 2, first: 0, rows: [{ name: ['Ada'] }, { name: ['Grace'] }] });
  list.select(1);
  server.connection.event(1, 2, { kind: 'people', count: 2, first: 0, rows: [{ name: ['Grace'] }, { name: ['Ada'] }] });
  assert.equal(list.selected, 0);
  view.list('people', { id: null });
  list.select(0);
  server.connection.event(1, 3, { kind: 'people', count: 2, changes: [update(0)] });
  assert.equal(list.selected, 0);
  server.connection.event(1, 4, { kind: 'people', count: 2, first: 0, rows: [null, 'Ada'] });
  assert.deepEqual([list.selected, list.row(0), list.row(1)], [null, null, 'Ada']);
});

test('a row that is selected before it is there is known from when it comes', async () => {
  const { list, tell, asked, answer } = await listed(100);
  list.show(0, 10);
  list.select(4);
  answer(await asked(0, 20), rows(0, 20));
  tell({ count: 100, first: 0, rows: rows(2, 22) });
  assert.equal(list.selected, 2);
});

test('an anchor stays with its row, and in its place when the row goes', async () => {
  const { list, tell, asked, answer } = await listed(100);
  list.show(0, 20);
  answer(await asked(0, 40), rows(0, 40));
  const place = list.anchor(10);
  tell({ count: 110, changes: [insertion(10, 10)] });
  assert.equal(place.index, 20);
  tell({ count: 109, changes: [removal(20, 1)] });
  assert.equal(place.index, 20);
  tell({ count: 15, changes: [removal(0, 94)] });
  assert.equal(place.index, 0);
  place.moveTo(14);
  tell({ count: 3 });
  assert.equal(place.index, 2);
  tell({ count: 200, first: 0, rows: rows(0, 100) });
  place.moveTo(50);
  // Found again among the rows that come, or else what is there is what is shown from now on.
  tell({ count: 201, first: 0, rows: [row(-1), ...rows(0, 99)] });
  assert.equal(place.index, 51);
  tell({ count: 201, first: 0, rows: rows(300, 400) });
  tell({ count: 202, first: 0, rows: rows(299, 399) });
  assert.equal(place.index, 52);
  place.release();
  tell({ count: 203, changes: [insertion(0, 1)] });
  assert.equal(place.index, 52);
});

test('a list of a view that begins in the midst is known from its first rows or its first event', async () => {
  const { client, server, errors } = await connected();
  const attaching = client.attach('key', { since: 30 });
  const { connection } = server;
  await connection.reply('session/attach', { session: 1, viewModel: 'counter', seq: 30, handled: 0 });
  const view = await attaching;
  const [results, others] = [view.list('results'), view.list('others')];
  results.show(10, 5);
  const request = await connection.next('session/rows');
  assert.deepEqual([request.params.first, request.params.count], [10, 5]);
  results.show(11, 5);
  connection.answer(request, { seq: 30, count: 100, first: 10, rows: rows(10, 15) });
  assert.deepEqual([results.count, results.row(14)], [100, row(14)]);
  await connection.next('session/rows');
  connection.event(1, 31, { kind: 'others', count: 8, changes: [insertion(3, 1)], first: 0, rows: rows(0, 8) });
  assert.deepEqual([others.count, others.row(7)], [8, row(7)]);
  connection.event(1, 32, { kind: 'others', count: 7, changes: [removal(0, 1)] });
  assert.deepEqual([others.count, others.row(6)], [7, row(7)]);
  assert.deepEqual(errors, []);
});

test('an answer of an attachment that is over is not used', async () => {
  const { list, asked, server } = await listed(1_000);
  list.show(0, 10);
  const request = await asked(0, 20);
  // An event is missing: it attaches again on the same connection.
  server.connection.event(1, 2, { kind: 'count', value: 1 });
  server.connection.event(1, 4, { kind: 'count', value: 1 });
  await server.connection.next('$/cancelRequest');
  await server.connection.next('session/detach');
  const attach = await server.connection.next('session/attach');
  server.connection.answer(request, { seq: 4, count: 1_000, first: 0, rows: rows(0, 20) });
  assert.equal(list.row(0), undefined);
  server.connection.answer(attach, { session: 2, viewModel: 'counter', seq: 4, handled: 0 });
  const again = await asked(0, 20);
  assert.equal(again.params.session, 2);
});

test('all rows are read by pages', async () => {
  const { view, server, list, asked, answer } = await listed(250, 100);
  const reading = outcome(collect(list));
  answer(await asked(0, 100), rows(0, 100));
  answer(await asked(100, 100), rows(100, 180));
  answer(await asked(180, 100), rows(180, 250));
  await settled();
  assert.deepEqual(reading.value, rows(0, 250));
  // How long a list is that has told nothing is only known when it is asked.
  const other = outcome(collect(view.list('other').all({ pageSize: 10 })));
  const { params: { count }, ...request } = await server.connection.next('session/rows');
  server.connection.answer(request, { seq: 1, count: 2, first: 0, rows: rows(0, 2) });
  await settled();
  assert.deepEqual([count, other.value], [10, rows(0, 2)]);
});

async function collect(list) {
  const all = [];
  for await (const row of list) all.push(row);
  return all;
}

test('rows that are added while all are read are read too; a change of those that were given ends it', async () => {
  const { list, asked, answer, tell } = await listed(4);
  const reading = outcome(collect(list.all({ pageSize: 2 })));
  answer(await asked(0, 2), rows(0, 2));
  const second = await asked(2, 2);
  tell({ count: 5, changes: [insertion(4, 1)] });
  answer(second, rows(2, 4));
  answer(await asked(4, 2), rows(4, 5));
  await settled();
  assert.deepEqual(reading.value, rows(0, 5));

  for (const change of [{ count: 5, changes: [update(3), update(1)] }, { count: 5 }]) {
    const reading = outcome(collect(list.all({ pageSize: 2 })));
    answer(await asked(0, 2), rows(0, 2));
    const next = await asked(2, 2);
    tell(change);
    answer(next, rows(2, 4));
    await settled();
    assert.equal(reading.error?.name, 'ListChanged');
    assert.match(reading.error.message, /results changed at row \d after 2 were read/);
  }
});

test('what changes behind the row that was given is read again', async () => {
  const { list, asked, answer, tell } = await listed(4);
  const all = list.all();
  const first = all.next();
  answer(await asked(0, 1_000), rows(0, 4));
  assert.deepEqual((await first).value, row(0));
  tell({ count: 3, changes: [removal(2, 1)] });
  assert.deepEqual((await all.next()).value, row(1));
  tell({ count: 4, changes: [insertion(2, 1)] });
  const third = all.next();
  answer(await asked(2, 1_000), [row(9), row(3)]);
  assert.deepEqual([(await third).value, (await all.next()).value], [row(9), row(3)]);
  assert.equal((await all.next()).done, true);
});

test('reading goes on after a lost connection, and ends with its signal or its view', async () => {
  const { view, list, asked, answer, server, timers } = await listed(4);
  const reading = outcome(collect(list.all({ pageSize: 2 })));
  answer(await asked(0, 2), rows(0, 2));
  await asked(2, 2);
  server.connection.cut();
  await timers.advance(10_000);
  await server.connection.reply('session/attach', { session: 1, viewModel: 'counter', seq: 1, handled: 0 });
  answer(await asked(2, 2), rows(2, 4));
  await settled();
  assert.deepEqual(reading.value, rows(0, 4));

  const controller = new AbortController();
  const aborted = outcome(collect(list.all({ signal: controller.signal })));
  const request = await asked(0, 1_000);
  controller.abort();
  await settled();
  assert.equal(aborted.error.name, 'AbortError');
  assert.equal((await server.connection.next('$/cancelRequest')).params.id, request.id);

  const last = outcome(collect(list));
  await asked(0, 1_000);
  view.endSession();
  await server.connection.reply('session/close', null);
  server.connection.fail(request, { code: -32800 });
  server.connection.cut();
  await timers.advance(10_000);
  assert.equal(last.error?.name, 'UnknownSession');
});

test('an index after edits', () => {
  assert.equal(indexAfter([], 3), 3);
  assert.equal(indexAfter(null, 3), null);
  assert.equal(indexAfter([insertion(3, 2)], 3), 5);
  assert.equal(indexAfter([insertion(4, 2)], 3), 3);
  assert.equal(indexAfter([removal(0, 2), insertion(1, 1)], 3), 2);
  assert.equal(indexAfter([update(3)], 3), null);
});
