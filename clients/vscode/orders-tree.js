// The orders as a tree: the list, or the details that stand on it, whichever is in front; a question comes as a dialog.
'use strict';

const vscode = require('vscode');
const { List, Page, Row, icon } = require('./orders-list.js');
const { leave, leaveQuietly } = require('./sessions.js');
const { away, giveBackFrom, isHeld, takeDropped, tellEnd, track } = require('./unsent.js');
const { ordersName, treeRole } = require('./views.js');

class OrdersTree {
  /** The tree's view, which shows whether something is on its way. */
  tree;
  #server;
  #tell;
  #openChild;
  /** The list, and the details on it. */
  #layers = [];
  #client = null;
  #opening = null;
  /** The keys of children that are shown, or will be soon. */
  #children = new Set();
  /** Resolves when the question that was asked last is gone. */
  #question = null;
  #changed = new vscode.EventEmitter();
  onDidChangeTreeData = this.#changed.event;

  /** @param openChild shows a view of a child that isn't the examples' */
  constructor(server, tell, openChild) {
    this.#server = server;
    this.#tell = tell;
    this.#openChild = openChild;
  }

  getTreeItem(item) {
    return item instanceof vscode.TreeItem ? item : item.treeItem();
  }

  getChildren(item) {
    if (item instanceof Page) return item.items();
    return item ? [] : (this.#front?.items() ?? []);
  }

  getParent(item) {
    return item instanceof Row && item.page.isGroup ? item.page : undefined;
  }

  /** The user has opened or closed a page. */
  didToggle(page, isOpen) {
    if (isOpen) page.open();
    else page.isOpen = false;
  }

  /** Shows the details of the order at an index. */
  async select(index) {
    if (this.#front instanceof List) this.#front.chosen = index;
    await this.send({ kind: 'selectOrder', index });
  }

  /** Opens and loads the list, unless it is there. A key binding may say with which arguments. */
  async open(given) {
    if (this.#layers.length > 0) return;
    this.#opening ??= this.#openList(given).finally(() => (this.#opening = null));
    await this.#opening;
  }

  async #openList(given) {
    this.#client = await this.#server.client();
    const name = ordersName(this.#client);
    if (!name) throw new Error("This server doesn't have the orders of the examples. “Open…” has all that it has.");
    const view = await this.#server.open(name, given);
    if (!view) return;
    this.#show(view);
    await this.load();
  }

  /** Shows a list that is there already; false where another one is shown. */
  adopt(client, view) {
    if (this.#layers.length > 0 || this.#opening) return false;
    this.#client = client;
    this.#show(view);
    this.#front.begin();
    return true;
  }

  /** Loads the list, with a notification that can cancel it. */
  async load() {
    const [list] = this.#layers;
    if (!list) return;
    const options = { location: vscode.ProgressLocation.Notification, title: 'Loading orders', cancellable: true };
    await vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      const cancelling = token.onCancellationRequested(() => controller.abort());
      let end = () => {};
      let ended;
      const onProgress = ({ kind, message, percentage }) => {
        if (kind === 'begin') ended = new Promise((resolve) => (end = resolve));
        if (kind === 'end') end();
        else progress.report({ message, increment: percentage });
      };
      try {
        await list.view.send({ kind: 'loadOrders' }, { signal: controller.signal, onProgress });
        // Work that goes on after the answer is shown until its end, which always comes.
        await ended;
      } finally {
        cancelling.dispose();
      }
    });
  }

  /** An order that is chosen while a question is still on its way out comes after it. */
  async send(event) {
    await this.#question;
    await this.#front?.view.send(event);
  }

  async editNote() {
    const details = this.#front;
    const value = await vscode.window.showInputBox({ prompt: details.title, value: details.note });
    if (value !== undefined) await details.view.send({ kind: 'editNote', value });
  }

  async back() {
    await this.#question;
    await this.#front?.view.back();
  }

  /** Leaves the session, with what it shows. */
  async close() {
    const [root, ...children] = this.#layers;
    for (const { view } of children.reverse()) await leaveQuietly(view);
    if (root) await leave(this.#client, root.view);
  }

  get #front() {
    return this.#layers.at(-1);
  }

  #show(view) {
    const role = treeRole(this.#client, view.viewModel);
    if (role === 'confirmCancel') return this.#ask(view);
    if (!role) return void this.#openChild(this.#client, view);
    const didRead = (page) => this.#front === layer && this.#refresh(page);
    const layer = role === 'orders' ? new List(view, didRead) : new Details(view);
    this.#layers.push(layer);
    view.onSnapshot((_, { navigation }) => {
      layer.forget();
      for (const child of [...navigation.stack, navigation.presented]) if (child) this.#attach(child.key);
    });
    view.onAny((event, { more }) => {
      layer.take(event);
      if (event.kind === 'failed') this.#tell(new Error(event.message));
      if (!more) this.#refresh();
    });
    view.onNavigation(({ action, key }) => {
      if (action === 'push' || action === 'present') this.#attach(key);
    });
    view.onDelivery(() => isHeld(view) && this.#refresh());
    view.onAttached(() => this.#refresh());
    view.onStall(() => this.#refresh());
    giveBackFrom(layer.title, view);
    track(layer.title, view);
    view.onClosed(({ reason }) => {
      this.#layers = this.#layers.filter((other) => other !== layer);
      const dropped = takeDropped(view);
      const isExpected = ['closed', 'detached', 'popped', 'dismissed'].includes(reason) && dropped.length === 0;
      if (!isExpected) tellEnd(layer.title, view, dropped);
      this.#refresh();
      this.#reveal();
    });
    this.#refresh();
  }

  async #attach(key) {
    if (this.#children.has(key)) return;
    this.#children.add(key);
    try {
      const view = this.#server.watch(await this.#client.attach(key));
      view.onClosed(() => this.#children.delete(key));
      this.#show(view);
    } catch (error) {
      // It may be gone again before it was shown.
      if (error.name !== 'UnknownSession') this.#tell(error);
    }
  }

  /** A dialog stays until it is answered; an answer to a question that is gone has no effect. */
  #ask(view) {
    track(this.#front?.title ?? 'Orders', view);
    this.#question = new Promise((resolve) => view.onClosed(resolve));
    view.on('question', async ({ value }) => {
      const answer = await vscode.window.showWarningMessage(value, { modal: true }, 'Cancel Order', 'Keep Order');
      if (view.closed) return;
      try {
        await view.send({ kind: answer === 'Cancel Order' ? 'confirm' : 'keep' });
      } catch (error) {
        if (error.name !== 'UnknownSession') this.#tell(error);
      }
    });
  }

  /** A tree that comes back begins at its top: scrolls to the order whose details were shown. */
  async #reveal() {
    const row = this.tree.visible && this.#front?.chosenRow;
    try {
      if (row) await this.tree.reveal(row, { select: true, focus: false });
    } catch {
      // It was drawn without the row meanwhile.
    }
  }

  /** @param page what has changed; undefined for everything */
  #refresh(page) {
    const front = this.#front;
    this.tree.title = front?.title ?? 'Orders';
    this.tree.message = front && (away(this.#client, front.view) ?? front.message);
    vscode.commands.executeCommand('setContext', 'viewModels.front', front?.role);
    this.#changed.fire(page);
  }
}

/** One order's details. */
class Details {
  role = 'orderDetails';
  message = undefined;

  constructor(view) {
    this.view = view;
    this.forget();
  }

  forget() {
    this.title = 'Order';
    this.isCancelled = false;
    this.note = '';
    this.isNoteSaved = true;
  }

  take(event) {
    switch (event.kind) {
      case 'title':
        this.title = event.value;
        break;
      case 'cancelled':
        this.isCancelled = event.value;
        break;
      case 'note':
        this.note = event.value;
        this.isNoteSaved = event.isSaved;
        break;
    }
  }

  items() {
    const state = new vscode.TreeItem(this.isCancelled ? 'Cancelled' : 'Open');
    state.iconPath = icon(this.isCancelled ? 'circle-slash' : 'package', this.view);
    const note = new vscode.TreeItem(this.note || 'No note');
    note.iconPath = icon('note', this.view);
    note.description = this.isNoteSaved ? undefined : 'not saved';
    note.command = { command: 'viewModels.editNote', title: 'Write Note' };
    return [state, note];
  }
}

module.exports = { OrdersTree };
