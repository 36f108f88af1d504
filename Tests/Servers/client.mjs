// Clients in JavaScript for `run`, many in this process, each with a connection of its own. It takes the same orders as
// client.py, and `webSocket` for the place, too.
import { createInterface } from 'node:readline';
import { connect } from '../../clients/javascript/view-model-client.js';
import { WebSocket } from '../../clients/javascript/tests/web-socket.mjs';

const patience = 60_000;
const members = [];
let end;
const ends = new Promise((resolve) => (end = resolve));
let isOver = false;

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

class Member {
  seen = {};
  last = 0;
  sent = 0;
  strange = [];
  longest = 0;
  longestAt = 0;

  constructor({ client, viewModel, tcp, webSocket }) {
    this.number = client;
    this.viewModel = viewModel;
    this.target = tcp ? { tcp } : { webSocket };
  }

  async begin(key) {
    this.client = await connect(this.target, { WebSocket });
    this.client.on('error', (error) => {
      const { seq, last } = error.data ?? {};
      this.strange.push(`${seq === undefined ? '' : seq <= last ? 'twice: ' : 'order: '}${error.message}`);
    });
    if (this.viewModel === 'short') return this.say({});
    const given = { orders: { count: 20, delay: 0 }, todos: { list: `${this.number}` } }[this.viewModel];
    this.view = key ? await this.client.attach(key, { since: 0 }) : await this.client.open(this.viewModel, given);
    this.view.on('*', (event, { seq }) => {
      this.last = seq;
      this.seen[seq] = event;
    });
    this.view.onNavigation(() => {
      this.last = this.view.seq;
      this.seen[this.last] = null;
    });
    this.view.onSnapshot(() => this.strange.push('a snapshot came'));
    this.view.onClosed(({ message }) => this.strange.push(`the view ended: ${message}`));
    this.say({ key: this.view.key });
  }

  /** Asks again while the store can't be reached, as the error says. */
  async timed(call) {
    const begin = Date.now();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (error.name !== 'StoreUnavailable') throw error;
        await sleep(error.data.retryAfterMs);
      } finally {
        const time = (Date.now() - begin) / 1000;
        if (time > this.longest) [this.longest, this.longestAt] = [time, begin / 1000];
      }
    }
  }

  async send(view, event) {
    await this.timed(() => view.send(event));
    this.sent += 1;
  }

  async work(pause) {
    for (;;) {
      await Promise.race([ends, sleep(Math.random() * 2 * pause * 1000)]);
      if (isOver) break;
      await this[this.viewModel]();
    }
    this.say({ seq: this.view?.seq ?? 0 });
  }

  async counter() {
    const count = Math.random() < 0.25 ? 3 : 1;
    await Promise.all(Array.from({ length: count }, () => this.send(this.view, { kind: 'increment', by: 1 })));
  }

  async todos() {
    await this.send(this.view, { kind: 'add', title: `${this.sent}` });
    await this.send(this.view, { kind: 'toggle', id: Math.floor(this.sent / 3) + 1 });
    await this.send(this.view, { kind: 'removeDone' });
  }

  async orders() {
    if (this.sent === 0) await this.send(this.view, { kind: 'loadOrders' });
    await this.send(this.view, { kind: 'selectOrder', index: this.sent % 20 });
    const details = await this.timed(() => this.client.attach(this.view.navigation.stack.at(-1).key));
    await this.send(details, { kind: 'editNote', value: `${this.sent}` });
    await this.send(details, { kind: 'saveNote' });
    if (!isOver) await this.timed(() => back(details));
  }

  /** A session that is opened, used and closed again. */
  async short() {
    const view = await this.timed(() => this.client.open('counter'));
    const values = [];
    view.on('count', ({ value }) => values.push(value));
    for (let index = 0; index < 3; index++) await this.send(view, { kind: 'increment', by: 1 });
    if (`${values}` !== '0,1,2,3') this.strange.push(`lost: a new counter said ${values}`);
    await this.timed(() => view.endSession());
  }

  async report(newest) {
    const deadline = Date.now() + patience;
    while (this.last < newest && Date.now() < deadline) await sleep(20);
    const { sent, seen, strange, longest, longestAt } = this;
    const stack = this.view?.navigation.stack.map(({ viewModel }) => viewModel);
    const rows = this.viewModel === 'orders' ? await this.timed(() => ids(this.view.list('orders'))) : undefined;
    this.say({ sent, seen, strange, longest, longestAt, stack, rows });
  }

  say(words) {
    console.log(JSON.stringify({ client: this.number, ...words }));
  }
}

async function ids(list) {
  const ids = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

/** Asked again where the connection was lost before the answer. */
async function back(view) {
  try {
    await view.back();
  } catch (error) {
    if (error.name === 'ConnectionLost') return back(view);
    if (error.name !== 'UnknownSession') throw error;
  }
}

process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const order = JSON.parse(line);
  switch (order.do) {
    case 'open':
    case 'attach': {
      const member = new Member(order);
      members.push(member);
      member.begin(order.key);
      break;
    }
    case 'work':
      for (const member of members) member.work(order.pause);
      break;
    case 'rest':
      isOver = true;
      end();
      break;
    case 'report':
      for (const member of members) member.report(order.newest[member.number] ?? 0);
  }
});
input.on('close', () => process.stdout.write('', () => process.exit(0)));
