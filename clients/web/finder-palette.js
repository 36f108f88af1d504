import { button, el } from "./dom.js";
import { addressOf } from "./gallery.js";

const finderType = "Examples.FinderViewModel";

/** Whether it is the key that opens the finder: ⌘K on Apple's systems, where Ctrl+K edits text, and Ctrl+K elsewhere. */
export function isFinderKey({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }) {
  const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
  const isHeld = isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && key.toLowerCase() === "k" && !altKey && !shiftKey && !isComposing;
}

/** The finder of a client's server; undefined where it has none. */
export function finderOf(client) {
  return client?.viewModels.find(({ name }) => client.typeOf(name) === finderType)?.name;
}

/**
 * A finder over the page.
 *
 * Its session is kept while the dialog is closed, so that it opens at once the next time, and as at its beginning. It ends
 * with the connection, or where nobody else has it on screen some time after the page is left.
 */
export class FinderPalette {
  #makeScreen;
  #screen = null;
  /** That the session is of. */
  #client = null;
  #content = el("div.sheet");
  #page = el("a", { hidden: true }, "Show as a page");
  #dialog = el(
    "dialog.palette",
    { "aria-label": "Finder" },
    el(
      "header",
      {},
      el("strong", {}, "Find"),
      this.#page,
      button("Close", () => this.close(), { kind: "quiet" }),
    ),
    this.#content,
  );

  /** @param {(page: { changed: () => void, leave: () => void }) => import("./screen.js").Screen} makeScreen */
  constructor(makeScreen) {
    this.#makeScreen = makeScreen;
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

  toggle(client) {
    if (this.#dialog.open) return this.close();
    const viewModel = finderOf(client);
    if (!viewModel) return;
    this.#dialog.showModal();
    if (client !== this.#client || this.#screen.root.hasEnded) this.#start(client, viewModel);
    else this.#screen.root.show();
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
    layers[0]?.left();
    for (const pane of layers.filter(({ isBeside }) => isBeside)) pane.back();
  }
}
