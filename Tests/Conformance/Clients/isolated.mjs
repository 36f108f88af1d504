// A page's client, over WebSocket, through the crash of the process that serves it.
//
//     node isolated.mjs CLIENT_FOLDER HOST:PORT SERVER_PROCESS
//
// Prints a line for each thing that it has seen to be so.
import { readFileSync, readdirSync } from 'node:fs';

const [folder, address, server] = process.argv.slice(2);
const { connect } = await import(`${folder}/view-model-client.js`);
// Older versions of Node have none.
const WebSocket = globalThis.WebSocket ?? (await import(`${folder}/tests/web-socket.mjs`)).WebSocket;

/** The process that serves a client, by its name. */
function processOf(client) {
  for (const name of readdirSync('/proc')) {
    try {
      const parent = readFileSync(`/proc/${name}/stat`, 'utf8').split(')').at(-1).split(' ')[2];
      const [, argument] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (parent === server && argument === `--isolated="${client}"`) return Number(name);
    } catch {
      // Not a process, or one that has ended.
    }
  }
  throw new Error(`${client} has no process`);
}

const client = await connect({ webSocket: `ws://${address}/ws` }, { WebSocket, clientInfo: { name: 'a page' } });
const other = await connect({ webSocket: `ws://${address}/ws` }, { WebSocket, clientInfo: { name: 'another' } });
const states = [];
client.on('state', ({ state }) => states.push(state));

const orders = await client.open('orders', { count: 1, delay: 60 });
const counter = await client.open('counter');
const others = await other.open('counter');
const ended = Promise.all([orders, counter].map((view) => new Promise((resolve) => view.onClosed(resolve))));
const loading = new Promise((resolve) => orders.on('loading', resolve));
const running = orders.send({ kind: 'loadOrders' }).then(() => 'was handled', (error) => `fails: ${error.name}`);
await loading;
process.kill(processOf('a page'), 'SIGKILL');
console.log('the event that ran', await running);
console.log('the views end:', ...(await ended).map(({ reason }) => reason));
const again = await client.open('counter');
await again.send({ kind: 'increment', by: 1 });
console.log('a new session handles events');
await others.send({ kind: 'increment', by: 1 });
console.log('so does the session of another client');
console.log('states:', states.length === 0 ? 'connected all the time' : states.join(', '));
await client.close();
await other.close();
