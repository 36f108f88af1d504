import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../javascript/view-model-client.js';
import { opened, Relay, serverAddress, serverPath, startServer, stop, storeFile, until } from '../../javascript/tests/support.mjs';
import { User } from './vscode-stub.mjs';

/** A user with the extension, which is stopped with the test unless it was before. */
async function user(context, settings, others = {}) {
  const made = Object.assign(new User({ address: serverAddress, ...settings }), others);
  await made.activate();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await made.deactivate();
    assert.deepEqual(made.violations, []);
  };
  context.after(stop);
  return Object.assign(made, { stop });
}

/** What another window of the same VS Code has with this one. */
const shared = ({ secrets, secretsDelay, storage }) => ({ secrets, secretsDelay, storage });

const asked = (user, kind) => until(() => user.dialog(kind), `a dialog of the kind ${kind}`);

async function open(me, name) {
  const opening = me.run('viewModels.open');
  (await asked(me, 'pick')).answer(name);
  await opening;
  return ready(me);
}

/** The newest panel, when its page is there. */
async function ready(me) {
  const panel = me.panels.at(-1);
  await until(() => panel.webview.html, 'the page');
  panel.send({ type: 'ready' });
  return panel;
}

/** Comes back to the session of this view model that is offered. */
async function comeBack(me, name) {
  const attaching = me.run('viewModels.attach');
  const pick = await asked(me, 'pick');
  pick.answer(pick.items.find(({ label }) => label === name));
  await attaching;
}

const shows = (panel, text) => until(() => JSON.stringify(panel.messages).includes(text), `${text} in the panel`);

const unansweredFiles = async ({ storage }) => {
  const names = await readdir(storage).catch(() => []);
  return names.filter((name) => name.startsWith('unanswered'));
};

async function serverWithStore(context) {
  const folder = await mkdtemp(join(tmpdir(), 'view-models-'));
  context.after(() => rm(folder, { recursive: true }));
  const { address } = await startServer(context, '--tcp', '127.0.0.1:0', '--store', `sqlite:${join(folder, 'store')}`);
  return address;
}

const kept = 'todos is kept, if it is durable: “View Models: Attach to Session…” comes back to it.';

