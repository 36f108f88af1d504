import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { settled, startServer, stop, until } from '../../javascript/tests/support.mjs';
import { asked, open, serverWithStore, shared, shows, user } from './user.mjs';
import { User } from './vscode-stub.mjs';

const texts = (...users) => users.flatMap(({ notices }) => notices.map(([, text]) => text));

/** A server that may stand still when it is ended. */
async function startStopped(context) {
  const started = {};
  // Hooks run in their order, and the server's waits for its end.
  context.after(() => process.kill(started.child.pid, 'SIGCONT'));
  return Object.assign(started, await startServer(context, '--tcp', '127.0.0.1:0'));
}

/** A panel of this server, which stands still from then on. */
async function openAndStop(me, { child, address }) {
  me.changeSettings({ address });
  const panel = await open(me, 'todos');
  await shows(panel, 'changed');
  await stop(child.pid);
  return panel;
}

/** As on a disk that has no room for longer texts: their beginning is written. */
function fillDisk(context, most) {
  const write = fs.writeFileSync;
  const { mock } = context.mock.method(fs, 'writeFileSync', (file, text, ...others) => {
    write(file, text.slice(0, most), ...others);
    if (text.length > most) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  return mock;
}

const unansweredFiles = async ({ storage }) => {
  const names = await readdir(storage).catch(() => []);
  return names.filter((name) => name.startsWith('unanswered'));
};

test('what is not answered as VS Code ends is told at the next start, once', async (context) => {
  const me = await user(context);
  const panel = await openAndStop(me, await startStopped(context));
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  await me.stop();
  assert.match(me.log.join('\n'), /todos: VS Code was closed before an answer came: add Bread/);
  const again = await user(context, {}, shared(me));
  const notice = await asked(again, 'notice');
  const text = 'todos: VS Code was closed before the server had answered. Not sent: add Bread (perhaps handled).';
  assert.deepEqual(again.notices, [['error', text]]);
  notice.answer('Open in Editor');
  await until(() => again.documents.length === 1, 'the editor');
  assert.deepEqual(JSON.parse(again.documents[0].content), [{ kind: 'add', title: 'Bread' }]);
  assert.deepEqual(await unansweredFiles(me), []);
});

test('what a connection that was being ended has not answered is told at the next start, once', async (context) => {
  const me = await user(context);
  const panel = await openAndStop(me, await startStopped(context));
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  me.changeSettings({ address: '127.0.0.1:1' });
  await me.stop();
  assert.deepEqual(me.notices, []);
  const again = await user(context, {}, shared(me));
  await asked(again, 'notice');
  const text = 'todos: VS Code was closed before the server had answered. Not sent: add Bread (perhaps handled).';
  assert.deepEqual(again.notices, [['error', text]]);
  assert.deepEqual(await unansweredFiles(me), []);
});

test('what several connections that end at once have not answered is told once each', async (context) => {
  const me = await user(context);
  for (const title of ['Bread', 'Milk']) {
    const panel = await openAndStop(me, await startStopped(context));
    panel.send({ type: 'send', id: 1, event: { kind: 'add', title } });
  }
  // The first has ended before that, and was told here, where the machine is slow.
  await me.stop();
  const again = await user(context, {}, shared(me));
  const told = () => texts(me, again).join('\n');
  await until(() => /Milk/.test(told()), 'the second');
  assert.deepEqual(told().match(/Bread|Milk/g).sort(), ['Bread', 'Milk']);
  assert.match(texts(again).join(), /^todos: VS Code was closed before the server had answered\. .*Milk/);
});

test('a connection that fails late takes nothing from the one after it', async (context) => {
  const sockets = [];
  const mute = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1');
  context.after(() => mute.close());
  await until(() => mute.address(), 'a server that says nothing');
  const me = await user(context, { address: `127.0.0.1:${mute.address().port}` });
  const connecting = me.run('viewModels.reconnect');
  await until(() => sockets.length > 0, 'the first connection');
  const panel = await openAndStop(me, await startStopped(context));
  sockets[0].destroy();
  await connecting;
  assert.match(me.notices.pop()[1], /can't be reached/);
  assert.equal(me.status.text, '$(pass) View models');
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  await me.stop();
  const again = await user(context, {}, shared(me));
  await asked(again, 'notice');
  assert.match(texts(me, again).join('\n'), /^todos: VS Code was closed before .*Not sent: add Bread \(perhaps handled\)\.$/);
});

test('what a full disk has room for is kept, and the rest is named at the next start', async (context) => {
  const me = await user(context);
  const panel = await openAndStop(me, await startStopped(context));
  for (const title of ['Bread', 'x'.repeat(2_000), 'Milk', 'y'.repeat(2_000), 'Eggs']) {
    panel.send({ type: 'send', id: title, event: { kind: 'add', title } });
  }
  const disk = fillDisk(context, 1_000);
  await me.stop();
  disk.restore();
  assert.deepEqual(me.notices, []);
  const [file, ...others] = await unansweredFiles(me);
  assert.deepEqual([/\.json$/.test(file), others], [true, []]);
  const again = await user(context, {}, shared(me));
  const notice = await asked(again, 'notice');
  const cut = (letter) => `add ${letter.repeat(59)}… (there was no room to keep all of it) (perhaps handled)`;
  const names = `add Bread (perhaps handled), ${cut('x')}, add Milk (perhaps handled), ${cut('y')}, add Eggs (perhaps handled)`;
  assert.deepEqual(texts(again), [`todos: VS Code was closed before the server had answered. Not sent: ${names}.`]);
  notice.answer('Open in Editor');
  await until(() => again.documents.length === 1, 'the editor');
  assert.deepEqual(JSON.parse(again.documents[0].content).map(({ title }) => title), ['Bread', 'Milk', 'Eggs']);
});

test('what can not be kept at all is told by the window that ends', async (context) => {
  const me = await user(context);
  const panel = await openAndStop(me, await startStopped(context));
  panel.send({ type: 'send', id: 1, event: { kind: 'add', title: 'Bread' } });
  fillDisk(context, 0);
  await me.stop();
  assert.deepEqual(texts(me), ['todos: the client was closed. Not sent: add Bread (perhaps handled).']);
  assert.match(me.log.join('\n'), /error: What isn't answered can't be kept: ENOSPC/);
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
  const first = await user(context, {}, { secretsDelay: 20 });
  const second = await user(context, {}, shared(first));
  for (const [me, title] of [[first, 'Bread'], [second, 'Milk']]) {
    const panel = await openAndStop(me, await startStopped(context));
    panel.send({ type: 'send', id: 1, event: { kind: 'add', title } });
  }
  await Promise.all([first.stop(), second.stop()]);
  const files = await unansweredFiles(first);
  const modes = await Promise.all(['.', ...files].map(async (name) => (await stat(join(first.storage, name))).mode & 0o777));
  const again = await Promise.all([1, 2].map(() => user(context, {}, shared(first))));
  const told = () => texts(...again).join('\n');
  await until(() => /Bread/.test(told()) && /Milk/.test(told()), 'both');
  assert.equal(told().match(/Bread|Milk/g).length, 2);
  assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  assert.deepEqual(await unansweredFiles(first), []);
});

/** What windows that ended have kept: a file of each text. */
async function storageWith(...texts) {
  const me = new User({});
  await mkdir(me.storage);
  for (const [index, text] of texts.entries()) await writeFile(join(me.storage, `unanswered-${index + 1}.json`), text);
  return me;
}

const kept = (title, isSent = false) => JSON.stringify([{ title: 'todos', event: { kind: 'add', title }, isSent }]);

test('a file that was broken is told and left, and the others are told', async (context) => {
  const me = await storageWith('[{"title"', kept('Milk'));
  const again = await user(context, {}, shared(me));
  await until(() => again.notices.length === 2, 'both');
  assert.match(again.notices[0][1], /can't be read\. It is left in .*unanswered-1\.json\.taken\.$/);
  assert.match(again.notices[1][1], /Not sent: add Milk\.$/);
  assert.equal(await readFile(join(me.storage, 'unanswered-1.json.taken'), 'utf8'), '[{"title"');
  assert.deepEqual(await unansweredFiles(me), ['unanswered-1.json.taken']);
});

test('a file that can not be taken is told, and the others are told', async (context) => {
  const me = await storageWith(kept('Milk'), kept('Bread'), kept('Eggs'));
  const rename = fs.renameSync;
  context.mock.method(fs, 'renameSync', (from, to) => {
    if (from.endsWith('unanswered-2.json')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    rename(from, to);
  });
  const again = await user(context, {}, shared(me));
  await until(() => again.notices.length === 2, 'both');
  assert.match(again.notices[0][1], /can't be read\. It is left in .*unanswered-2\.json\.$/);
  assert.match(again.notices[1][1], /Not sent: add Milk, add Eggs\.$/);
});

test('what an older version has kept is told once, where two windows start at once', async (context) => {
  const { storage } = await storageWith();
  // It is another window's turn, until both know that there is something.
  await mkdir(join(storage, 'turn'));
  const secrets = new Map([['viewModels.unanswered', kept('Milk', true)]]);
  const [asked, removed] = ['get', 'delete'].map((name) => context.mock.method(secrets, name).mock);
  const windows = [1, 2].map(() => user(context, {}, { secrets, storage }));
  const told = (await Promise.all(windows)).map(({ notices }) => notices);
  await until(() => asked.callCount() >= 2, 'both');
  await rmdir(join(storage, 'turn'));
  await until(() => removed.callCount() >= 2, 'the turns of both');
  await settled();
  const text = 'todos: VS Code was closed before the server had answered. Not sent: add Milk (perhaps handled).';
  assert.deepEqual(told.flat(), [['error', text]]);
  assert.equal(secrets.size, 0);
});
