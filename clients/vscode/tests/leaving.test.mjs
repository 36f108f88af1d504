import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { connect } from '../../javascript/view-model-client.js';
import { opened, Relay, serverAddress, until } from '../../javascript/tests/support.mjs';
import { asked, comeBack, open, ownList, ready, serverWithStore, share, shared, shows, user } from './user.mjs';

const kept = (way) => ['information', `todos is kept, if it is durable: ${way}.`];

test('a panel that is closed leaves its session, which one comes back to, and ends by a command', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const panel = await open(me, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  panel.close();
  await until(() => me.notices.length === 1, 'what is said of it');
  assert.deepEqual(me.notices, [kept('“View Models: Open…” finds it')]);
  await comeBack(me, 'todos');
  await shows(await ready(me), 'Milk');

  await share(me);
  const other = await connect({ tcp: address });
  context.after(() => other.close());
  const view = await other.attach(me.clipboard);
  assert.equal(view.viewModel, 'todos');
  assert.match(me.notices.at(-1)[1], /^The key of todos is in the clipboard: /);
  const keeping = me.run('viewModels.endSession');
  const question = await asked(me, 'modal');
  const words = 'It has another view, which ends with it. What the server has stored of it is removed.';
  assert.equal(question.text, `End the session of todos? ${words}`);
  question.answer(undefined);
  await keeping;
  assert.equal(view.closed, null);
  const ending = me.run('viewModels.endSession');
  (await asked(me, 'modal')).answer('End Session');
  await ending;
  await until(() => view.closed, 'the end of the other view');
  assert.equal(view.closed.reason, 'closed');
  await assert.rejects(other.attach(me.clipboard), { name: 'UnknownSession' });
  assert.equal(me.panels.at(-1).isDisposed, true);
  // It isn't offered any more, and a key is asked for at once.
  const attaching = me.run('viewModels.attach');
  (await asked(me, 'input')).answer(me.clipboard);
  await attaching;
  assert.match(me.notices.at(-1)[1], /there is no session with this key/);
});

test('a panel that is closed says how its session is found again: opened with the same arguments', async (context) => {
  const me = await user(context, { address: await serverWithStore(context) });
  const given = { list: 'home' };
  const panel = await open(me, 'todos', given);
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  const other = await open(me, 'todos');
  await shows(other, 'changed');
  assert.doesNotMatch(JSON.stringify(other.messages), /Milk/);
  // Two panels of one session are in step.
  const same = await open(me, 'todos', given);
  await shows(same, 'Milk');
  same.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  await shows(panel, 'Bread');
  other.close();
  same.close();
  panel.close();
  await until(() => me.notices.length === 3, 'what is said of them');
  const found = kept('“View Models: Open…” with {"list":"home"} finds it');
  const said = [kept('“View Models: Open…” finds it'), found, found];
  assert.deepEqual(me.notices.map(([, text]) => text).sort(), said.map(([, text]) => text).sort());
  await shows(await open(me, 'todos', given), 'Bread');
  me.panels.at(-1).close();
  await until(() => me.notices.length === 4, 'what is said of it');
  // With which arguments somebody has opened it isn't known to who comes back by a key.
  await comeBack(me, 'todos');
  const again = await ready(me);
  await shows(again, 'Bread');
  again.close();
  await until(() => me.notices.length === 5, 'what is said of it');
  assert.deepEqual(me.notices.at(-1), kept('“View Models: Attach to Session…” comes back to it'));
});

test('a session that all share is left without a question and stays, and opening finds it', async (context) => {
  const relay = await Relay.start(context, await serverWithStore(context));
  const persons = '"type":"Examples.TodosViewModel","scope":"person"';
  // A message's length goes before it.
  relay.replaced = [persons, '"scope":"everyone"'.padEnd(persons.length)];
  const me = await user(context, { address: relay.address });
  (await open(me, 'todos')).close();
  await until(() => me.notices.length === 1, 'what is said of it');
  const panel = await open(me, 'todos');
  await me.run('viewModels.endSession');
  await until(() => panel.isDisposed, 'the end of the panel');
  assert.deepEqual(me.notices.map(([, text]) => text), [
    'todos is kept, if it is durable: “View Models: Open…” finds it.',
    'todos is left. Its session stays for the others.',
  ]);
});

test('the session of another client is shown by its key or its link, as its kind is', async (context) => {
  const me = await user(context);
  const other = await connect({ tcp: serverAddress });
  context.after(() => other.close());
  const orders = await other.open('orders', { count: 2, delay: 0 });
  await orders.send({ kind: 'loadOrders' });
  const counter = await other.open('counter', { start: 40 });
  const attach = async (text) => {
    const attaching = me.run('viewModels.attach');
    const first = await until(() => me.dialog('pick') ?? me.dialog('input'), 'a question');
    if (first.kind === 'pick') first.answer(first.items.at(-1));
    (await asked(me, 'input')).answer(text);
    await attaching;
  };
  await attach(orders.key);
  await until(() => me.tree === '[Orders]\nOrder #0\nOrder #1', 'the orders in the tree');
  await attach(` http://127.0.0.1:7351/#/counter/${counter.key} `);
  await shows(await ready(me), '40');
  // The tree leaves the orders to the other client.
  await me.run('viewModels.closeOrders');
  await until(() => me.tree === '[Orders]', 'an empty tree');
  await orders.send({ kind: 'selectOrder', index: 1 });
  assert.equal(orders.closed, null);
  assert.deepEqual(me.notices, []);
  // It has one key to choose from now.
  await share(me);
  assert.equal(me.clipboard, counter.key);
});

