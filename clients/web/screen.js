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
  /** Shows all of it anew, when it was shown elsewhere meanwhile or is kept; undefined where that can't be. */
  showAgain;
  /** Whether a session that has ended for a reason has ended for good. */
  isOver;
  #client;
  #changed;
  #leave;
  #stack;

  /**
   * @param {{ client: object, describe: (viewModel: string) => Promise<object>, announce: (text: string) => void,
   *   didSend: (sender: import("./sender.js").Sender) => void, giveBack: (lost: object) => void,
   *   changed: () => void, isGeneric: boolean, leave?: () => void, showAgain?: () => void,
   *   isOver?: (key: string, reason: string) => boolean }} page
   *   `giveBack` takes what was lost with a session, as `Unsent` does; `leave` leaves the root, where it is over the page
   */
  constructor({ client, describe, announce, didSend, giveBack, changed, isGeneric, leave, showAgain, isOver = () => true }) {
    this.#client = client;
    this.describe = describe;
    this.announce = announce;
    this.didSend = didSend;
    this.giveBack = giveBack;
    this.showAgain = showAgain;
    this.isOver = isOver;
    this.#changed = changed;
    this.isGeneric = isGeneric;
    this.#leave = leave;
    this.#stack = new Stack(this, this.element, leave !== undefined);
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

  /** What covers the others. */
  get top() {
    return this.layers.findLast(({ isBeside }) => !isBeside);
  }

  /** How many times the user can go back. */
  get depth() {
    return this.layers.filter(({ isBeside }) => !isBeside).length - 1;
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

  /** The user leaves the topmost view; does nothing on the root of a page. */
  async back() {
    if (this.depth > 0) await this.top.back();
    else this.#leave?.();
  }

  setGeneric(isGeneric) {
    this.isGeneric = isGeneric;
    for (const pane of this.layers) pane.setGeneric(isGeneric);
    for (const stack of [this.#stack, ...this.layers.flatMap(({ presented }) => presented?.stack ?? [])]) stack.arrange();
    this.#changed();
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

/** Panes that stand on each other, of which the topmost is seen, with those that are shown beside it. */
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
    const beside = this.#panes.at(-1)?.placeFor(viewModel);
    const pane = new Pane(this.#screen, this, viewModel, key, beside ? "beside" : place);
    if (!beside) this.#seen?.hide();
    this.#panes.push(pane);
    this.#put(pane, beside);
    if (!beside) pane.show();
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

  /** The pane that covers the others. */
  get #seen() {
    return this.#panes.findLast(({ isBeside }) => !isBeside);
  }

  /** Where the view below has become another, its children may have another place. */
  arrange() {
    for (const [index, pane] of this.#panes.entries()) {
      const place = this.#panes[index - 1]?.placeFor(pane.viewModel);
      if (pane.isBeside !== Boolean(place)) this.#put(pane, place);
    }
    for (const pane of this.#panes) pane.element.hidden = !pane.isBeside && pane !== this.#seen;
  }

  /** @param place in the view below; undefined or null where the pane takes that one's place */
  #put(pane, place) {
    pane.isBeside = Boolean(place);
    if (place) pane.element.dataset.place = "beside";
    else if (pane.element.dataset.place === "beside") pane.element.dataset.place = "pushed";
    (place ?? this.#container).append(pane.element);
  }

  #cut(index) {
    const gone = this.#panes.splice(index).reverse();
    const hadFocus = gone.some(({ element }) => element.contains(document.activeElement));
    for (const pane of gone) pane.remove(true);
    if (this.#seen.element.hidden) this.#seen.show();
    else if (hadFocus) this.#seen.focus();
  }

  remove(isGone) {
    for (const pane of this.#panes.splice(0).reverse()) pane.remove(isGone);
  }
}
