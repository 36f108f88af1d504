// The orders as a user sees and uses them: a screen of text, what can be chosen on it, and a connection that is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../view-model-client.js';
import { WebSocket } from './web-socket.mjs';
import { Relay, serverAddress, until } from './support.mjs';

/** A user's screen: the view of one session, with its children. */
class Screen {
  /** From the list at the bottom to what is in front. */
  layers = [];
  notice = '';
  #client;

  constructor(client) {
    this.#client = client;
  }

  get front() {
    return this.layers.at(-1);
  }

  /** The text in front. */
  get text() {
    return [...(this.front?.lines() ?? ['nothing']), ...(this.notice ? [`! ${this.notice}`] : [])].join('\n');
  }

  show(view) {
    const layer = new layers[view.viewModel](view);
    this.layers.push(layer);
    view.onSnapshot(() => layer.forget());
    view.onAny((event) => layer.take(event));
    view.onNavigation(async ({ action, key }) => {
      if (action === 'push' || action === 'present') this.show(await this.#client.attach(key));
    });
    view.onClosed(() => (this.layers = this.layers.filter((other) => other !== layer)));
    return layer;
  }

  /** Acts as the user; errors are shown. */
  async press(event) {
    this.notice = '';
    const view = this.front.view;
    try {
      await (event === 'back' ? view.back() : view.send(event));
    } catch (error) {
      this.notice = error.data?.refused ?? error.message;
    }
  }
}

class List {
  constructor(view) {
    this.view = view;
    this.orders = view.list('orders');
    this.orders.show(0, 100);
    this.forget();
  }

  forget() {
    this.cancelled = new Set();
    this.isLoading = false;
  }

  take(event) {
    if (event.kind === 'cancelled') this.cancelled.add(event.id);
    if (event.kind === 'loading') this.isLoading = event.value;
  }

  lines() {
    if (this.isLoading) return ['loading…'];
    const mark = (id) => (this.cancelled.has(id) ? ' (cancelled)' : '');
    const line = (order) => (order ? order.name + mark(order.id) : '…');
    return Array.from({ length: this.orders.count }, (_, index) => line(this.orders.row(index)));
  }
}

class Details {
  constructor(view) {
    this.view = view;
    this.forget();
  }

  forget() {
    this.events = {};
  }

  take(event) {
    this.events[event.kind] = event;
  }

  lines() {
    const { title, cancelled, note } = this.events;
    const saved = note?.isSaved ? '' : ' (not saved)';
    return [title?.value, cancelled?.value ? 'cancelled' : 'open', `note: ${note?.value}${saved}`];
  }
}

class Question extends Details {
  lines() {
    return [this.events.question?.value, '[confirm] [keep]'];
  }
}

const layers = { orders: List, orderDetails: Details, confirmCancel: Question };

for (const way of ['TCP', 'WebSocket']) {
  const name = `the orders are walked through by ${way}, over a connection that is cut at every step`;
  test(name, (context) => walk(context, way));
}

async function walk(context, way) {
  const relay = await Relay.start(context, serverAddress);
  const errors = [];
  const states = [];
  const target = way === 'TCP' ? { tcp: relay.address } : { webSocket: `ws://${relay.address}/ws` };
  const client = await connect(target, {
    WebSocket,
    reconnect: { initialDelay: 5, maxDelay: 50 },
    listeners: { error: (error) => errors.push(error), state: (state) => states.push(state) },
  });
  context.after(() => client.close());
  const screen = new Screen(client);
  const shows = async (what, text) => {
    try {
      await until(() => (text instanceof RegExp ? text.test(screen.text) : screen.text === text), what);
    } catch {
      assert.fail(`${what}: expected\n${text}\nand saw\n${screen.text}`);
    }
    console.log(`${way} shown: ${what}`);
  };
  /** Cuts the connection, and waits until it is there again. */
  const cut = async (duringOutage) => {
    const count = states.length;
    relay.isOpen = false;
    relay.cut();
    await until(() => states.slice(count).includes('waiting'), 'the loss of the connection');
    const done = duringOutage?.();
    relay.isOpen = true;
    await until(() => client.state === 'connected', 'the connection');
    await done;
  };

  const list = screen.show(await client.open('orders', { delay: 0.2 }));
  const counts = { orders: 0, cancelled: 0 };
  list.view.on('orders', () => (counts.orders += 1));
  list.view.on('cancelled', () => (counts.cancelled += 1));
  const loading = screen.press({ kind: 'loadOrders' });
  await shows('the list is loading', 'loading…');
  await cut();
  await loading;
  const names = Array.from({ length: 100 }, (_, index) => `Order #${index}`);
  await shows('a list of 100 orders, which came over another connection', names.join('\n'));

  await screen.press({ kind: 'selectOrder', index: 100 });
  const refusal = '! there is no order 100: the list goes from 0 to 99';
  await shows('a choice that makes no sense, in words', [...names, refusal].join('\n'));
  await screen.press({ kind: 'selectOrder', index: 7 });
  await shows('the details of order 7', 'Details of Order #7\nopen\nnote: ');
  assert.deepEqual(list.view.navigation.stack.map((child) => child.viewModel), ['orderDetails']);

  await cut(() => screen.press({ kind: 'editNote', value: 'call them' }));
  await shows('a note that was written without a connection', 'Details of Order #7\nopen\nnote: call them (not saved)');
  await screen.press('back');
  await shows('why one must stay', /note: call them \(not saved\)\n! the note isn't saved$/);
  await screen.press({ kind: 'saveNote' });
  await shows('the note is saved', 'Details of Order #7\nopen\nnote: call them');

  await screen.press({ kind: 'cancelOrder' });
  await shows('the question over the details', 'Cancel Order #7?\n[confirm] [keep]');
  await cut();
  await shows('the question after a cut', 'Cancel Order #7?\n[confirm] [keep]');
  await cut(() => screen.press({ kind: 'confirm' }));
  await shows('the details of a cancelled order', 'Details of Order #7\ncancelled\nnote: call them');
  await screen.press('back');
  names[7] += ' (cancelled)';
  await shows('the list with order 7 cancelled', names.join('\n'));

  assert.deepEqual(counts, { orders: 1, cancelled: 1 }, 'nothing came twice');
  assert.equal(states.filter((state) => state === 'connected').length, 5);
  assert.deepEqual(errors, []);

  // Another client attaches to the same session, late.
  const other = new Screen(client);
  other.show(await client.attach(list.view.key));
  await until(() => other.text === screen.text, 'the same for another view');
  console.log(`${way} shown: the same to another view`);
  await list.view.endSession();
  await until(() => screen.text === 'nothing' && other.text === 'nothing', 'the end');
  console.log(`${way} shown: nothing any more`);
}
