// The connection to the server that the settings name: made when it is needed, and shown in the status bar.
'use strict';

const { randomBytes } = require('node:crypto');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const vscode = require('vscode');
const { Sessions } = require('./sessions.js');
const { isHeld, keepUnanswered, stalled, words } = require('./unsent.js');

const tokenName = 'viewModels.token';

/** The client is a copy of its own in a package, and the one beside it in a checkout. */
function loadModule() {
  const copy = join(__dirname, 'javascript');
  const folder = existsSync(copy) ? copy : join(__dirname, '../javascript');
  return import(pathToFileURL(join(folder, 'view-model-client.js')).href);
}

class Server {
  /** Those that the user has opened. */
  sessions;
  #secrets;
  #storage;
  #log;
  #status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  #connecting = null;
  #client = null;
  /** A promise for each connection that is being ended. */
  #closing = new Set();
  /** Those that are shown. */
  #views = new Set();
  /** Differs after each `close()`. */
  #number = 0;
  /** What the status bar says of the connection, before the number of events that wait. */
  #text = '';
  #tooltip = '';
  /** By it sessions know this window, over all its connections. */
  #name = `vscode-${randomBytes(12).toString('base64url')}`;
  /** Whether the user was warned of what waits, in this absence of the server. */
  #hasWarned = false;
  #isAwayForLong = false;

  constructor(secrets, storage, log) {
    this.#secrets = secrets;
    this.#storage = storage;
    this.sessions = new Sessions(secrets, storage);
    this.#log = log;
    this.#status.command = 'viewModels.reconnect';
  }

  /** A client that is connected, or comes back by itself. */
  async client() {
    const connecting = (this.#connecting ??= this.#connect());
    try {
      return await connecting;
    } catch (error) {
      // It may have a successor.
      if (this.#connecting === connecting) this.#connecting = null;
      throw error;
    }
  }

  /**
   * Opens a view model; while the connection is lost, with a notification that can give it up.
   *
   * @returns the view; undefined where it was given up
   */
  async open(viewModel, given) {
    const client = await this.client();
    if (client.state === 'connected') return this.#add(client, await client.open(viewModel, given), given);
    const title = `${viewModel} opens when the connection is back`;
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, async (_, token) => {
      const controller = new AbortController();
      const cancelling = token.onCancellationRequested(() => controller.abort());
      try {
        return this.#add(client, await client.open(viewModel, given, { signal: controller.signal }), given);
      } catch (error) {
        if (error.name !== 'AbortError') throw error;
      } finally {
        cancelling.dispose();
      }
    });
  }

  /** Shows a session that is there already. */
  async attach(key) {
    const client = await this.client();
    try {
      return this.#add(client, await client.attach(key));
    } catch (error) {
      // A server without a store, as one may be for a while, knows none of before.
      if (error.name === 'UnknownSession' && client.capabilities.durable) this.sessions.forget(key);
      throw error;
    }
  }

  #add(client, view, given) {
    this.sessions.add(client, view, given);
    return this.watch(view);
  }

