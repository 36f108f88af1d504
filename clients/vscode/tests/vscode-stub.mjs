// The part of VS Code's interface that the extension uses, and no more: anything else that it touches fails the test.
// `User` sees and acts as a user does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import Module, { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../javascript/tests/support.mjs';

/** All that is there may be used; the rest is noted and refused. */
function strict(name, members, violations) {
  const refuse = (what) => {
    violations.push(`${name}.${String(what)}`);
    throw new Error(`${name}.${String(what)} is not in the table of what the extension may use`);
  };
  return new Proxy(members, {
    get(target, key) {
      if (key in target || typeof key === 'symbol') return target[key];
      // A promise's way to ask whether it is given another.
      return key === 'then' ? undefined : refuse(key);
    },
    set(target, key, value) {
      if (!(key in target)) refuse(`${String(key)} =`);
      target[key] = value;
      return true;
    },
  });
}

const disposable = (dispose = () => {}) => ({ dispose });

const folders = [];
process.on('exit', () => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

function storageFolder() {
  const folder = join(tmpdir(), `view-models-${randomUUID()}`);
  folders.push(folder);
  return folder;
}

/** Someone who looks at VS Code, and uses it. */
export class User {
  violations = [];
  commands = new Map();
  contexts = new Map();
  settings;
  /** Other extensions: `{ packageJSON, extensionUri }`. */
  extensions = [];
  secrets = new Map();
  /** How long the secrets take, in milliseconds. */
  secretsDelay = 0;
  /** Why a secret can't be read now, by its name. */
  unreadable = new Map();
  /** The folder of all windows. VS Code doesn't make it. */
  storage = storageFolder();
  clipboard = '';
  /** Messages: `[kind, text]`. */
  notices = [];
  status = { text: '', isShown: false };
  panels = [];
  /** Texts that were opened in editors. */
  documents = [];
  log = [];
  progress = [];
  isDisposed = new Set();
  /** Questions that wait for the user. */
  #dialogs = [];
  #tree = null;
  #provider = null;
  #changes = 0;
  /** What is drawn of the tree: `{ element, item, children }`. */
  #nodes = [];
  /** Elements that are to be drawn anew; undefined is all. */
  #changed = new Set();
  /** What the user has opened and closed, by ids, as long as it is drawn. */
  #toggled = new Map();
  #toggleListeners = {};
  /** The item that the extension has scrolled to and selected last. */
  revealed = undefined;
  /** The most items that the extension has given for one parent. */
  mostItems = 0;
  #settingsListener = null;
  #extension;
  #panels;
  #context;

  constructor(settings) {
    this.settings = { address: '127.0.0.1:7351', command: [], views: {}, ...settings };
  }

  get vscode() {
    const make = (name, members) => strict(name, members, this.violations);
    const user = this;
    class EventEmitter {
      #listeners = new Set();
      event = (listener) => {
        this.#listeners.add(listener);
        return disposable(() => this.#listeners.delete(listener));
      };
      fire(value) {
        for (const listener of this.#listeners) listener(value);
      }
    }
    return make('vscode', {
      version: '1.82.0',
      EventEmitter,
      TreeItem: class {
        constructor(label, collapsibleState = 0) {
          // Those that the extension may set.
          const others = { id: undefined, description: undefined, iconPath: undefined, command: undefined, contextValue: undefined };
          return make('TreeItem', Object.assign(this, { label, collapsibleState, ...others }));
        }
      },
      TreeItemCollapsibleState: make('TreeItemCollapsibleState', { None: 0, Collapsed: 1, Expanded: 2 }),
      ThemeIcon: class {
        constructor(id, color) {
          this.id = id;
          this.color = color;
        }
      },
      ThemeColor: class {
        constructor(id) {
          this.id = id;
        }
      },
      StatusBarAlignment: make('StatusBarAlignment', { Left: 1 }),
      ProgressLocation: make('ProgressLocation', { Notification: 15 }),
      ViewColumn: make('ViewColumn', { Active: -1 }),
      Uri: make('Uri', {
        joinPath: (base, ...parts) => ({ path: posix.join(base.path, ...parts) }),
        file: (path) => ({ path }),
      }),
      extensions: make('extensions', { all: user.extensions }),
      env: make('env', { clipboard: make('clipboard', { writeText: async (text) => void (user.clipboard = text) }) }),
      commands: make('commands', {
        registerCommand(name, run) {
          assert.ok(!user.commands.has(name), `${name} is registered twice`);
          user.commands.set(name, run);
          return disposable(() => user.commands.delete(name));
        },
        async executeCommand(name, ...given) {
          if (name === 'setContext') return void user.contexts.set(...given);
          return user.run(name, ...given);
        },
      }),
      workspace: make('workspace', {
        getConfiguration(section) {
          assert.equal(section, 'viewModels');
          return make('configuration', { get: (name, otherwise) => user.settings[name] ?? otherwise });
        },
        onDidChangeConfiguration(listener) {
          user.#settingsListener = listener;
          return disposable();
        },
        openTextDocument: async ({ language, content }) => ({ language, content }),
      }),
      window: make('window', {
        createOutputChannel(name, options) {
          assert.deepEqual(options, { log: true });
          const write = (level) => (text) => {
            if (user.isDisposed.has('log')) throw new Error('Channel has been closed');
            user.log.push(`${level}: ${text}`);
          };
          const members = { error: write('error'), warn: write('warn'), info: write('info') };
          return make('OutputChannel', { ...members, dispose: () => user.isDisposed.add('log') });
        },
        createStatusBarItem(alignment) {
          assert.equal(alignment, 1);
          const dispose = () => user.isDisposed.add('status');
          const show = () => (user.status.isShown = true);
          user.status = make('StatusBarItem', { text: '', tooltip: '', command: undefined, isShown: false, show, dispose });
          return user.status;
        },
        createTreeView(id, { treeDataProvider }) {
          if (id === 'viewModels.kept') return user.#createKept(make, treeDataProvider);
          assert.equal(id, 'viewModels.orders');
          user.#provider = treeDataProvider;
          treeDataProvider.onDidChangeTreeData((element) => {
            user.#changes += 1;
            if (user.#changed.size === 0) queueMicrotask(() => user.#drawChanges());
            user.#changed.add(element);
          });
          const on = (kind) => (listener) => ((user.#toggleListeners[kind] = listener), disposable());
          user.#tree = make('TreeView', {
            title: 'Orders',
            message: undefined,
            visible: true,
            dispose: () => user.isDisposed.add('tree'),
            reveal: (element, options) => user.#reveal(element, options),
            onDidExpandElement: on('expand'),
            onDidCollapseElement: on('collapse'),
          });
          return user.#tree;
        },
        showInputBox: (options) => user.#ask('input', options.prompt, options),
        showQuickPick: (items, options) => user.#ask('pick', options.placeHolder, { items }),
        showErrorMessage: (text, ...buttons) => user.#say('error', text, buttons),
        showInformationMessage: (text) => user.#say('information', text),
        showTextDocument: async (document) => void user.documents.push(document),
        showWarningMessage(text, options, ...buttons) {
          return options?.modal ? user.#ask('modal', text, { buttons }) : user.#say('warning', text);
        },
        async withProgress({ location, title, cancellable }, work) {
          assert.deepEqual([location, cancellable], [15, true]);
          const cancellation = new EventEmitter();
          const shown = { title, reports: [], isOver: false, cancel: () => cancellation.fire() };
          user.progress.push(shown);
          const token = make('CancellationToken', { onCancellationRequested: cancellation.event });
          try {
            return await work(make('Progress', { report: (report) => shown.reports.push(report) }), token);
          } finally {
            shown.isOver = true;
          }
        },
        createWebviewPanel: (...given) => user.#createPanel(make, ...given),
      }),
    });
  }

  /** Starts the extension as VS Code does. */
  async activate(folder = fileURLToPath(new URL('..', import.meta.url))) {
    const require = createRequire(import.meta.url);
    const load = Module._load;
    const vscode = this.vscode;
    Module._load = (request, ...others) => (request === 'vscode' ? vscode : load(request, ...others));
    try {
      // As new, for each test.
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      this.#extension = require(join(folder, 'extension.js'));
      this.#panels = require(join(folder, 'panel.js'));
    } finally {
      Module._load = load;
    }
    const make = (name, members) => strict(name, members, this.violations);
    const wait = () => this.secretsDelay && new Promise((resolve) => setTimeout(resolve, this.secretsDelay));
    const secrets = make('secrets', {
      get: async (name) => {
        await wait();
        if (this.unreadable.has(name)) throw new Error(this.unreadable.get(name));
        return this.secrets.get(name);
      },
      store: async (name, value) => (await wait(), void this.secrets.set(name, value)),
      delete: async (name) => (await wait(), void this.secrets.delete(name)),
    });
    const extensionUri = { path: '/extension' };
    const globalStorageUri = { fsPath: this.storage };
    this.#context = make('context', { subscriptions: [], secrets, extensionUri, globalStorageUri });
    await this.#extension.activate(this.#context);
  }

  /** Shows a view of another client, as the extension would. */
  openPanel(client, view) {
    const tell = ({ message }) => this.notices.push(['error', message]);
    return this.#panels.openPanel(this.#context, client, view, tell);
  }

  /** Ends the extension as VS Code does, which doesn't wait before it disposes of the subscriptions. */
  async deactivate() {
    const ending = this.#extension.deactivate();
    for (const one of this.#context.subscriptions) one.dispose();
    await ending;
  }

  /** Chooses a command. */
  run(name, ...given) {
    const run = this.commands.get(name);
    assert.ok(run, `${name} is no command`);
    return run(...given);
  }

  /** The tree as one sees it. */
  get tree() {
    const { title, message } = this.#tree;
    const lines = this.#lines.map(({ label, description, collapsibleState, depth, isOpen }) => {
      const sign = collapsibleState === 0 ? '' : isOpen ? '▾ ' : '▸ ';
      return `${'  '.repeat(depth)}${sign}${label}${description ? ` (${description})` : ''}`;
    });
    return [`[${title}]`, ...(message ? [message] : []), ...lines].join('\n');
  }

  /** The lines of the tree of sessions, each with what `runOn` takes. */
  kept = [];

  #createKept(make, provider) {
    provider.onDidChangeTreeData(() => {
      this.kept = provider.getChildren(undefined).map((element) => {
        const item = provider.getTreeItem(element);
        return { ...item, line: `${item.label} (${item.description})`, element };
      });
    });
    return make('TreeView', { dispose: () => this.isDisposed.add('kept') });
  }

  /** Whether what the tree shows is dimmed. */
  get isDimmed() {
    const lines = this.#lines;
    return lines.length > 0 && lines.every(({ iconPath }) => iconPath.color?.id === 'disabledForeground');
  }

  get #lines() {
    const lines = (nodes, depth) => {
      return nodes.flatMap(({ item, isOpen, children }) => [{ ...item, depth, isOpen }, ...lines(children, depth + 1)]);
    };
    return lines(this.#nodes, 0);
  }

  get #allNodes() {
    const all = (nodes) => nodes.flatMap((node) => [node, ...all(node.children)]);
    return all(this.#nodes);
  }

  /** Asks for what changed, and for the children of what is open, as VS Code does. What isn't drawn is forgotten. */
  #drawChanges() {
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.includes(undefined)) this.#nodes = this.#draw(undefined);
    else {
      for (const node of this.#allNodes.filter(({ element }) => changed.includes(element))) {
        node.item = this.#provider.getTreeItem(node.element);
        if (node.isOpen) node.children = this.#draw(node.element);
      }
    }
    const ids = this.#allNodes.flatMap(({ item }) => item.id ?? []);
    assert.equal(new Set(ids).size, ids.length, 'two items of the tree have the same id');
    for (const id of this.#toggled.keys()) if (!ids.includes(id)) this.#toggled.delete(id);
  }

  #draw(parent) {
    const elements = this.#provider.getChildren(parent);
    this.mostItems = Math.max(this.mostItems, elements.length);
    return elements.map((element) => {
      const item = this.#provider.getTreeItem(element);
      const isOpen = item.collapsibleState > 0 && (this.#toggled.get(item.id) ?? item.collapsibleState === 2);
      return { element, item, isOpen, children: isOpen ? this.#draw(element) : [] };
    });
  }

  async #reveal(element, options) {
    assert.deepEqual(options, { select: true, focus: false });
    await undefined;
    const parent = this.#provider.getParent(element);
    const nodes = parent ? this.#allNodes.find((node) => node.element === parent).children : this.#nodes;
    const { id } = this.#provider.getTreeItem(element);
    this.revealed = nodes.find(({ item }) => item.id === id).item.label;
  }

  #node(label) {
    const node = this.#allNodes.find(({ item }) => item.label === label);
    assert.ok(node, `${label} is not in the tree:\n${this.tree}`);
    return node;
  }

  /** Opens or closes a line of the tree. */
  toggle(label) {
    const node = this.#node(label);
    node.isOpen = !node.isOpen;
    this.#toggled.set(node.item.id, node.isOpen);
    node.children = node.isOpen ? this.#draw(node.element) : [];
    this.#toggleListeners[node.isOpen ? 'expand' : 'collapse']({ element: node.element });
  }

  /** The number of times that the tree was to draw itself. */
  get treeChanges() {
    return this.#changes;
  }

  /** Clicks on a line of the tree, once it is there. */
  async click(label) {
    await until(() => this.#lines.some((line) => line.label === label), `${label} in the tree`);
    const { item } = this.#node(label);
    return this.run(item.command.command, ...(item.command.arguments ?? []));
  }

  /** The question of this kind that waits, if there is one. */
  dialog(kind) {
    return this.#dialogs.find((dialog) => dialog.kind === kind);
  }

  changeSettings(settings) {
    Object.assign(this.settings, settings);
    this.#settingsListener({ affectsConfiguration: (section) => section === 'viewModels' });
  }

  /** One with buttons is a notice, and waits for the user to choose one. */
  #say(kind, text, buttons = []) {
    this.notices.push([kind, text]);
    return buttons.length > 0 ? this.#ask('notice', text, { buttons }) : Promise.resolve(undefined);
  }

  #ask(kind, text, details) {
    return new Promise((resolve) => {
      const answer = (value) => {
        this.#dialogs = this.#dialogs.filter((other) => other !== dialog);
        resolve(value);
      };
      const dialog = { kind, text, ...details, answer };
      this.#dialogs.push(dialog);
    });
  }

  #createPanel(make, kind, title, column, options) {
    assert.deepEqual([kind, column], ['viewModels.panel', -1]);
    const { localResourceRoots: roots, ...others } = options;
    assert.deepEqual(others, { enableScripts: true, retainContextWhenHidden: true });
    assert.deepEqual(roots[0], { path: '/extension/media' });
    let receive;
    let disposed;
    const panel = { title, roots: roots.map(({ path }) => path), messages: [], isDisposed: false, send: (message) => receive(message) };
    const webview = make('Webview', {
      cspSource: 'https://webview.example',
      html: '',
      asWebviewUri: ({ path }) => `https://webview.example${path}`,
      onDidReceiveMessage: (listener) => ((receive = listener), disposable()),
      postMessage: async (message) => {
        // Messages to the page are copied.
        panel.messages.push(structuredClone(message));
        return true;
      },
    });
    panel.webview = webview;
    panel.close = () => {
      if (panel.isDisposed) return;
      panel.isDisposed = true;
      disposed();
    };
    this.panels.push(panel);
    return make('WebviewPanel', {
      webview,
      dispose: panel.close,
      onDidDispose: (listener) => ((disposed = listener), disposable()),
    });
  }
}
