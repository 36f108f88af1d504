// A client of the view model protocol, version 1.2: in browsers over WebSocket, in Node also over standard input and
// output, TCP and Unix sockets. ES modules without dependencies: this one, and its parts in the folder beside it.
//
//   const client = await connect({ webSocket: 'ws://127.0.0.1:7351/ws' });
//   const counter = await client.open('counter', { start: 40 });
//   counter.on('count', (event) => console.log(event.value));
//   await counter.send({ kind: 'increment', by: 2 });
//
// The parts, from the outside in. Each imports those below it alone:
//
//   client.js       one server, whatever becomes of the connection
//   connection.js   a connection that is made again when it is lost, which heartbeat.js notices
//   session.js      one session, over all reconnects, with what users have of it in view.js
//   outbox.js       what a view sends, until it is answered
//   lists.js        the lists of a view; list-rows.js has the rows that are here, list-marks.js places that go with rows
//   feed.js         what a view is told, until somebody listens
//   peer.js         one connection's requests and answers
//   transports.js   WebSockets, sockets and processes, whose messages framing.js finds
//   errors.js, listeners.js, queue.js, runtime.js
export { Client, connect } from './view-model-client/client.js';
export { ViewModelError } from './view-model-client/errors.js';
export { indexAfter } from './view-model-client/list-marks.js';
export { List } from './view-model-client/lists.js';
export { View } from './view-model-client/view.js';
