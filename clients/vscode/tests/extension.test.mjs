import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Relay, serverAddress, serverPath, startServer, until } from '../../javascript/tests/support.mjs';
import { WebSocket } from '../../javascript/tests/web-socket.mjs';
import { asked, open, ready, user } from './user.mjs';

async function sees(user, what, expected) {
  try {
    await until(() => (expected instanceof RegExp ? expected.test(user.tree) : user.tree === expected), what);
  } catch {
    assert.fail(`${what}: expected\n${expected}\nand saw\n${user.tree}\nwith ${JSON.stringify(user.notices)}`);
  }
  console.log(`shown: ${what}`);
}

test('the orders are walked through, and the connection is cut', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  const cut = async (during) => {
    relay.isOpen = false;
    relay.cut();
    await until(() => me.status.text.includes('trying again'), 'the loss in the status bar');
    const done = during?.();
    relay.isOpen = true;
    await me.run('viewModels.reconnect');
    await until(() => me.status.text === '$(pass) View models', 'the connection in the status bar');
    await done;
  };
  assert.equal(me.tree, '[Orders]');
  assert.equal(me.contexts.get('viewModels.front'), undefined);
  const opening = me.run('viewModels.openOrders');
  await sees(me, 'the list is loading', '[Orders]\nLoading…');
  assert.equal(me.contexts.get('viewModels.front'), 'orders');
  assert.deepEqual([me.progress[0].title, me.progress[0].isOver], ['Loading orders', false]);
  await cut();
  await opening;
  assert.equal(me.progress[0].isOver, true);
  const names = Array.from({ length: 100 }, (_, index) => `Order #${index}`);
  await sees(me, 'a list of 100 orders, which came over another connection', ['[Orders]', ...names].join('\n'));

  await me.click('Order #7');
  await sees(me, 'the details of order 7', '[Details of Order #7]\nOpen\nNo note');
  assert.equal(me.contexts.get('viewModels.front'), 'orderDetails');

  const write = async (begin, before, note) => {
    const writing = begin();
    const input = await asked(me, 'input');
    assert.deepEqual([input.prompt, input.value], ['Details of Order #7', before]);
    input.answer(note);
    await writing;
  };
  await write(() => me.click('No note'), '', 'call them');
  await sees(me, 'a note', '[Details of Order #7]\nOpen\ncall them (not saved)');
  await me.run('viewModels.back');
  assert.deepEqual(me.notices, [['warning', "You can't go back yet: the note isn't saved."]]);
  await sees(me, 'the details are still there', '[Details of Order #7]\nOpen\ncall them (not saved)');
  const edit = () => me.run('viewModels.editNote');
  await write(edit, 'call them', '');
  await sees(me, 'an empty note', '[Details of Order #7]\nOpen\nNo note (not saved)');
  // The user pressed Escape.
  await write(edit, '', undefined);
  await write(edit, '', 'call them');
  await me.run('viewModels.saveNote');
  await sees(me, 'the note is saved', '[Details of Order #7]\nOpen\ncall them');

  await me.run('viewModels.cancelOrder');
  const keeping = await asked(me, 'modal');
  assert.deepEqual([keeping.text, keeping.buttons], ['Cancel Order #7?', ['Cancel Order', 'Keep Order']]);
  keeping.answer(undefined);
  await me.run('viewModels.cancelOrder');
  const confirming = await until(() => me.dialog('modal') !== keeping && me.dialog('modal'), 'the question');
  await sees(me, 'the order is not cancelled yet', '[Details of Order #7]\nOpen\ncall them');
  await cut(() => confirming.answer('Cancel Order'));
  await sees(me, 'the order is cancelled', '[Details of Order #7]\nCancelled\ncall them');
  await me.run('viewModels.back');
  names[7] += ' (cancelled)';
  await sees(me, 'the list with order 7 cancelled', ['[Orders]', ...names].join('\n'));
  assert.equal(me.contexts.get('viewModels.front'), 'orders');

  await me.run('viewModels.closeOrders');
  await sees(me, 'nothing', '[Orders]');
  assert.equal(me.contexts.get('viewModels.front'), undefined);
  assert.deepEqual([me.notices.length, me.log.filter((line) => line.startsWith('error'))], [1, []]);
});

