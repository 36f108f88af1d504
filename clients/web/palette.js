import { button, el, readable } from "./dom.js";
import { addressOf } from "./gallery.js";

/** The palettes of the page, which the views bring: none until those are loaded. */
export class Palettes {
  #page;
  #all = [];

  /**
   * @param {{ client: () => object | null, ownViewOnScreen: () => import("./pane.js").Pane | undefined,
   *   makeScreen: (page: { changed: () => void, leave: () => void }) => import("./screen.js").Screen }} page
   */
  constructor(page) {
    this.#page = page;
  }

  /**
   * @param {{ type: string, name: string, label: string, key: string }[]} kinds the type of the view model; what it is, for
   *   assistive technology; what the button says; the key that opens it, with Ctrl or ⌘
   * @param {Element} place what their buttons go before
   */
  add(kinds, place) {
    this.#all = kinds.map((kind) => new Palette(kind, this.#page.makeScreen, (palette) => this.#show(palette)));
    place.before(...this.#all.map((palette) => palette.button));
    document.body.append(...this.#all.map(({ element }) => element));
  }

  /** What is in them, also while they are closed. */
  get layers() {
    return this.#all.flatMap(({ layers }) => layers);
  }

  /** Hides the buttons of view models that the server hasn't. */
  showButtons() {
    for (const palette of this.#all) palette.button.hidden = !palette.viewModelOf(this.#page.client());
  }

  takeKey(event) {
    const client = this.#page.client();
    const palette = this.#all.find((palette) => palette.isCalledBy(event) && palette.viewModelOf(client));
    if (!palette) return;
    this.#show(palette);
    event.preventDefault();
  }

  /** In the session that is on screen, where it is of that view model, or else over the page. */
  #show(palette) {
    for (const other of this.#all) if (other !== palette) other.close();
    const client = this.#page.client();
    const viewModel = palette.viewModelOf(client);
    const top = this.#page.ownViewOnScreen();
    if (viewModel && top?.viewModel === viewModel) top.focus();
    else palette.toggle(client);
  }

  close() {
    for (const palette of this.#all) palette.close();
  }
}

/**
 * A view model over the page, which a key opens from anywhere, and a button at the top.
 *
 * Its session is kept while the dialog is closed, so that it opens at once the next time, and as at its beginning: also
 * where the session is one that was found, in which another client has searched.
 */
class Palette {
  #kind;
  #makeScreen;
  #screen = null;
  /** That the session is of. */
  #client = null;
  #content = el("div.sheet");
  #page = el("a", { hidden: true }, "Show as a page");
  #dialog;
  /** Hidden where the server has no such view model. */
  button;

  constructor(kind, makeScreen, call) {
    this.#kind = kind;
    this.#makeScreen = makeScreen;
    const key = kind.key.toUpperCase();
    this.button = button(kind.label, () => call(this), {
      kind: "quiet",
      id: `${kind.name}-button`,
      "aria-keyshortcuts": `Control+${key} Meta+${key}`,
      hidden: true,
    });
    const close = button("Close", () => this.close(), { kind: "quiet" });
    const header = el("header", {}, el("strong", {}, kind.label), this.#page, close);
    this.#dialog = el("dialog.palette", { "aria-label": readable(kind.name) }, header, this.#content);
    this.#dialog.addEventListener("close", () => this.#didClose());
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.close();
    });
    this.#page.addEventListener("click", () => this.close());
  }

  get element() {
    return this.#dialog;
  }

  /** What is in it, also while it is closed. */
  get layers() {
    return this.#screen?.layers ?? [];
  }

  /** Whether this is its key: with ⌘ on Apple's systems, where Ctrl edits text, and with Ctrl elsewhere. */
  isCalledBy({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }) {
    const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
    const isHeld = isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
    return isHeld && key.toLowerCase() === this.#kind.key && !altKey && !shiftKey && !isComposing;
  }

  /** The view model of a client's server; undefined where it has none. */
  viewModelOf(client) {
    return client?.viewModels.find(({ name }) => client.typeOf(name) === this.#kind.type)?.name;
  }

  toggle(client) {
    if (this.#dialog.open) return this.close();
    const viewModel = this.viewModelOf(client);
    if (!viewModel) return;
    this.#dialog.showModal();
    if (client !== this.#client || this.#screen.root.hasEnded) this.#start(client, viewModel);
    else this.#screen.root.show();
    this.#screen.root.tell("begin");
  }

  close() {
    this.#dialog.close();
  }

  #start(client, viewModel) {
    this.#screen?.remove();
    this.#client = client;
    const screen = this.#makeScreen({
      changed: () => screen === this.#screen && this.#showAddress(viewModel),
      leave: () => this.close(),
    });
    this.#screen = screen;
    this.#content.replaceChildren(screen.element);
    screen.start(viewModel, undefined, client.open(viewModel));
  }

  /** Others can use the session by it, as an editor does. */
  #showAddress(viewModel) {
    const { key, hasEnded } = this.#screen.root;
    this.#page.hidden = !key || hasEnded;
    if (key) this.#page.href = addressOf(viewModel, key);
  }

  /** The preview is taken off, for all who have the session on screen. */
  #didClose() {
    const { layers } = this;
    layers[0]?.tell("left");
    for (const pane of layers.filter(({ isBeside }) => isBeside)) pane.back();
  }
}
