// The orders as a user sees and uses them: a screen of text, what can be chosen on it, and a connection that is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../view-model-client.js';
import { WebSocket } from './web-socket.mjs';
import { Relay, serverAddress, until } from './support.mjs';

/** What a view shows, by its newest event of each kind. */
const lines = {
  orders: ({ loading, cancelled }, view) => {
    if (loading?.value) return ['loading…'];
    const orders = view.list('orders');
    const line = ({ id, name } = { name: '…' }) => (cancelled?.id === id ? `${name} (cancelled)` : name);
    return Array.from({ length: orders.count }, (_, index) => line(orders.row(index)));
  },
  orderDetails: ({ title, cancelled, note }) => {
    const saved = note?.isSaved ? '' : ' (not saved)';
    return [title?.value, cancelled?.value ? 'cancelled' : 'open', `note: ${note?.value}${saved}`];
  },
  confirmCancel: ({ question }) => [question?.value, '[confirm] [keep]'],
};

/** A user's screen: the view of one session, with its children. */
class Screen {
  /** From the list at the bottom to what is in front. */
  layers = [];
  notice = '';
  #client;

  constructor(client) {
    this.#client = client;
  }

  /** The text in front. */
  get text() {
    const front = this.layers.at(-1);
    const shown = front ? lines[front.view.viewModel](front.events, front.view) : ['nothing'];
    return [...shown, ...(this.notice ? [`! ${this.notice}`] : [])].join('\n');
  }

  show(view) {
    const layer = { view, events: {} };
    this.layers.push(layer);
    if (view.viewModel === 'orders') view.list('orders').show(0, 100);
    view.onSnapshot(() => (layer.events = {}));
    view.onAny((event) => (layer.events[event.kind] = event));
    view.onNavigation(async ({ action, key }) => {
      if (action === 'push' || action === 'present') this.show(await this.#client.attach(key));
    });
    view.onClosed(() => (this.layers = this.layers.filter((other) => other !== layer)));
    return view;
  }

  /** Acts as the user; errors are shown. */
  async press(event) {
    this.notice = '';
    const { view } = this.layers.at(-1);
    try {
      await (event === 'back' ? view.back() : view.send(event));
    } catch (error) {
      this.notice = error.data?.refused ?? error.message;
    }
  }
}

test('the orders are walked through, over a connection that is cut at every step', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const errors = [];
  const states = [];
  const client = await connect({ webSocket: `ws://${relay.address}/ws` }, {
    WebSocket,
    reconnect: { initialDelay: 5, maxDelay: 50 },
    listeners: { error: (error) => errors.push(error), state: (state) => states.push(state) },
  });
  context.after(() => client.close());
  const screen = new Screen(client);
  const shows = async (what, ...expected) => {
    const text = expected.join('\n');
    await until(() => screen.text === text, what).catch(() => {
      assert.fail(`${what}: expected\n${text}\nand saw\n${screen.text}`);
    });
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
  for (const kind of Object.keys(counts)) list.on(kind, () => (counts[kind] += 1));
  const loading = screen.press({ kind: 'loadOrders' });
  await shows('the list is loading', 'loading…');
  await cut();
  await loading;
  const names = Array.from({ length: 100 }, (_, index) => `Order #${index}`);
  await shows('a list of 100 orders, which came over another connection', ...names);
  await screen.press({ kind: 'selectOrder', index: 100 });
  await shows('a choice that makes no sense, in words', ...names, '! there is no order 100: the list goes from 0 to 99');
  await screen.press({ kind: 'selectOrder', index: 7 });
  await shows('the details of order 7', 'Details of Order #7', 'open', 'note: ');

  await cut(() => screen.press({ kind: 'editNote', value: 'call them' }));
  const unsaved = ['Details of Order #7', 'open', 'note: call them (not saved)'];
  await shows('a note that was written without a connection', ...unsaved);
  await screen.press('back');
  await shows('why one must stay', ...unsaved, "! the note isn't saved");
  await screen.press({ kind: 'saveNote' });
  await shows('the note is saved', 'Details of Order #7', 'open', 'note: call them');

  await screen.press({ kind: 'cancelOrder' });
  await shows('the question over the details', 'Cancel Order #7?', '[confirm] [keep]');
  await cut(() => screen.press({ kind: 'confirm' }));
  await shows('the details of a cancelled order', 'Details of Order #7', 'cancelled', 'note: call them');
  await screen.press('back');
  names[7] += ' (cancelled)';
  await shows('the list with order 7 cancelled', ...names);
  assert.deepEqual(counts, { orders: 1, cancelled: 1 }, 'nothing came twice');
  assert.equal(states.filter((state) => state === 'connected').length, 4);
  assert.deepEqual(errors, []);

  const other = new Screen(client);
  other.show(await client.attach(list.key));
  await until(() => other.text === screen.text, 'the same for a view that attaches late');
  await list.endSession();
  await until(() => screen.text === 'nothing' && other.text === 'nothing', 'the end');
});
