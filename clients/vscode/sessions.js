// The sessions that the user has opened: which are shown, how one comes back to them, and what is asked as they end.
'use strict';

const vscode = require('vscode');
const { isHeld, words } = require('./unsent.js');

const item = 'viewModels.sessions';
/** Older ones give way. The list is searched by typing. */
const most = 100;

/** The user has opened a session, come back to one, left one or ended one. */
const changed = new vscode.EventEmitter();

/** The arguments, by views. Of a session that the user has come back to they aren't known. */
const openedWith = new WeakMap();

/** Their keys are as good as passwords, so those that outlive this window are kept as a secret. */
class Sessions {
  #secrets;
  #storage;
  /** `{ client, view }` of each that is shown, and that no other view model shows. */
  #shown = new Set();
  /** `{ viewModel, key, used }` of those that this window has shown, the newest first. */
  #recent = [];
  /** The change of what is kept that was asked for last: they are made one after the other. */
  #keeping = Promise.resolve();
  /** What the user knows of the keeping that fails, by its first words. */
  #warnings = new Set();

  constructor(secrets, storage) {
    this.#secrets = secrets;
    this.#storage = storage;
  }

  /**
   * The view of a session that the user has opened with the given arguments, or come back to. Its events still wait for
   * their first listener.
   */
  add(client, view, given) {
    if (given) openedWith.set(view, given);
    this.#shown.add({ client, view });
    changed.fire();
    const session = { viewModel: view.viewModel, key: view.key, used: Date.now() };
    this.#recent = newest(session, this.#recent);
    if (client.capabilities.durable) this.#keep((kept) => newest(session, kept));
  }

  /** The newest ones, of this window and of those before it. */
  async recent() {
    await this.#keeping;
    const kept = await this.#kept().catch(({ message }) => {
      this.#warnOnce("The sessions of before can't be offered", message);
      return [];
    });
    const isRecent = ({ key }) => this.#recent.some((other) => other.key === key);
    return [...this.#recent, ...kept.filter((session) => !isRecent(session))].slice(0, most);
  }

  /** It is gone. */
  forget(key) {
    this.#recent = this.#recent.filter((other) => other.key !== key);
    this.#keep((kept) => kept.filter((other) => other.key !== key));
  }

  /** The one that is shown, or that the user chooses; undefined where the user gives up. */
  async choose() {
    for (const shown of this.#shown) if (shown.view.closed) this.#shown.delete(shown);
    const items = [...this.#shown].map((shown) => ({ ...labels(shown.view), ...shown }));
    if (items.length === 0) throw new Error('No session is shown.');
    if (items.length === 1) return items[0];
    return vscode.window.showQuickPick(items, { placeHolder: 'Which session?' });
  }

  /** The key of a session to come back to; undefined where the user gives up. */
  async chooseKey() {
    const recent = await this.recent();
    if (recent.length > 0) {
      const items = recent.map((session) => ({ ...labels(session), key: session.key }));
      const another = { label: 'Another Key…' };
      const chosen = await vscode.window.showQuickPick([...items, another], { placeHolder: 'Which session?' });
      if (chosen === undefined || chosen.key) return chosen?.key;
    }
    const prompt = "The key of a session, or the link that the web page's Share gives";
    const text = await vscode.window.showInputBox({ prompt });
    // The key is the last part of a link.
    return text?.trim().split('/').at(-1) || undefined;
  }

  /** Rejects where the secret can't be read: it may have sessions. */
  async #kept() {
    const text = (await this.#secrets.get(item)) ?? '[]';
    try {
      return JSON.parse(text);
    } catch {
      return [];
    }
  }

  #keep(change) {
    const turn = async () => {
      const before = await this.#kept();
      const after = change(before);
      if (JSON.stringify(after) !== JSON.stringify(before)) await this.#secrets.store(item, JSON.stringify(after));
    };
    // Other windows keep theirs in the same secret. Keys don't belong in a file.
    this.#keeping = this.#keeping.then(() => this.#storage.alone(turn)).catch(({ message }) => {
      // This window goes on with what it knows.
      this.#warnOnce("After a restart, the sessions of now can't be offered", message);
    });
  }

  #warnOnce(text, reason) {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    const way = '“View Models: Share Session…” has what comes back to one.';
    vscode.window.showWarningMessage(`${text}: ${reason}. ${way}`);
  }
}

function newest(session, others) {
  return [session, ...others.filter(({ key }) => key !== session.key)].slice(0, most);
}

function labels({ viewModel, key, used }) {
  const when = used ? ` · ${new Date(used).toLocaleString()}` : '';
  return { label: viewModel, description: `${key.slice(0, 8)}…${when}` };
}

/** Leaves a session that goes on, once what was done in it has been sent, and says how one comes back. */
async function leave(client, view) {
  const waiting = isHeld(view) ? view.pending.map(({ event }) => words(event)) : [];
  if (waiting.length > 0) {
    const text = `${view.viewModel} still waits for the server, to be sent: ${waiting.join(', ')}.`;
    vscode.window.showWarningMessage(`${text} It is lost if VS Code is closed before.`);
  }
  await leaveQuietly(view);
  if (!client.capabilities.durable || view.closed.reason !== 'detached') return;
  vscode.window.showInformationMessage(`${view.viewModel} is kept, if it is durable: ${wayBack(client, view)}.`);
}

function wayBack(client, view) {
  const given = openedWith.get(view);
  const isFound = client.scopeOf(view.viewModel) !== undefined && given !== undefined;
  if (!isFound) return '“View Models: Attach to Session…” comes back to it';
  // With other arguments it would be another session.
  const words = Object.keys(given).length > 0 ? ` with ${JSON.stringify(given)}` : '';
  return `“View Models: Open…”${words} finds it`;
}

async function leaveQuietly(view) {
  if (view.pending.length > 0) {
    await new Promise((resolve) => {
      view.onDelivery(() => view.pending.length === 0 && resolve());
      view.onClosed(resolve);
    });
  }
  await view.detach();
  changed.fire();
}

/**
 * Ends a session for everyone, after a question where others see it or the server may keep it. One of the scope `everyone`
 * is only left, by the same request.
 */
async function end(client, view) {
  if (client.scopeOf(view.viewModel) === 'everyone') {
    await view.endSession();
    changed.fire();
    vscode.window.showInformationMessage(`${view.viewModel} is left. Its session stays for the others.`);
    return;
  }
  const { sessions } = await client.request('session/list');
  const others = (sessions.find(({ key }) => key === view.key)?.views ?? 1) - 1;
  const reasons = [];
  if (others === 1) reasons.push('It has another view, which ends with it.');
  if (others > 1) reasons.push(`It has ${others} other views, which end with it.`);
  if (client.capabilities.durable) reasons.push('What the server has stored of it is removed.');
  if (reasons.length > 0) {
    const question = `End the session of ${view.viewModel}? ${reasons.join(' ')}`;
    if ((await vscode.window.showWarningMessage(question, { modal: true }, 'End Session')) !== 'End Session') return;
  }
  await view.endSession();
  changed.fire();
}

module.exports = { Sessions, end, onDidChange: changed.event, leave, leaveQuietly };
