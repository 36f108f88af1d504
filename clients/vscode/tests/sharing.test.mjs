import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../javascript/view-model-client.js';
import { until } from '../../javascript/tests/support.mjs';
import { asked, open, ready, serverWithStore, share, shows, user } from './user.mjs';

test('sessions of any program are listed, come back to, and ended', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const other = await connect({ tcp: address });
  context.after(() => other.close());
  const board = await other.open('board');
  await me.run('viewModels.refreshKept');
  assert.deepEqual(me.kept.map(({ line, contextValue }) => [line, contextValue]), [['board (just now, 1 view)', 'shared']]);
  assert.equal(me.contexts.get('viewModels.hasAsked'), true);
  const [item] = me.kept;
  await me.run(item.command.command, ...item.command.arguments);
  const panel = await ready(me);
  await board.send({ kind: 'add', title: 'Dig' });
  await shows(panel, 'Dig');
  // It is asked again when one has come or gone.
  await until(() => me.kept[0]?.line === 'board (just now, 2 views)', 'two views of the board');
  panel.close();
  await until(() => me.kept[0]?.line === 'board (just now, 1 view)', 'one view of the board');
});

test('one of the user’s own is ended from the list, after a question', async (context) => {
  const socket = await serverWithStore(context, 'unix');
  const me = await user(context, { address: socket });
  const panel = await open(me, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  await me.run('viewModels.refreshKept');
  assert.deepEqual(me.kept.map(({ line, contextValue }) => [line, contextValue]),
    [['todos: 1 open, 0 done (just now, 1 view)', 'own']]);
  const ending = me.run('viewModels.endKept', me.kept[0].element);
  const question = await asked(me, 'modal');
  assert.match(question.text, /^End the session of todos\? It has another view, which ends with it\./);
  question.answer('End Session');
  await ending;
  await until(() => me.kept.length === 0, 'an empty list');
});

test('who else is here is told, and who may only look is offered nothing that sends', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const panel = await open(me, 'counter');
  const here = (of) => of.messages.filter(({ type }) => type === 'here').at(-1);
  assert.equal(here(panel), undefined);
  await share(me, 'Can look');
  assert.match(me.notices.at(-1)[1], /Whoever has the key sees what is in the session, and can do nothing in it\.$/);
  const key = me.clipboard;
  const reader = await user(context, { address });
  const attaching = reader.run('viewModels.attach');
  (await asked(reader, 'input')).answer(key);
  await attaching;
  const looking = await ready(reader);
  await until(() => here(looking)?.looksOnly, 'that one may only look');
  await until(() => here(panel)?.text === 'Here: vscode, looking', 'who looks');
  looking.send({ type: 'send', id: 1, event: { kind: 'increment', by: 1 } });
  await shows(looking, 'only lets it look');
  // It has no other key to give.
  const sharing = reader.run('viewModels.share');
  const pick = await asked(reader, 'pick');
  assert.deepEqual(pick.items.map(({ label }) => label), ['Can look']);
  pick.answer(pick.items[0]);
  await sharing;
  assert.equal(reader.clipboard, key);
  looking.close();
  await until(() => here(panel).text === '', 'that nobody is left');
});

test('of a view model of the tree, what may only be looked at is shown in a panel', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const other = await connect({ tcp: address });
  context.after(() => other.close());
  const orders = await other.open('orders', { delay: 0 });
  const attaching = me.run('viewModels.attach');
  (await asked(me, 'input')).answer(await orders.readKey());
  await attaching;
  await ready(me);
  assert.equal(me.tree, '[Orders]');
  // A child that is closed is seen enough of: who may only look can't go back.
  await orders.send({ kind: 'loadOrders' });
  await orders.send({ kind: 'selectOrder', index: 1 });
  await until(() => me.panels.length === 2, 'the details');
  const details = await ready(me);
  await shows(details, 'Details of Order #1');
  details.close();
  await orders.send({ kind: 'loadOrders' });
  assert.equal(me.panels.length, 2);
  assert.deepEqual(me.notices, []);
});
