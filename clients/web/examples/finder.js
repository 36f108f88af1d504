import { button, el, newID, sentence, setText } from "../dom.js";
import { copyText } from "../inspector.js";
import { VirtualList } from "../virtual-list.js";
import { FinderQuery, finderEmptiness, finderStatus } from "./finder-query.js";
import { fillFinderRow, makeFinderRows } from "./finder-rows.js";

/**
 * Finds files and lines: a field, what was found, and the file of the chosen row beside it.
 *
 * The field keeps the focus. Until the user has moved, the best row is the chosen one; from then on it is the same row,
 * wherever it goes. Only who has done something asks for previews: others see those that are asked for.
 */
export function makeFinder(context) {
  return new FinderView(context).view;
}

class FinderView {
  #context;
  /** The client's list; null until the view is attached. */
  #list = null;
  #areLines = false;
  #hasMoved = false;
  #isOwn = false;
  /** The id of the row whose file was asked for last. */
  #previewed = null;
  #isPreviewing = false;
  /** Enter was pressed when the rows were those of an older text. */
  #wantsToAccept = false;
  #isAccepting = false;
  #told = { matches: { count: 0, isComplete: true }, scanning: { files: 0, isDone: true } };

  #query;
  #rows;
  #rowsID = newID("found");
  #empty = el("p.empty");
  #failure = el("p.failure", { role: "alert", hidden: true });
  #status = el("span.counts");
  #note = el("span.finder-note", { hidden: true });
  /** What assistive technology says: the counts while rows stream in would be too much. */
  #said = el("span.visually-hidden", { role: "status" });
  #preview = el("div.finder-preview", {}, el("p.empty", {}, "The chosen file is shown here."));
  #openedPath = el("code");
  #copy = button("Copy path", () => this.#copyPath(), { kind: "primary" });
  #opened = el(
    "div.opened-file",
    { hidden: true },
    this.#openedPath,
    el("div.actions", {}, this.#copy, button("Back to the results", () => this.#showResults())),
  );
  #element;