test('a million orders are there in groups, and the last one is shown at once', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  await me.run('viewModels.openOrders', { count: 1_000_000, delay: 0 });
  await sees(me, 'the first group', /^\[Orders\]\n▾ Orders 0 – 999\n  Order #0\n[^]*\n  Order #999\n▸ Orders 1000 – 1999\n/);
  assert.ok(me.tree.endsWith('\n▸ Orders 998000 – 998999\n▸ Orders 999000 – 999999'));
  me.toggle('Orders 0 – 999');
  me.toggle('Orders 999000 – 999999');
  await sees(me, 'the last group', /▸ Orders 998000 – 998999\n▾ Orders 999000 – 999999\n  Order #999000\n[^]*\n  Order #999999$/);
  assert.equal(me.mostItems, 1_000);
  await me.click('Order #999999');
  await sees(me, 'the details of the last order', '[Details of Order #999999]\nOpen\nNo note');
  await me.run('viewModels.cancelOrder');
  (await asked(me, 'modal')).answer('Cancel Order');
  await sees(me, 'the order is cancelled', '[Details of Order #999999]\nCancelled\nNo note');
  await me.run('viewModels.back');
  const last = /^\[Orders\]\n▸ Orders 0 – 999\n[^]*\n▾ Orders 999000 – 999999\n[^]*\n  Order #999999 \(cancelled\)$/;
  await sees(me, 'the list as it was left, with the last order cancelled', last);
  await until(() => me.revealed === 'Order #999999', 'the order that was left to be scrolled to');

  // What was read stays where it is while it is read again, and what is opened while the connection is lost waits.
  await me.run('viewModels.loadOrders');
  await sees(me, 'the list again', last);
  relay.isOpen = false;
  relay.cut();
  await until(() => me.status.text.includes('trying again'), 'the loss in the status bar');
  me.toggle('Orders 1000 – 1999');
  await sees(me, 'that rows are coming', /\n▾ Orders 1000 – 1999\n  Loading…\n▸ Orders 2000 – 2999\n/);
  relay.isOpen = true;
  await me.run('viewModels.reconnect');
  await sees(me, 'the rows', /\n▾ Orders 1000 – 1999\n  Order #1000\n[^]*\n  Order #1999\n▸ Orders 2000 – 2999\n/);
  await sees(me, 'what is open as it was', last);
  assert.deepEqual(me.notices, []);
});

test('loading is cancelled from its notification', async (context) => {
  const me = await user(context);
  const opening = me.run('viewModels.openOrders');
  await sees(me, 'the list is loading', '[Orders]\nLoading…');
  me.progress[0].cancel();
  await opening;
  await sees(me, 'no list', '[Orders]');
  assert.deepEqual(me.notices, []);
  const again = me.run('viewModels.loadOrders');
  await sees(me, 'the list', /^\[Orders\]\nOrder #0\n/);
  await again;
  const { reports } = me.progress[1];
  assert.deepEqual(reports.filter(({ message }) => message), [{ message: '100 orders', increment: 100 }]);
});

test('a list that cannot be loaded says why', async (context) => {
  const me = await user(context);
  await me.run('viewModels.openOrders', { delay: 0, fails: true });
  const failure = "the order service can't be reached";
  await sees(me, 'why there is no list', `[Orders]\nThe orders could not be loaded: ${failure}.`);
  assert.deepEqual(me.notices, [['error', failure]]);
});

test('the list is opened once, however often it is asked for', async (context) => {
  const me = await user(context);
  await Promise.all([me.run('viewModels.openOrders', { count: 2, delay: 0 }), me.run('viewModels.openOrders')]);
  await me.run('viewModels.openOrders');
  await sees(me, 'two orders', '[Orders]\nOrder #0\nOrder #1');
  assert.equal(me.progress.length, 1);
  // The tree is drawn once for what comes together: the list as it is opened, as it loads, as it is there, and its rows.
  assert.ok(me.treeChanges <= 5, `drawn ${me.treeChanges} times`);
});

test('another view model is opened with arguments, and gets a panel with what it takes and says', async (context) => {
  const me = await user(context);
  const opening = me.run('viewModels.open');
  const pick = await asked(me, 'pick');
  assert.ok(pick.items.includes('counter') && pick.items.includes('orders'));
  pick.answer('counter');
  const input = await asked(me, 'input');
  assert.match(input.prompt, /What counter is opened with, as JSON: start/);
  assert.equal(input.validateInput('{"start": 40}'), undefined);
  assert.match(input.validateInput('{'), /JSON/);
  assert.match(input.validateInput('3'), /an object is needed/);
  input.answer('{"start": 40}');
  await opening;
  const [panel] = me.panels;
  assert.deepEqual([panel.title, panel.messages], ['counter', []]);
  await ready(me);
  await until(() => panel.messages.length >= 2, 'the first messages');
  assert.equal(panel.messages[0].type, 'description');
  assert.ok(panel.messages[0].description.viewEvent.oneOf);
  assert.deepEqual(panel.messages[1], { type: 'event', event: { kind: 'count', value: 40 }, seq: 1 });
});

test("a panel's page lets nothing in but its own files", async (context) => {
  const me = await user(context);
  const { webview: { html } } = await open(me, 'hello');
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html);
  const [, nonce] = /'nonce-([^']{20,})'/.exec(policy);
  assert.equal(
    policy,
    `default-src 'none'; style-src https://webview.example; script-src 'nonce-${nonce}' https://webview.example`,
  );
  const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  assert.equal(scripts.length, 1);
  const source = 'https://webview.example/extension/media/panel.js';
  assert.equal(scripts[0][1], ` type="module" nonce="${nonce}" src="${source}"`);
  assert.equal(scripts[0][2], '');
  assert.doesNotMatch(html, /\son\w+=|\sstyle=|<style|javascript:/);
  for (const [, path] of html.matchAll(/https:\/\/webview\.example\/extension\/([^"]+)"/g)) {
    await readFile(new URL(`../${path}`, import.meta.url));
  }
});

test('a server that is not there, and one that wants a token, are told in words', async (context) => {
  const me = await user(context, { address: '/nobody/here' });
  await me.run('viewModels.openOrders');
  assert.match(me.notices[0][1], /The view model server can't be reached: .*\/nobody\/here/);
  assert.equal(me.status.text, '$(circle-slash) View models: closed');
  me.changeSettings({ address: serverAddress });
  await me.run('viewModels.reconnect');
  assert.equal(me.status.text, '$(pass) View models');
  me.changeSettings({ address: `ws://${serverAddress}/ws` });
  await until(() => me.status.text.includes('closed'), 'the end of the connection');
  if (!globalThis.WebSocket) globalThis.WebSocket = WebSocket;
  await me.run('viewModels.reconnect');
  assert.equal(me.status.text, '$(pass) View models');
});

test('what waits while the connection is lost is counted and named, and what may be old is dimmed', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  await me.run('viewModels.openOrders', { count: 2, delay: 0 });
  await me.click('Order #1');
  await sees(me, 'the details', '[Details of Order #1]\nOpen\nNo note');
  assert.equal(me.isDimmed, false);
  relay.isOpen = false;
  relay.cut();
  const lost = 'The connection is lost: this may be old.';
  await sees(me, 'that it may be old', `[Details of Order #1]\n${lost}\nOpen\nNo note`);
  assert.equal(me.isDimmed, true);
  const writing = me.run('viewModels.editNote');
  (await asked(me, 'input')).answer('call them');
  const saving = me.run('viewModels.saveNote');
  const waits = 'Waits to be sent: editNote call them, saveNote.';
  await sees(me, 'what waits', `[Details of Order #1]\n${lost} ${waits}\nOpen\nNo note`);
  assert.match(me.status.text, /, 2 to be sent$/);
  assert.match(me.status.tooltip, /\neditNote call them\nsaveNote$/);
  relay.isOpen = true;
  await me.run('viewModels.reconnect');
  await Promise.all([writing, saving]);
  await sees(me, 'the note', '[Details of Order #1]\nOpen\ncall them');
  assert.equal(me.isDimmed, false);
  assert.equal(me.status.text, '$(pass) View models');
  assert.deepEqual(me.notices, []);
});

test('what is opened while the connection is lost says that it waits, and can be given up', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  await me.run('viewModels.reconnect');
  relay.isOpen = false;
  relay.cut();
  await until(() => me.status.text.includes('trying again'), 'the loss in the status bar');
  const opening = me.run('viewModels.openOrders', { count: 1, delay: 0 });
  await until(() => me.progress.length === 1, 'the notification');
  assert.equal(me.progress[0].title, 'orders opens when the connection is back');
  me.progress[0].cancel();
  await opening;
  const again = me.run('viewModels.openOrders', { count: 1, delay: 0 });
  await until(() => me.progress.length === 2, 'the notification');
  relay.isOpen = true;
  await me.run('viewModels.reconnect');
  await again;
  await sees(me, 'the list that was opened meanwhile', '[Orders]\nOrder #0');
  assert.deepEqual(me.notices, []);
});

test('a server that was started and dies is told in words, and started again when it is needed', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'view-models-'));
  context.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'pid');
  const command = ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$1" --stdio', path, serverPath];
  const me = await user(context, { command });
  await me.run('viewModels.openOrders', { count: 2, delay: 0 });
  assert.ok(me.status.tooltip.endsWith(serverPath));
  process.kill(Number(await readFile(path, 'utf8')), 'SIGKILL');
  await until(() => me.notices.length > 0, 'the notice');
  assert.deepEqual(me.notices, [['error', 'Orders: /bin/sh was ended by SIGKILL.']]);
  await sees(me, 'nothing', '[Orders]');
  assert.equal(me.status.text, '$(circle-slash) View models: closed');
  await me.run('viewModels.openOrders', { count: 1, delay: 0 });
  await sees(me, 'a new list', '[Orders]\nOrder #0');
});

test('a token is kept as a secret', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'view-models-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'token'), 'secret-0123456789');
  const { address } = await startServer(context, '--tcp', '0', '--token-file', join(folder, 'token'));
  const me = await user(context, { address });
  await me.run('viewModels.reconnect');
  assert.match(me.notices[0][1], /The command "View Models: Set Token…" sets another/);
  const setting = me.run('viewModels.setToken');
  const input = await asked(me, 'input');
  assert.equal(input.password, true);
  input.answer('secret-0123456789');
  await setting;
  await me.run('viewModels.reconnect');
  assert.equal(me.status.text, '$(pass) View models');
  assert.deepEqual([...me.secrets], [['viewModels.token', 'secret-0123456789']]);
  const clearing = me.run('viewModels.setToken');
  (await asked(me, 'input')).answer('');
  await clearing;
  assert.deepEqual([...me.secrets], []);
});