test('without a session on screen there is none to end or to give away', async (context) => {
  const me = await user(context);
  await me.run('viewModels.endSession');
  await me.run('viewModels.share');
  assert.deepEqual(me.notices, [['error', 'No session is shown.'], ['error', 'No session is shown.']]);
});

test('what waits in a panel that is closed is named, and goes out before its session is left', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  const panel = await open(me, 'todos', ownList());
  await shows(panel, 'changed');
  await share(me);
  const other = await connect({ tcp: serverAddress });
  context.after(() => other.close());
  const view = await other.attach(me.clipboard);
  const seen = [];
  view.onAny((event) => seen.push(event));
  relay.isOpen = false;
  relay.cut();
  await shows(panel, 'The connection is lost');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  panel.close();
  const text = 'todos still waits for the server, to be sent: add Bread. It is lost if VS Code is closed before.';
  await until(() => me.notices.length > 1, 'what is said of it');
  assert.deepEqual(me.notices.at(-1), ['warning', text]);
  relay.isOpen = true;
  await me.run('viewModels.reconnect');
  await until(() => JSON.stringify(seen).includes('Bread'), 'what was done in it');
  const views = async () => (await other.request('session/list')).sessions[0].views;
  await until(async () => (await views()) === 1, 'the session to be left');
  await view.endSession();
});

test('what a panel has given back is not lost once more when its session ends, and something else with it', async (context) => {
  const me = await user(context);
  const { client, server, timers, view } = await opened();
  me.openPanel(client, view);
  await server.connection.reply('viewModel/describe', { name: 'counter' });
  view.send({ kind: 'increment', by: 2 }).catch(() => {});
  server.connection.cut();
  await timers.advance(200);
  await server.connection.reply('session/attach', { session: 1, viewModel: 'counter', seq: 0 });
  const text = 'counter: the server has forgotten what it took from here. Not sent: increment 2 (perhaps handled).';
  await until(() => me.notices.length > 0, 'what was given back');
  assert.deepEqual(me.notices, [['error', text]]);
  view.send({ kind: 'increment', by: 3 }).catch(() => {});
  const closing = client.close();
  await timers.advance(1_000);
  await closing;
  const end = 'counter: the client was closed. Not sent: increment 3 (perhaps handled).';
  assert.deepEqual(me.notices.slice(1), [['error', end]]);
});

test('a session that can not be kept for a restart is told, once', async (context) => {
  const me = await user(context, { address: await serverWithStore(context) });
  const make = fs.mkdirSync;
  context.mock.method(fs, 'mkdirSync', (path, options) => {
    if (path.endsWith('turn')) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    return make(path, options);
  });
  await open(me, 'todos');
  await open(me, 'hello');
  const attaching = me.run('viewModels.attach');
  const pick = await asked(me, 'pick');
  assert.deepEqual(pick.items.map(({ label }) => label), ['hello', 'todos', 'Another Key…']);
  pick.answer(undefined);
  await attaching;
  assert.equal(me.notices.length, 1);
  assert.match(me.notices[0][1], /^After a restart, the sessions of now can't be offered: ENOSPC: no space left on device\. /);
});

test('what can not be read for a while is told, and neither offered nor overwritten', async (context) => {
  const address = await serverWithStore(context);
  const before = await user(context, { address });
  await open(before, 'todos');
  await before.stop();
  const me = await user(context, { address }, shared(before));
  me.unreadable.set('viewModels.sessions', 'the keyring is locked');
  await open(me, 'hello');
  const attaching = me.run('viewModels.attach');
  const pick = await asked(me, 'pick');
  assert.deepEqual(pick.items.map(({ label }) => label), ['hello', 'Another Key…']);
  pick.answer(undefined);
  await attaching;
  assert.deepEqual(me.notices.map(([, text]) => text.split(': ').slice(0, 2)), [
    ["After a restart, the sessions of now can't be offered", 'the keyring is locked. “View Models'],
    ["The sessions of before can't be offered", 'the keyring is locked. “View Models'],
  ]);
  me.unreadable.clear();
  await comeBack(me, 'todos');
});

test('a session is offered that was left long ago, behind those that came later', async (context) => {
  const me = await user(context, { address: await serverWithStore(context) });
  const panel = await open(me, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  panel.close();
  for (let count = 0; count < 12; count++) await open(me, 'hello');
  await me.stop();
  const again = await user(context, me.settings, shared(me));
  await comeBack(again, 'todos');
  await shows(await ready(again), 'Milk');
});

test('the sessions of two windows that open them at once are both kept', async (context) => {
  const address = await serverWithStore(context);
  const first = await user(context, { address }, { secretsDelay: 50 });
  const second = await user(context, { address }, shared(first));
  await Promise.all([open(first, 'todos', ownList()), open(second, 'todos', ownList())]);
  const keys = () => JSON.parse(first.secrets.get('viewModels.sessions') ?? '[]').length;
  await until(() => keys() === 2, 'both keys');
});

test('a server that runs for a while without its store has nobody forget a session', async (context) => {
  const address = await serverWithStore(context);
  const before = await user(context, { address });
  const panel = await open(before, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  await before.stop();
  const meanwhile = await user(context, { address: serverAddress }, shared(before));
  await comeBack(meanwhile, 'todos');
  assert.match(meanwhile.notices.at(-1)[1], /there is no session with this key/);
  await meanwhile.stop();
  const again = await user(context, { address }, shared(before));
  await comeBack(again, 'todos');
  await shows(await ready(again), 'Milk');
});
