// The law of lists: whatever happens, a row that a list shows is that of the model at the number of the view's newest
// event. Servers, connections and users act at random; a failure says the seed of its run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexAfter } from '../view-model-client.js';
import { FakeServer, connected, settled } from './support.mjs';

/** Numbers that are the same for the same seed. */
function generator(seed) {
  let state = (seed * 7_919 + 1) % 2_147_483_647;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** A list as a server has it, with all of its versions, and the views' side of a session. */
class Model {
  rows = [];
  seq = 0;
  /** The rows at each number. */
  versions = [[]];
  events = [];
  window = { first: 0, end: 100 };
  #random;
  #lastID = 0;

  constructor(random) {
    this.#random = random;
    this.#insert(0, random(300));
    this.tell(this.rows.length > 0 && { count: this.rows.length, ...this.#rowsFrom(0, 100) });
  }

  /** Adds an event, of the list or of something else. */
  tell(change) {
    this.seq += 1;
    this.versions[this.seq] = [...this.rows];
    const event = change ? { kind: 'results', ...change } : { kind: 'count', value: this.seq };
    this.events[this.seq] = event;
    return { seq: this.seq, event };
  }

  /** The rows that go with a change; sometimes none. */
  #rowsFrom(first, end) {
    if (this.#random(4) === 0) return {};
    const start = Math.min(first, this.rows.length);
    return { first: start, rows: this.rows.slice(start, Math.min(end, first + 100)) };
  }

  #insert(at, count) {
    const made = Array.from({ length: count }, () => ({ id: ++this.#lastID, version: 0 }));
    this.rows.splice(at, 0, ...made);
  }

  #edit() {
    const random = this.#random;
    const at = random(this.rows.length + 1);
    const left = this.rows.length - at;
    const few = Math.min(left, random(random(3) ? 3 : 60));
    switch (random(5)) {
      case 0: {
        const count = random(5) ? random(4) : random(200);
        this.#insert(at, count);
        return [{ at, removed: 0, inserted: count }];
      }
      case 1:
        this.rows.splice(at, few);
        return [{ at, removed: few, inserted: 0 }];
      case 2:
        for (let index = at; index < at + few; index += 1) {
          this.rows[index] = { ...this.rows[index], version: this.rows[index].version + 1 };
        }
        return [{ at, removed: few, inserted: few }];
      case 3:
        // Others in their place, which looks like an update.
        this.rows.splice(at, few);
        this.#insert(at, few);
        return [{ at, removed: few, inserted: few }];
      default: {
        if (left === 0) return [];
        const [moved] = this.rows.splice(at, 1);
        const target = random(this.rows.length + 1);
        this.rows.splice(target, 0, moved);
        return [{ at, removed: 1, inserted: 0 }, { at: target, removed: 0, inserted: 1 }];
      }
    }
  }

  change() {
    const changes = [];
    for (let left = 1 + this.#random(3); left > 0; left -= 1) changes.push(...this.#edit());
    return this.tell({ count: this.rows.length, changes, ...this.#rowsFrom(this.window.first, this.window.end) });
  }

  reset() {
    const order = this.rows.map((row) => ({ row, key: this.#random(1_000) })).sort((a, b) => a.key - b.key);
    this.rows = order.map(({ row }) => row).slice(0, this.#random(order.length + 1));
    this.#insert(0, this.#random(50));
    return this.tell({ count: this.rows.length, ...this.#rowsFrom(0, 100) });
  }

  read({ first: wanted, count }) {
    const first = Math.min(wanted, this.rows.length);
    this.window = { first, end: first + count };
    // At least one, as servers do.
    const most = this.#random(3) ? count : 1 + this.#random(count);
    return { seq: this.seq, count: this.rows.length, first, rows: this.rows.slice(first, first + most) };
  }

  get snapshot() {
    const told = { kind: 'results', count: this.rows.length, ...this.#rowsFrom(0, 100) };
    return [{ kind: 'count', value: 1 }, ...(this.rows.length > 0 || this.#random(2) ? [told] : [])];
  }
}

/** One client with one list, its server, and what happens to them. */
class Run {
  #random;
  #model;
  #all;
  #list;
  #view;
  #session = 0;
  /** Requests for rows that aren't answered, with whether they were cancelled. */
  #requests = [];
  #selectedID = null;
  #place = 0;
  #anchored = null;
  #changeCount = 0;
  #isQuiet = false;

  constructor(seed) {
    this.#random = generator(seed);
    this.#model = new Model(this.#random);
  }

  async start() {
    this.#all = await connected({ reconnect: { initialDelay: 1, maxDelay: 1 } });
    const opening = this.#all.client.open('counter');
    await settled();
    this.#serve();
    this.#view = await opening;
    // Sometimes it is asked for late.
    if (this.#random(2)) this.#act();
    this.#list = this.#view.list('results');
    this.#list.on('change', (change) => this.#didChange(change));
  }

  get #connection() {
    return this.#all.server.connection;
  }

  #didChange({ edits, count }) {
    this.#changeCount += 1;
    assert.equal(count, this.#list.count);
    const expected = this.#anchored?.expected ?? null;
    if (expected !== null) this.#anchored.expected = indexAfter(edits, expected);
    this.#check();
    // As views do that keep their place.
    if (edits && !this.#isQuiet && this.#random(2)) this.#show(indexAfter(edits, this.#place) ?? this.#place);
  }

  #show(first) {
    this.#place = first;
    this.#list.show(first, 1 + this.#random(30));
  }

  /** Answers all that has come but requests for rows, which wait. */
  #serve() {
    const connection = this.#connection;
    for (const message of connection.received.splice(0)) {
      const { id, method, params } = message;
      if (method === 'session/open') {
        connection.answer({ id }, { session: ++this.#session, key: 'key', viewModel: 'counter' });
        this.#replay(0);
      } else if (method === 'session/attach') {
        this.#attach(id, params.since);
      } else if (method === 'session/rows') {
        assert.ok(params.count >= 1 && params.count <= 100, `${params.count} rows`);
        assert.deepEqual(this.#requests, [], 'one request is on its way');
        this.#requests.push({ id, params, isCancelled: false });
      } else if (method === '$/cancelRequest') {
        for (const request of this.#requests) request.isCancelled ||= request.id === params.id;
      }
    }
  }

  #attach(id, since) {
    const { seq, snapshot } = this.#model;
    if (since !== undefined && this.#random(3) === 0) return this.#connection.fail({ id }, { code: -32013 });
    const answer = { session: ++this.#session, viewModel: 'counter', seq, handled: 0 };
    this.#connection.answer({ id }, since === undefined ? { ...answer, snapshot } : answer);
    if (since !== undefined) this.#replay(since);
  }

  #replay(since) {
    for (let seq = since + 1; seq <= this.#model.seq; seq += 1) this.#tell({ seq, event: this.#model.events[seq] });
  }

  #tell({ seq, event }) {
    // A session that isn't attached hears of it later.
    if (this.#view === undefined || this.#view.isAttached) this.#connection.event(this.#session, seq, event);
  }

  #answer() {
    const request = this.#requests.shift();
    if (!request) return;
    const isLate = request.isCancelled && this.#random(2);
    if (isLate) this.#connection.fail(request, { code: -32800, message: 'cancelled' });
    else this.#connection.answer(request, this.#model.read(request.params));
  }

  async #cut() {
    this.#requests = [];
    this.#connection.cut();
    for (let left = this.#random(4); left > 0; left -= 1) this.#act();
    await this.#all.timers.advance(5);
    this.#serve();
    await settled();
    this.#serve();
  }

  #act() {
    const what = this.#random(8);
    if (what < 5) this.#tell(this.#model.change());
    else if (what === 5) this.#tell(this.#model.reset());
    else this.#tell(this.#model.tell());
  }

  async step() {
    const what = this.#random(20);
    if (what < 5) this.#act();
    else if (what < 10) this.#answer();
    else if (what < 14) this.#show(this.#random(this.#random(3) ? this.#list.count + 1 : 1_000));
    else if (what < 15) this.#show(this.#place + this.#random(5));
    else if (what < 17) this.#select();
    else if (what < 18) await this.#cut();
    else this.#drop();
    this.#serve();
    this.#check();
  }

  #select() {
    const index = this.#random(Math.max(1, this.#list.count));
    const row = this.#list.row(index);
    if (!row) return;
    this.#selectedID = row.id;
    this.#list.select(index);
    this.#drop();
    this.#anchored = { place: this.#list.anchor(index), expected: index };
  }

  #drop() {
    this.#anchored?.place.release();
    this.#anchored = null;
  }

  #check() {
    const model = this.#model.versions[this.#view.seq];
    assert.equal(this.#list.count, model.length);
    let count = 0;
    let found = null;
    for (let index = 0; index < model.length + 3; index += 1) {
      const row = this.#list.row(index);
      if (row === undefined) continue;
      count += 1;
      if (row.id !== model[index]?.id || row.version !== model[index].version) {
        assert.deepEqual(row, model[index], `row ${index}`);
      }
      if (row.id === this.#selectedID) found = index;
    }
    assert.ok(count <= 1_100, `${count} rows are kept`);
    const { selected } = this.#list;
    if (found !== null) assert.equal(selected, found, 'the selected row is in sight');
    else if (selected !== null) assert.equal(this.#list.row(selected), undefined, 'another row is selected');
    if (this.#anchored && this.#anchored.expected !== null) {
      const expected = this.#anchored.expected;
      if (this.#list.row(expected)) assert.equal(this.#anchored.place.index, expected);
    }
  }

  /** Without further changes, all that is on screen comes. */
  async end() {
    if (!this.#view.isAttached) await this.#cut();
    this.#isQuiet = true;
    const first = this.#random(this.#list.count + 1);
    this.#list.show(first, 20);
    for (let round = 0; round < 200; round += 1) {
      this.#serve();
      if (this.#requests.length === 0) {
        await settled();
        this.#serve();
        if (this.#requests.length === 0) break;
      }
      this.#answer();
    }
    assert.deepEqual(this.#requests, []);
    this.#check();
    for (let index = first; index < Math.min(this.#list.count, first + 20); index += 1) {
      assert.ok(this.#list.row(index), `row ${index} of ${this.#list.count} didn't come`);
    }
    assert.deepEqual(this.#all.errors, []);
    assert.ok(this.#changeCount > 0);
  }
}

test('the rows that a list shows are those of the model at the number of its newest event', async () => {
  const runs = Number(process.env.VIEW_MODEL_RUNS ?? 2_000);
  const first = Number(process.env.VIEW_MODEL_SEED ?? 1);
  for (let seed = first; seed < first + runs; seed += 1) {
    try {
      const run = new Run(seed);
      await run.start();
      for (let step = 0; step < 40; step += 1) await run.step();
      await run.end();
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
});

test('who reads all rows gets the list as it is at the end, or is told that it changed', async () => {
  let [finished, changed] = [0, 0];
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = generator(seed);
    const model = new Model(random);
    const server = new FakeServer();
    server.limits.rows = 1 + random(100);
    const { client, errors } = await connected({}, server);
    const { connection } = server;
    const opening = client.open('counter');
    connection.answer(await connection.next('session/open'), { session: 1, key: 'key', viewModel: 'counter' });
    connection.event(1, 1, model.events[1]);
    const read = [];
    let result = null;
    const view = await opening;
    const reading = (async () => {
      for await (const row of view.list('results')) {
        read.push(row);
        if (random(20) === 0) await settled();
      }
    })().then(
      () => (result = 'finished'),
      (error) => (result = error.name),
    );
    let changes = random(20);
    connection.received.splice(0);
    await settled();
    while (result === null) {
      if (changes-- > 0 && random(2)) {
        const { seq, event } = model.change();
        connection.event(1, seq, event);
      }
      for (const { id, method, params } of connection.received.splice(0)) {
        if (method === 'session/rows') connection.answer({ id }, model.read(params));
      }
      await settled();
    }
    await reading;
    if (result === 'finished') {
      finished += 1;
      assert.deepEqual(read, model.rows, `seed ${seed}`);
    } else {
      changed += 1;
      assert.equal(result, 'ListChanged', `seed ${seed}`);
    }
    assert.deepEqual(errors, []);
  }
  assert.ok(finished > 50 && changed > 50, `${finished} finished, ${changed} changed`);
});
