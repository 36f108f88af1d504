// The sessions that the user may come back to, as the server knows them: from whichever program.
'use strict';

const vscode = require('vscode');
const { end } = require('./sessions.js');

class KeptTree {
  #server;
  /** Those that the server told last, each as an item; null before it was asked. */
  #items = null;
  #changed = new vscode.EventEmitter();
  onDidChangeTreeData = this.#changed.event;

  constructor(server) {
    this.#server = server;
  }

  getTreeItem(item) {
    return item;
  }

  getChildren(parent) {
    return parent ? [] : (this.#items ?? []);
  }

  /** Asks the server. Connects where there is no connection, so only the user begins it. */
  async refresh() {
    const client = await this.#server.client();
    const sessions = await client.keptSessions();
    this.#items = sessions.map((session) => itemOf(session, client.scopeOf(session.viewModel) === 'everyone'));
    await vscode.commands.executeCommand('setContext', 'viewModels.hasAsked', true);
    this.#changed.fire();
  }

  /** Asks again where the list has been seen, as it is another one now. The one of before stays where that fails. */
  async didChange() {
    if (this.#items) await this.refresh().catch(() => {});
  }

  /** Ends the session of an item, unless the user thinks better of it. */
  async end({ id: key }) {
    const client = await this.#server.client();
    const view = await client.attach(key);
    await end(client, view);
    if (!view.closed) await view.detach();
    await this.didChange();
  }
}

function itemOf(session, isShared) {
  const { viewModel, key, title, arguments: given, lastUsed, views } = session;
  const item = new vscode.TreeItem([viewModel, title ?? wordsOf(given)].filter(Boolean).join(': '));
  const count = views > 0 ? (views === 1 ? '1 view' : `${views} views`) : '';
  item.id = key;
  item.description = [ago(lastUsed), count].filter(Boolean).join(', ');
  item.iconPath = new vscode.ThemeIcon(isShared ? 'organization' : 'account');
  // One that is everyone's is nobody's to end.
  item.contextValue = isShared ? 'shared' : 'own';
  item.command = { command: 'viewModels.openKept', title: 'Open', arguments: [key] };
  return item;
}

/** The values of arguments, of which a short one says more than its name. */
function wordsOf(given) {
  if (given === undefined || given === null) return '';
  const values = typeof given === 'object' ? Object.values(given) : [given];
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ').slice(0, 60);
}

const units = [['day', 86_400], ['hour', 3_600], ['minute', 60]];

function ago(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1_000);
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of units) {
    if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
  }
  return 'just now';
}

module.exports = { KeptTree };
