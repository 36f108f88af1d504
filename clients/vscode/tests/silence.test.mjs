import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serverPath, startServer, stop, until } from '../../javascript/tests/support.mjs';
import { open, shows, user } from './user.mjs';

for (const [name, where] of Object.entries({ 'over TCP': 'address', 'of its own': 'command' })) {
  test(`a server ${name} stands still, which is noticed, and all goes on when it does`, async (context) => {
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
    await until(() => me.status.text === '$(pass) View models', 'the connection in the status bar');
    assert.equal(me.notices.length, 1);
  });
}

/** The file of a store, with what SQLite has beside it, that can be moved away and back. */
async function storeFile(test) {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  test.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const move = async (source, target) => {
    for (const beside of ['', '-wal', '-shm']) await rename(`${path}${source}${beside}`, `${path}${target}${beside}`);
  };
  return { path, move: () => move('', '.away'), moveBack: () => move('.away', '') };
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
  assert.deepEqual([away().text, me.notices.length], [undefined, 1]);
});
