import { el } from "./dom.js";
import { Pane } from "./pane.js";

/** One root session with all its children. */
export class Screen {
  element = el("div.screen");
  isGeneric;
  /** Resolves to a view model's contract. */
  describe;
  announce;
  didSend;
  giveBack;
  #client;
  #changed;
  #stack;

  /**
   * @param {{ client: object, describe: (viewModel: string) => Promise<object>, announce: (text: string) => void,
   *   didSend: (sender: import("./sender.js").Sender) => void, giveBack: (lost: object) => void,
   *   changed: () => void, isGeneric: boolean }} page `giveBack` takes what was lost with a session, as `Unsent` does
   */
  constructor({ client, describe, announce, didSend, giveBack, changed, isGeneric }) {
    this.#client = client;
    this.describe = describe;
    this.announce = announce;
    this.didSend = didSend;
    this.giveBack = giveBack;
    this.#changed = changed;
    this.isGeneric = isGeneric;
    this.#stack = new Stack(this, this.element, false);
  }

  /** @param {Promise<object>} view the root's */
  start(viewModel, key, view) {
    return this.#stack.add(viewModel, key, "root", view);
  }

  get root() {
    return this.#stack.root;
  }

  /** All that is on screen, the topmost last. */
  get layers() {
    return this.#stack.layers;
  }

  get top() {
    return this.layers.at(-1);
  }

  /** Whether it isn't known yet how much is on screen. */
  get isAttaching() {
    return this.layers.some((pane) => pane.isAttaching);
  }

  attach(key) {
    return this.#client.attach(key);
  }

  didChange() {
    this.#changed();
  }

  /** The user leaves the topmost view; does nothing on the root. */
  async back() {
    if (this.layers.length > 1) await this.top.back();
  }

  setGeneric(isGeneric) {
    this.isGeneric = isGeneric;
    for (const pane of this.layers) pane.setGeneric(isGeneric);
  }

  present(viewModel, key) {
    const focusBefore = document.activeElement;
    const content = el("div.sheet");
    const dialog = el("dialog.presented", {}, content);
    const stack = new Stack(this, content, true);
    this.element.append(dialog);
    // The host decides whether it is left; and Escape isn't the only way to ask for it.
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.back();
    });
    dialog.addEventListener("close", () => {
      if (dialog.isConnected) {
        dialog.showModal();
        this.back();
      }
    });
    dialog.showModal();
    stack.add(viewModel, key, "presented", this.attach(key));
    dialog.setAttribute("aria-labelledby", stack.root.titleID);
    const presented = {
      key,
      stack,
      remove: (isGone) => {
        stack.remove(isGone);
        dialog.remove();
        const isThere = focusBefore !== document.body && focusBefore?.isConnected && !focusBefore.disabled;
        if (isThere) focusBefore.focus({ preventScroll: true });
        else this.top?.focus();
      },
    };
    return presented;
  }

  /** The sessions go on, for other views and for a return. */
  remove() {
    this.#stack.remove(false);
    this.element.remove();
  }
}

/** Panes that stand on each other, of which the topmost is seen. */
export class Stack {
  isPresented;
  #screen;
  #container;
  #panes = [];

  constructor(screen, container, isPresented) {
    this.#screen = screen;
    this.#container = container;
    this.isPresented = isPresented;
  }

  get root() {
    return this.#panes[0];
  }

  get layers() {
    return this.#panes.flatMap((pane) => [pane, ...(pane.presented?.stack.layers ?? [])]);
  }

  add(viewModel, key, place, view) {
    const pane = new Pane(this.#screen, this, viewModel, key, place);
    this.#panes.at(-1)?.hide();
    this.#panes.push(pane);
    this.#container.append(pane.element);
    pane.show();
    const attached = pane.attach(view);
    this.#screen.didChange();
    return attached;
  }

  push({ viewModel, key }) {
    if (this.#panes.some((pane) => pane.key === key)) return;
    this.add(viewModel, key, "pushed", this.#screen.attach(key));
  }

  /** Takes off this pane with all its children. */
  pop(key) {
    const index = this.#panes.findIndex((pane) => pane.key === key);
    if (index > 0) this.#cut(index);
  }

  /** Panes whose sessions the server doesn't know any more. */
  drop(pane) {
    const index = this.#panes.indexOf(pane);
    if (index > 0) this.#cut(index);
    else if (this.isPresented) this.#screen.layers.find((host) => host.presented?.stack === this)?.dropPresented();
    this.#screen.didChange();
  }

  /** Makes the panes over the root those that are given, bottom first, and leaves alone those that are there. */
  rebuild(children) {
    const isSame = (child, index) => this.#panes[index + 1]?.key === child.key;
    const same = children.findIndex((child, index) => !isSame(child, index));
    const kept = same === -1 ? children.length : same;
    if (this.#panes.length > kept + 1) this.#cut(kept + 1);
    for (const child of children.slice(kept)) this.push(child);
  }

  #cut(index) {
    for (const pane of this.#panes.splice(index).reverse()) pane.remove(true);
    this.#panes.at(-1).show();
  }

  remove(isGone) {
    for (const pane of this.#panes.splice(0).reverse()) pane.remove(isGone);
  }
}