  /** Counts in the status bar what waits to be sent. The view's events still wait for their first listener. */
  watch(view) {
    this.#views.add(view);
    view.onDelivery(() => isHeld(view) && this.#showStatus());
    view.onAttached(() => this.#showStatus());
    view.onStall(() => this.#showStatus());
    return view;
  }

  async reconnect() {
    (await this.client()).reconnect();
  }

  async askForToken() {
    const prompt = 'The token of the server; empty for none';
    const token = await vscode.window.showInputBox({ prompt, password: true });
    if (token === undefined) return;
    if (token === '') await this.#secrets.delete(tokenName);
    else await this.#secrets.store(tokenName, token);
    await this.close();
  }

  /** The next command connects again, with the settings as they are then. Waits for those, too, that end already. */
  async close() {
    if (this.#connecting) {
      const closing = closed(this.#connecting);
      this.#closing.add(closing);
      closing.then(() => this.#closing.delete(closing));
    }
    this.#connecting = null;
    this.#number += 1;
    await Promise.all(this.#closing);
  }

  /** VS Code ends. */
  async end() {
    await keepUnanswered(this.#storage, this.#log, () => this.close());
    this.#status.dispose();
    this.#log.dispose();
  }

  async #connect() {
    const number = this.#number;
    const { connect } = await loadModule();
    const target = this.#target();
    const token = await this.#secrets.get(tokenName);
    const clientInfo = { name: 'vscode', version: vscode.version };
    const listeners = {
      state: (state, details) => this.#show(state, details, target, number),
      stall: (stall) => this.#showStall(stall),
      log: ({ level, message }) => this.#write(level, message),
      error: (error) => this.#write('error', error.message),
    };
    let client;
    try {
      client = await connect(target, { token, clientInfo, clientName: this.#name, listeners, views: true });
    } catch (error) {
      if (error.name !== 'Unauthorized') throw new Error(`The view model server can't be reached: ${error.message}.`);
      throw new Error(`${error.message}. The command "View Models: Set Token…" sets another.`);
    }
    // Else it is closed already, and may have a successor.
    if (number === this.#number) this.#client = client;
    return client;
  }

  #target() {
    const settings = vscode.workspace.getConfiguration('viewModels');
    const command = settings.get('command', []);
    if (command.length > 0) return { command };
    const address = settings.get('address', '');
    if (/^wss?:/.test(address)) return { webSocket: address };
    return address.startsWith('/') ? { unix: address } : { tcp: address };
  }

  #write(level, message) {
    if (level === 'error') this.#log.error(message);
    else if (level === 'warning') this.#log.warn(message);
    else this.#log.info(message);
  }

  #show(state, { delay, message, attempt = 0 }, target, number) {
    this.#write('info', `${state}${message ? `: ${message}` : ''}`);
    // One that was closed here has a successor, which is what the status bar is about.
    if (number !== this.#number && this.#connecting) return;
    const where = Object.values(target).flat().join(' ');
    const texts = {
      connecting: `$(sync~spin) View models: connecting`,
      connected: `$(pass) View models`,
      silent: `$(warning) View models: the server doesn't answer`,
      waiting: `$(warning) View models: trying again in ${Math.ceil(delay / 1_000)} s`,
      closed: `$(circle-slash) View models: closed`,
    };
    this.#text = texts[state];
    this.#tooltip = message ? `${where}: ${message}` : where;
    if (state === 'connected') this.#hasWarned = false;
    // Most lost connections are made again at once.
    this.#isAwayForLong = state === 'silent' || (state !== 'connected' && (this.#client?.isSilent || attempt > 3));
    this.#showStatus();
    this.#status.show();
    // It won't come back by itself: the next user of it connects again.
    if (state === 'closed' && number === this.#number) this.#connecting = null;
  }

  /** The connection stays as it is. */
  #showStall(stall) {
    if (stall === undefined) this.#hasWarned = false;
    else this.#write('warning', `The ${stalled(stall)}.`);
    this.#showStatus();
  }

  #showStatus() {
    for (const view of this.#views) if (view.closed) this.#views.delete(view);
    const waiting = [...this.#views].filter(isHeld).flatMap(({ pending }) => pending);
    const stall = this.#client?.isSilent ? undefined : this.#client?.stall;
    const count = waiting.length === 0 ? '' : `, ${waiting.length} to be sent`;
    const text = stall === undefined ? this.#text : `$(warning) View models: the server can't store anything now`;
    this.#status.text = `${text}${count}`;
    const names = waiting.map(({ event }) => words(event));
    this.#status.tooltip = [this.#tooltip, ...(stall === undefined ? [] : [stall]), ...names].join('\n');
    if (names.length === 0 || this.#hasWarned || !(this.#isAwayForLong || stall !== undefined)) return;
    this.#hasWarned = true;
    this.#warn(names, stall);
  }

  #warn(names, stall) {
    const away = this.#client?.isSilent ? "server doesn't answer" : "server can't be reached";
    const why = `The view model ${stall === undefined ? away : stalled(stall)}`;
    vscode.window.showWarningMessage(`${why}. What waits is lost if VS Code is closed now: ${names.join(', ')}.`);
  }
}

async function closed(connecting) {
  try {
    await (await connecting).close();
  } catch {
    // It never was connected, and that was said.
  }
}

module.exports = { Server };