test('a panel that is closed leaves its session, which one comes back to, and ends by a command', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const panel = await open(me, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  panel.close();
  await until(() => me.notices.length === 1, 'what is said of it');
  assert.deepEqual(me.notices, [['information', kept]]);
  await comeBack(me, 'todos');
  await shows(await ready(me), 'Milk');

  await me.run('viewModels.copyKey');
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

test('what is durable is there again after the end of VS Code', async (context) => {
  const address = await serverWithStore(context);
  const me = await user(context, { address });
  const panel = await open(me, 'todos');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
  await shows(panel, 'Milk');
  await me.stop();
  const again = await user(context, { address }, shared(me));
  await comeBack(again, 'todos');
  await shows(await ready(again), 'Milk');
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
  await me.run('viewModels.copyKey');
  assert.equal(me.clipboard, counter.key);
});

test('without a session on screen there is none to end or to give away', async (context) => {
  const me = await user(context);
  await me.run('viewModels.endSession');
  await me.run('viewModels.copyKey');
  assert.deepEqual(me.notices, [['error', 'No session is shown.'], ['error', 'No session is shown.']]);
});

for (const [name, where] of Object.entries({ 'over TCP': 'address', 'of its own': 'command' })) {
  test(`a server ${name} stands still, which is noticed, and all goes on when it does`, async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'view-models-'));
    context.after(() => rm(folder, { recursive: true }));
    let pid;
    let settings;
    if (where === 'command') {
      // The server is the process that says what its number is.
      settings = { command: ['/bin/sh', '-c', 'echo pid $$ >&2; exec "$0" --stdio', serverPath] };
    } else {
      const { child, address } = await startServer(context, '--tcp', '127.0.0.1:0');
      [pid, settings] = [child.pid, { address }];
    }
    const me = await user(context, settings);
    const panel = await open(me, 'todos');
    await shows(panel, 'changed');
    pid ??= Number(/pid (\d+)/.exec(me.log.join('\n'))[1]);
    await stop(pid);
    try {
      panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
      await shows(panel, "The server doesn't answer: this may be old. Waits to be sent: add Bread.");
      await until(() => me.notices.length > 0, 'the notice');
      const text = "The view model server doesn't answer. What waits is lost if VS Code is closed now: add Bread.";
      assert.deepEqual(me.notices, [['warning', text]]);
      assert.match(me.status.text, /, 1 to be sent$/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await shows(panel, '"title":"Bread"');
    await until(() => me.status.text === '$(pass) View models', 'the connection in the status bar');
    await until(() => panel.messages.some(({ type, id }) => type === 'answer' && id === 1), 'the answer');
    assert.equal(panel.messages.find(({ type }) => type === 'answer').error, undefined);
    assert.equal(panel.messages.filter(({ type }) => type === 'away').at(-1).text, undefined);
    assert.equal(me.notices.length, 1);
  });
}

test('what waits for a store whose file was moved says why, and is done once when it is back', async (context) => {
  const store = await storeFile(context);
  const { address } = await startServer(context, '--tcp', '127.0.0.1:0', '--store', `sqlite:${store.path}`);
  const me = await user(context, { address });
  const panel = await open(me, 'todos');
  await shows(panel, 'changed');
  const other = await open(me, 'hello');
  await store.move();
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  await shows(panel, "The server can't store anything now (");
  const away = () => panel.messages.filter(({ type }) => type === 'away').at(-1);
  const words = /\(.*store\.db was moved.*\); what was sent waits for it\. Waits to be sent: add Bread\.$/;
  assert.match(away().text, words);
  assert.equal(away().isOld, false);
  assert.deepEqual(other.messages.filter(({ type }) => type === 'away'), []);
  await until(() => me.notices.length > 0, 'the notice');
  const warning = /^The view model server can't store .*store\.db was moved.* lost if VS Code is closed now: add Bread\.$/;
  assert.match(me.notices[0][1], warning);
  assert.equal(me.status.text, "$(warning) View models: the server can't store anything now, 1 to be sent");
  assert.match(me.status.tooltip, /store\.db was moved.*\nadd Bread$/);
  await store.moveBack();
  await until(() => panel.messages.some(({ type, id }) => type === 'answer' && id === 1), 'the answer');
  await until(() => me.status.text === '$(pass) View models', 'the usual text in the status bar');
  assert.equal(panel.messages.find(({ type }) => type === 'answer').error, undefined);
  assert.equal(away().text, undefined);
  const titles = panel.messages.filter(({ event }) => event?.kind === 'changed').at(-1).event.value.items;
  assert.deepEqual(titles.map(({ title }) => title), ['Bread']);
  assert.equal(me.notices.length, 1);
});

test('what waits in a panel that is closed is named, and goes out before its session is left', async (context) => {
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  const panel = await open(me, 'todos');
  await shows(panel, 'changed');
  await me.run('viewModels.copyKey');
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

test('what the server has forgotten is given back from a panel that goes on', async (context) => {
  const me = await user(context);
  const { client, server, timers, view } = await opened();
  me.openPanel(client, view, false);
  const { connection } = server;
  connection.answer(await connection.next('viewModel/describe'), { name: 'counter' });
  const sending = view.send({ kind: 'increment', by: 2 }).catch((error) => error);
  await connection.next('view/event');
  connection.cut();
  await timers.advance(200);
  const attach = await server.connection.next('session/attach');
  server.connection.answer(attach, { session: 1, viewModel: 'counter', seq: 0 });
  assert.match((await sending).message, /doesn't know any more/);
  (await asked(me, 'notice')).answer('Open in Editor');
  const text = 'counter: the server has forgotten what it took from here. Not sent: increment 2 (perhaps handled).';
  assert.deepEqual(me.notices, [['error', text]]);
  await until(() => me.documents.length === 1, 'the editor');
  assert.deepEqual(JSON.parse(me.documents[0].content), [{ kind: 'increment', by: 2 }]);
  assert.equal(view.closed, null);
});

test('what is not answered as VS Code ends is told at the next start, once', async (context) => {
  const { child, address } = await startServer(context, '--tcp', '127.0.0.1:0');
  const me = await user(context, { address });
  const panel = await open(me, 'todos');
  await shows(panel, 'changed');
  await stop(child.pid);
  try {
    panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
    await me.stop();
  } finally {
    process.kill(child.pid, 'SIGCONT');
  }
  assert.match(me.log.join('\n'), /todos: VS Code was closed before an answer came: add Bread/);
  const again = await user(context, { address }, shared(me));
  const notice = await asked(again, 'notice');
  const text = 'todos: VS Code was closed before the server had answered. Not sent: add Bread (perhaps handled).';
  assert.deepEqual(again.notices, [['error', text]]);
  notice.answer('Open in Editor');
  await until(() => again.documents.length === 1, 'the editor');
  assert.deepEqual(JSON.parse(again.documents[0].content), [{ kind: 'add', title: 'Bread' }]);
  assert.deepEqual(await unansweredFiles(me), []);
});

test('what is answered while VS Code ends is told nowhere', async (context) => {
  const me = await user(context, { address: await serverWithStore(context) });
  const panel = await open(me, 'todos');
  await shows(panel, 'changed');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  await shows(panel, 'Bread');
  await until(() => panel.messages.some(({ type, id }) => type === 'answer' && id === 1), 'the answer');
  await me.stop();
  assert.deepEqual(await unansweredFiles(me), []);
  assert.doesNotMatch(me.log.join('\n'), /before an answer came/);
});

test('two windows that quit at once are both told at the next start, once, also where two start at once', async (context) => {
  const { child, address } = await startServer(context, '--tcp', '127.0.0.1:0');
  const first = await user(context, { address }, { secretsDelay: 20 });
  const second = await user(context, { address }, shared(first));
  const panels = [await open(first, 'todos'), await open(second, 'todos')];
  for (const panel of panels) await shows(panel, 'changed');
  await stop(child.pid);
  try {
    panels[0].send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
    panels[1].send({ type: 'send', id: 1, event: { kind: 'add', title: 'Milk' } });
    await Promise.all([first.stop(), second.stop()]);
  } finally {
    process.kill(child.pid, 'SIGCONT');
  }
  const files = await unansweredFiles(first);
  const modes = await Promise.all(['.', ...files].map(async (name) => (await stat(join(first.storage, name))).mode & 0o777));
  const again = await Promise.all([1, 2].map(() => user(context, { address }, shared(first))));
  const told = () => again.flatMap(({ notices }) => notices.map(([, text]) => text)).join('\n');
  await until(() => /Bread/.test(told()) && /Milk/.test(told()), 'both');
  assert.equal(told().match(/Bread|Milk/g).length, 2);
  assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  assert.deepEqual(await unansweredFiles(first), []);
});

test('a file that was broken is told and left, and the others are told', async (context) => {
  const me = new User({});
  await mkdir(me.storage);
  await writeFile(join(me.storage, 'unanswered-1.json'), '[{"title"');
  const entry = { title: 'todos', event: { kind: 'add', title: 'Milk' }, isSent: false };
  await writeFile(join(me.storage, 'unanswered-2.json'), JSON.stringify([entry]));
  const again = await user(context, {}, shared(me));
  await until(() => again.notices.length === 2, 'both');
  assert.match(again.notices[0][1], /can't be read\. It is left in .*unanswered-1\.json\.taken\.$/);
  assert.match(again.notices[1][1], /Not sent: add Milk\.$/);
  assert.equal(await readFile(join(me.storage, 'unanswered-1.json.taken'), 'utf8'), '[{"title"');
  assert.deepEqual(await unansweredFiles(me), ['unanswered-1.json.taken']);
});

test('what an older version has kept is told once, where two windows start at once', async (context) => {
  const entry = { title: 'todos', event: { kind: 'add', title: 'Milk' }, isSent: true };
  const secrets = new Map([['viewModels.unanswered', JSON.stringify([entry])]]);
  const first = await user(context, {}, { secrets, secretsDelay: 20 });
  const second = await user(context, {}, shared(first));
  const told = () => [first, second].flatMap(({ notices }) => notices);
  await until(() => told().length > 0, 'the notice');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const text = 'todos: VS Code was closed before the server had answered. Not sent: add Milk (perhaps handled).';
  assert.deepEqual(told(), [['error', text]]);
  assert.equal(secrets.size, 0);
});

test('the sessions of two windows that open them at once are both kept', async (context) => {
  const address = await serverWithStore(context);
  const first = await user(context, { address }, { secretsDelay: 50 });
  const second = await user(context, { address }, shared(first));
  await Promise.all([open(first, 'todos'), open(second, 'todos')]);
  const keys = () => JSON.parse(first.secrets.get('viewModels.sessions') ?? '[]').length;
  await until(() => keys() === 2, 'both keys');
});