  constructor(context) {
    this.#context = context;
    this.#query = new FinderQuery(context, {
      didAsk: () => this.#didAsk(),
      didFollow: () => this.#didFollow(),
      didAnswer: (isDone) => this.#didAnswer(isDone),
    });
    this.#rows = new VirtualList(
      "Found",
      (row, index) => fillFinderRow(row, this.#list?.row(index)),
      (index) => this.#choose(index),
      { kind: makeFinderRows(this.#rowsID, () => this.#areLines) },
    );
    this.#rows.element.hidden = true;
    // The field keeps the focus.
    this.#rows.element.addEventListener("mousedown", (event) => {
      if (event.target !== this.#rows.element) event.preventDefault();
    });
    this.#rows.element.addEventListener("dblclick", () => this.#accept());
    this.#query.input.setAttribute("aria-controls", this.#rowsID);
    this.#query.input.addEventListener("keydown", (event) => this.#didPress(event));
    this.#element = el(
      "div.finder",
      {},
      el("div.finder-search", {}, this.#query.input, this.#query.modes),
      this.#opened,
      this.#failure,
      this.#rows.failure,
      el("div.finder-columns", {}, el("div.found", {}, this.#empty, this.#rows.element), this.#preview),
      el("div.finder-foot", {}, this.#status, this.#note, this.#said, makeHints()),
    );
    this.#element.addEventListener("keydown", (event) => this.#didPressAnywhere(event));
    this.#start();
    this.#show();
  }

  get view() {
    return {
      element: this.#element,
      onEvent: (event) => this.#onEvent(event),
      reset: () => this.#reset(),
      focus: () => this.#focus(),
      shown: () => this.#rows.shown(),
      begin: () => this.#begin(),
      left: () => this.#leave(),
      beside: (viewModel) => (viewModel === "finderPreview" ? this.#preview : null),
      words: wordsOf,
    };
  }

  async #start() {
    const list = await this.#context.list("results");
    if (!list) return;
    this.#list = list;
    let wasFresh;
    this.#rows.follow(list, {
      willChange: (edits) => {
        wasFresh = this.#query.isFresh;
        this.#willChange(edits);
      },
      didChange: () => this.#didChange(wasFresh),
    });
  }

  #onEvent(event) {
    if (event.kind === "query") this.#query.onEvent(event);
    if (event.kind === "scanning" || event.kind === "matches") this.#told[event.kind] = event;
    if (event.kind === "failed") this.#showFailure(event.message);
    if (event.kind === "note") {
      this.#note.hidden = !event.message;
      setText(this.#note, event.message ? sentence(event.message) : "");
    }
    if (event.kind === "accepted" && this.#isAccepting) this.#open(event);
    this.#show();
  }

  /** The rows stay: most often the same ones come again with the snapshot. */
  #reset() {
    this.#showFailure(null);
    this.#note.hidden = true;
    this.#show();
  }

  #showFailure(message) {
    this.#failure.hidden = !message;
    setText(this.#failure, message ? sentence(message) : "");
  }

  // What is searched

  #didAsk() {
    this.#isOwn = true;
    this.#startAnew();
  }

  #didFollow() {
    this.#isOwn = false;
    this.#startAnew();
  }

  #startAnew() {
    this.#hasMoved = false;
    this.#wantsToAccept = false;
    this.#previewed = null;
    this.#show();
  }

  #didAnswer(isDone) {
    this.#didBecomeFresh();
    this.#show();
    if (isDone && this.#isOwn) setText(this.#said, this.#status.textContent);
  }

  // What was found

  #willChange(edits) {
    // Not where rows came that had been asked for before.
    if (edits === null || edits.length > 0) this.#query.rowsDidChange();
    this.#areLines = this.#query.told.mode !== "files";
    this.#rows.element.hidden = this.#list.count === 0;
    if (!this.#hasMoved) this.#rows.letGo();
  }

  #didChange(wasFresh) {
    if (!wasFresh && this.#query.isFresh) this.#didBecomeFresh();
    this.#show();
    this.#askForPreview();
  }

  /** The rows are those of what was typed. */
  #didBecomeFresh() {
    if (!this.#list) return;
    if (!this.#hasMoved && this.#list.count > 0) this.#rows.goTo(0);
    if (this.#wantsToAccept) this.#accept();
    this.#askForPreview();
  }

  #choose(index) {
    if (!this.#list || index >= this.#list.count) return;
    this.#hasMoved = true;
    this.#isOwn = true;
    this.#wantsToAccept = false;
    this.#rows.goTo(index);
    this.#show();
    this.#askForPreview();
  }

  #row() {
    return this.#list?.row(this.#rows.active);
  }

  /** One is on its way at a time, and the newest after it. */
  async #askForPreview() {
    const row = this.#row();
    const isKnown = row === undefined || row.id === this.#previewed;
    // While rows are those of an older text, only what the user has chosen among them is worth a look.
    const isPassing = !this.#query.isFresh && !this.#hasMoved;
    if (!this.#isOwn || isKnown || isPassing || this.#isPreviewing || this.#context.isAway()) return;
    this.#previewed = row.id;
    this.#isPreviewing = true;
    // A row that is gone has no file; what comes in its place is asked for then.
    await this.#context.send({ kind: "preview", index: this.#rows.active, id: row.id }, { isQuiet: true, onRefused: () => {} });
    this.#isPreviewing = false;
    this.#askForPreview();
  }

  // The end of a search

  /** What is seen is accepted. Who has typed faster than rows come means those that are to come. */
  async #accept() {
    if (!this.#query.isFresh && !this.#hasMoved) {
      this.#wantsToAccept = true;
      return;
    }
    this.#wantsToAccept = false;
    const row = this.#row();
    if (!row || this.#isAccepting) return;
    this.#isOwn = true;
    this.#askForPreview();
    this.#isAccepting = true;
    await this.#context.send({ kind: "accept", index: this.#rows.active, id: row.id }, { mark: this.#query.input });
    this.#isAccepting = false;
  }

  /** A page can't open files: it shows this one, and gives its path to whoever can. */
  #open({ path, line }) {
    setText(this.#openedPath, path);
    setText(this.#copy, "Copy path");
    this.#opened.hidden = false;
    this.#element.classList.add("is-open");
    this.#copy.focus();
    setText(this.#said, line ? `${path}, line ${line}` : path);
  }

  async #copyPath() {
    const isCopied = await copyText(this.#openedPath.textContent);
    setText(this.#copy, isCopied ? "Copied" : "The browser refused");
  }

  #showResults() {
    this.#opened.hidden = true;
    this.#element.classList.remove("is-open");
    this.#rows.shown();
    this.#query.input.focus();
  }

  #focus() {
    if (!this.#opened.hidden) return this.#copy.focus();
    this.#query.input.focus({ preventScroll: true });
    this.#query.input.select();
  }

  /** It is opened over a page: it is as at its beginning, whatever its session has searched. */
  #begin() {
    this.#query.begin();
    this.#isOwn = false;
    this.#previewed = null;
  }

  /** It is taken off the screen, and its session goes on: it is as at its beginning when it is seen again. */
  #leave() {
    this.#opened.hidden = true;
    this.#element.classList.remove("is-open");
    this.#query.clear();
    this.#isOwn = false;
    this.#previewed = null;
  }

  // Keys

  #didPress(event) {
    const { key, altKey, ctrlKey, metaKey, shiftKey, isComposing } = event;
    if (isComposing || shiftKey || metaKey || altKey) return;
    const name = ctrlKey ? `Control+${key}` : key;
    const { count, active, page } = this.#rows;
    const last = count - 1;
    const targets = {
      ArrowDown: active + 1,
      "Control+n": active + 1,
      ArrowUp: active - 1,
      "Control+p": active - 1,
      PageDown: active + page,
      PageUp: active - page,
      "Control+Home": 0,
      "Control+End": last,
    };
    if (name !== "Enter" && targets[name] === undefined) return;
    event.preventDefault();
    if (name === "Enter") this.#accept();
    else if (count > 0) this.#choose(Math.max(0, Math.min(last, targets[name])));
  }

  #didPressAnywhere(event) {
    const { key, code, altKey, ctrlKey, metaKey } = event;
    if (altKey && !ctrlKey && !metaKey && (key === "m" || code === "KeyM")) {
      event.preventDefault();
      if (this.#opened.hidden) this.#query.chooseNext();
    }
    if (key === "Escape" && !event.isComposing && !this.#opened.hidden) {
      event.preventDefault();
      this.#showResults();
    }
  }

  #show() {
    const { matches, scanning } = this.#told;
    const count = this.#list?.count ?? 0;
    const { told } = this.#query;
    const { input } = this.#query;
    setText(this.#status, finderStatus({ told, matches, scanning, listed: count }));
    setText(this.#empty, finderEmptiness({ told, matches, scanning }));
    this.#empty.hidden = count > 0 || !this.#failure.hidden;
    this.#element.classList.toggle("is-stale", !this.#query.isFresh);
    this.#element.classList.toggle("has-none", count === 0);
    this.#element.classList.toggle("has-lines", this.#areLines);
    input.setAttribute("aria-expanded", count > 0);
    if (count > 0) input.setAttribute("aria-activedescendant", `${this.#rowsID}-${this.#rows.active}`);
    else input.removeAttribute("aria-activedescendant");
  }
}

function makeHints() {
  const hints = [["↑ ↓", "choose"], ["↵", "show"], ["Alt M", "files, text, regex"]];
  return el("span.hints", { "aria-hidden": "true" }, hints.map(([key, what]) => el("span", {}, el("kbd", {}, key), what)));
}

/** Names of its view events, for the user. */
function wordsOf({ kind, text, value, id }) {
  if (kind === "query") return text === "" ? "Find everything" : `Find “${text}”`;
  if (kind === "mode") return `Search in ${value}`;
  if (kind === "preview" || kind === "accept") return `Show ${id}`;
  return undefined;
}
