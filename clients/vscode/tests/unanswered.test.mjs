import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, stop, until } from '../../javascript/tests/support.mjs';
import { asked, open, serverWithStore, shared, shows, user } from './user.mjs';
import { User } from './vscode-stub.mjs';

const unansweredFiles = async ({ storage }) => {
  const names = await readdir(storage).catch(() => []);
  return names.filter((name) => name.startsWith('unanswered'));
};

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
