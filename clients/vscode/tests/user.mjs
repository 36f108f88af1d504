import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverAddress, startServer, until } from '../../javascript/tests/support.mjs';
import { User } from './vscode-stub.mjs';

/** A user with the extension, which is stopped with the test unless it was before, and leaves nothing behind. */
export async function user(context, settings, others = {}) {
  const made = Object.assign(new User({ address: serverAddress, ...settings }), others);
  await made.activate();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await made.deactivate();
    assert.deepEqual(made.violations, []);
    assert.deepEqual([...made.isDisposed].sort(), ['kept', 'log', 'status', 'tree']);
    assert.equal(made.commands.size, 0);
  };
  context.after(stop);
  return Object.assign(made, { stop });
}

/** What another window of the same VS Code has with this one. */
export const shared = ({ secrets, secretsDelay, storage }) => ({ secrets, secretsDelay, storage });

export const asked = (user, kind) => until(() => user.dialog(kind), `a dialog of the kind ${kind}`);

/** Arguments of `todos` for a list that no other test has. */
export const ownList = () => ({ list: randomUUID() });

/** Chooses a view model, with these arguments where it takes some, and gives the panel that is opened. */
export async function open(me, name, given = {}) {
  let isOpen = false;
  const opening = me.run('viewModels.open').then(() => (isOpen = true));
  (await asked(me, 'pick')).answer(name);
  await until(() => isOpen || me.dialog('input'), 'the panel');
  me.dialog('input')?.answer(JSON.stringify(given));
  await opening;
  return ready(me);
}

/** The newest panel, when its page is there. */
export async function ready(me) {
  const panel = me.panels.at(-1);
  await until(() => panel.webview.html, 'the page');
  panel.send({ type: 'ready' });
  return panel;
}

/** Comes back to the session of this view model that is offered. */
export async function comeBack(me, name) {
  const attaching = me.run('viewModels.attach');
  const pick = await asked(me, 'pick');
  pick.answer(pick.items.find(({ label }) => label === name));
  await attaching;
}

export const shows = (panel, text) => until(() => JSON.stringify(panel.messages).includes(text), `${text} in the panel`);

/** On a Unix socket the server knows the user. */
export async function serverWithStore(context, transport = 'tcp') {
  const folder = await mkdtemp(join(tmpdir(), 'view-models-'));
  context.after(() => rm(folder, { recursive: true }));
  const place = transport === 'tcp' ? '127.0.0.1:0' : join(folder, 'socket');
  const store = `sqlite:${join(folder, 'store')}`;
  const { address } = await startServer(context, `--${transport}`, place, '--store', store);
  return transport === 'tcp' ? address : place;
}

/** Gives the key of the session that is shown to others, with which they can do what a label says. */
export async function share(me, label = 'Can edit') {
  const sharing = me.run('viewModels.share');
  const pick = await asked(me, 'pick');
  pick.answer(pick.items.find((item) => item.label === label));
  await sharing;
}
