// A client in JavaScript for `run`: sends events to durable sessions until its input ends, and then says what it saw.
//
//     node client.mjs SOCKET [vscode]
//
// With `vscode` the connection is the one of the extension for VS Code, which has a stand-in here.
import { randomUUID } from 'node:crypto';
import Module, { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../clients/javascript/view-model-client.js';
import { User } from '../../clients/vscode/tests/vscode-stub.mjs';

let isOver = false;
process.stdin.resume();
process.stdin.on('end', () => (isOver = true));

/** Each number that a view has seen. */
function watch(view) {
  const seen = {};
  let last = 0;
  const take = (seq, event) => {
    if (seq <= last) throw new Error(`number ${seq} came behind ${last}`);
    seen[(last = seq)] = event;
  };
  view.on('*', (event, { seq }) => take(seq, event));
  view.onSnapshot(() => {
    throw new Error('a snapshot came');
  });
  view.onClosed(({ message }) => {
    throw new Error(`it was closed: ${message}`);
  });
  return seen;
}

async function count(view) {
  const seen = watch(view);
  let sent = 0;
  while (!isOver) {
    await Promise.all(Array.from({ length: 10 }, () => view.send({ kind: 'increment', by: 1 })));
    sent += 10;
  }
  const { value } = seen[Math.max(...Object.keys(seen))];
  report({ viewModel: 'counter', key: view.key, sent, last: value, seen });
}

async function note(view) {
  const seen = watch(view);
  let sent = 0;
  while (!isOver) {
    await view.send({ kind: 'add', title: `${sent}` });
    await view.send({ kind: 'toggle', id: sent / 2 + 1 });
    await view.send({ kind: 'removeDone' });
    sent += 2;
  }
  report({ viewModel: 'todos', key: view.key, sent, seen });
}

async function order(client, view) {
  let sent = 0;
  await view.send({ kind: 'loadOrders' });
  while (!isOver) {
    await view.send({ kind: 'selectOrder', index: sent % 20 });
    const details = await repeated(() => client.attach(view.navigation.stack.at(-1).key));
    await details.send({ kind: 'editNote', value: `${sent}` });
    await details.send({ kind: 'saveNote' });
    sent += 3;
    if (isOver) break;
    await repeated(() => back(details));
    // Where it was asked again, the first one's effect may come behind the answer.
    while (view.navigation.stack.some(({ key }) => key === details.key)) await sleep(10);
  }
  const rows = await repeated(() => ids(view.list('orders')));
  const navigation = view.navigation.stack.map(({ viewModel }) => viewModel);
  report({ viewModel: 'orders', key: view.key, sent, navigation, rows });
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

/** Asks again while the store can't be reached, as the error says. */
async function repeated(call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (error.name !== 'StoreUnavailable') throw error;
      await new Promise((resolve) => setTimeout(resolve, error.data.retryAfterMs));
    }
  }
}

function report(value) {
  console.log(JSON.stringify(value));
}

process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});

/** The extension's own module, which is given VS Code's as the extension is. */
function extensionServer(address) {
  const { vscode } = new User({ address });
  const load = Module._load;
  Module._load = (request, ...others) => (request === 'vscode' ? vscode : load(request, ...others));
  const { Server } = createRequire(import.meta.url)('../../clients/vscode/server.js');
  Module._load = load;
  const log = { info() {}, warn: console.error, error: console.error };
  const secrets = { get: async () => undefined, store: async () => {} };
  return new Server(secrets, { alone: (run) => run() }, log);
}

const [, , address, host] = process.argv;
const server = host === 'vscode' ? extensionServer(address) : undefined;
const client = await (server ? server.client() : connect({ unix: address }));
client.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
const open = (...what) => (server ?? client).open(...what);
const counter = await open('counter');
const todos = await open('todos', { list: randomUUID() });
const orders = await open('orders', { count: 20, delay: 0 });
console.log('open');
await Promise.all([count(counter), note(todos), order(client, orders)]);
process.stdout.write('', () => process.exit(0));
