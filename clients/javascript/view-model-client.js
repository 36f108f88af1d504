// A client of the view model protocol, version 1.2: in browsers over WebSocket, in Node also over standard input and
// output, TCP and Unix sockets. Modules without dependencies: this one, and those of the folder beside it.
//
//   const client = await connect({ webSocket: 'ws://127.0.0.1:7351/ws' });
//   const counter = await client.open('counter', { start: 40 });
//   counter.on('count', (event) => console.log(event.value));
//   await counter.send({ kind: 'increment', by: 2 });
//
// From the outside in, each of what is behind it: `client.js` (one server, whatever becomes of the connection) ·
// `session.js` (one session, over all reconnects: `view.js` is how users know it, `feed.js` what it is told, `outbox.js`
// what it sends, `lists.js`, `list-rows.js` and `list-marks.js` its lists) · `connection.js` (made again when it is lost,
// which `heartbeat.js` notices) · `peer.js` (one connection's requests and answers) · `transports.js` · `framing.js`.
export { Client, connect } from './view-model-client/client.js';
export { ViewModelError } from './view-model-client/errors.js';
export { indexAfter } from './view-model-client/list-marks.js';
export { List } from './view-model-client/lists.js';
export { View } from './view-model-client/view.js';
