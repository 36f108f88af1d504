// The list of orders in the tree: its rows are the client's, and VS Code is given those of the pages that are open.
'use strict';

const vscode = require('vscode');

/** VS Code is given all items of a parent at once, so a longer list is divided into pages. */
const pageSize = 1_000;

/** An icon, dimmed where what it stands for may be old. */
function icon(name, { isAttached }) {
  const color = isAttached ? undefined : new vscode.ThemeColor('disabledForeground');
  return new vscode.ThemeIcon(name, color);
}

/** The list of orders, as one page, or as several that the user opens. */
class List {
  role = 'orders';
  title = 'Orders';
  pages = [];
  /** The index of the order whose details were asked for last. */
  chosen = null;
  #orders;
  #didRead;

  /** @param didRead is called with the page that has other orders; with undefined where it is the whole tree */
  constructor(view, didRead) {
    this.view = view;
    this.#orders = view.list('orders');
    this.#orders.on('change', ({ edits }) => this.#didChange(edits));
    this.#orders.on('error', (error) => this.#didFail(error));
    this.#didRead = didRead;
    this.forget();
  }

  get message() {
    const [page] = this.pages;
    if (this.isLoading || (page && !page.isGroup && page.isEmpty)) return 'Loading…';
    return this.failure && `The orders could not be loaded: ${this.failure}.`;
  }

  get chosenRow() {
    if (this.chosen === null) return undefined;
    return this.pages[Math.floor(this.chosen / pageSize)]?.rows?.[this.chosen % pageSize];
  }

  #didChange(edits) {
    // Else rows came, and none changed.
    if (edits?.length !== 0) this.#divide();
    this.read();
  }

  /** Shows what came before the list was listened to: a session that is attached has rows. */
  begin() {
    if (this.#orders.count === 0) return;
    this.#divide();
    this.read();
  }

  /** What is shown stays until it is read again. */
  #divide() {
    const { count } = this.#orders;
    this.pages = Array.from({ length: Math.ceil(count / pageSize) }, (_, number) => {
      const page = this.pages[number] ?? new Page(this, number * pageSize);
      page.count = Math.min(pageSize, count - page.first);
      page.isOld = true;
      return page;
    });
    if (this.pages.length === 1) this.pages[0].isOpen = true;
  }

  get #wanted() {
    return this.pages.find(({ isOpen, isOld }) => isOpen && isOld);
  }

  /** Reads a page after the other: the client's list has the rows around one place. */
  read() {
    for (let page = this.#wanted; page; page = this.#wanted) {
      const { first, count } = page;
      const orders = Array.from({ length: count }, (_, offset) => this.#orders.row(first + offset));
      if (orders.includes(undefined)) return this.#orders.show(first, count);
      this.#didEnd(page, { rows: orders.map((order, offset) => new Row(page, first + offset, order)) });
    }
  }

  /** Asks again for what was refused. */
  retry() {
    this.read();
    this.#orders.retry();
  }

  #didFail({ message }) {
    if (this.#wanted) this.#didEnd(this.#wanted, { rows: null, failure: message });
    this.read();
  }

  #didEnd(page, { rows, failure }) {
    Object.assign(page, { rows, failure, isOld: false });
    this.#didRead(page.isGroup ? page : undefined);
  }

  forget() {
    this.cancelled = new Set();
    this.isLoading = false;
    this.failure = undefined;
  }

  take(event) {
    switch (event.kind) {
      case 'loading':
        this.isLoading = event.value;
        if (event.value) this.failure = undefined;
        break;
      case 'failed':
        this.failure = event.message;
        break;
      case 'cancelled':
        this.cancelled.add(event.id);
        break;
    }
  }

  items() {
    const [page] = this.pages;
    if (!page || page.isGroup) return this.pages;
    return page.isEmpty ? [] : page.items();
  }
}

/** So many orders one after the other, which are read when the user opens them. */
class Page {
  count = 0;
  /** Null before they are read, and where they can't be. */
  rows = null;
  failure = undefined;
  isOld = true;

  constructor(list, first) {
    this.list = list;
    this.first = first;
    this.isOpen = first === 0;
  }

  /** Whether it is an item of the tree, and not the whole of it. */
  get isGroup() {
    return this.list.pages.length > 1;
  }

  /** Whether nothing can be said of it yet. */
  get isEmpty() {
    return !this.rows && !this.failure;
  }

  /** Tries again what has failed. */
  open() {
    this.isOpen = true;
    if (!this.failure) return this.list.read();
    this.isOld = true;
    this.list.retry();
  }

  treeItem() {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const label = `Orders ${this.first} – ${this.first + this.count - 1}`;
    const item = new vscode.TreeItem(label, this.isOpen ? Expanded : Collapsed);
    item.id = `orders ${this.first}`;
    item.iconPath = icon('layers', this.list.view);
    return item;
  }

  items() {
    if (!this.isOpen) this.open();
    if (this.rows) return this.rows;
    const item = new vscode.TreeItem(this.failure ? `The orders can't be shown: ${this.failure}` : 'Loading…');
    item.iconPath = icon(this.failure ? 'warning' : 'loading~spin', this.list.view);
    return [item];
  }
}

/** One order of the list. */
class Row {
  constructor(page, index, order) {
    this.page = page;
    this.index = index;
    this.order = order;
  }

  treeItem() {
    const { cancelled, view } = this.page.list;
    const { id, name } = this.order;
    const item = new vscode.TreeItem(name);
    item.id = `order ${id}`;
    item.command = { command: 'viewModels.selectOrder', title: 'Show Order', arguments: [this.index] };
    const isCancelled = cancelled.has(id);
    item.iconPath = icon(isCancelled ? 'circle-slash' : 'package', view);
    if (isCancelled) item.description = 'cancelled';
    return item;
  }
}

module.exports = { List, Page, Row, icon };
