import { button, el, setText } from "../dom.js";

/** What can be searched: `find` names it to assistive technology. */
const modes = [
  { mode: "files", label: "Files", find: "Find files", title: "Paths, by some of their letters in their order" },
  { mode: "text", label: "Text", find: "Find lines with a text", title: "Lines that have this text" },
  { mode: "regex", label: "Regex", find: "Find lines with a regular expression", title: "Lines that match" },
];

/**
 * The field of a finder, with its modes. What is searched belongs to the session: all of its views show the same.
 *
 * What is typed here is sent at once, and stays while it is on its way. Other views' searches are taken over when nothing
 * of this one's is.
 */
export class FinderQuery {
  input;
  modes;
  #context;
  #user;
  #buttons;
  #mode = "files";
  #told = { text: "", mode: "files" };
  /** How many of its events aren't answered. */
  #unanswered = 0;
  #newest = { query: null, mode: null };
  /** Whether it was told what is searched. */
  #wasTold = false;
  /** Whether what is wanted here comes in place of what it is told first. */
  #begins = false;
  /** Whether the rows are those of what the field says. */
  #isFresh = true;

  /**
   * @param context of the view
   * @param {{ didAsk: () => void, didFollow: () => void, didAnswer: (isDone: boolean) => void }} user `didAsk` is called
   *   when something else is searched, `didFollow` when another view has done so, `didAnswer` when nothing is on its way
   *   any more
   */
  constructor(context, user) {
    this.#context = context;
    this.#user = user;
    this.input = el("input", {
      type: "text",
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    // What an input method composes is a text when it is done.
    const ask = ({ isComposing }) => isComposing || this.#ask({ kind: "query", text: this.input.value });
    this.input.addEventListener("input", ask);
    this.input.addEventListener("compositionend", ask);
    this.#buttons = modes.map(({ mode, label, title }) => button(label, () => this.choose(mode), { title }));
    this.modes = el("div.modes", { role: "group", "aria-label": "Search in" }, this.#buttons);
    this.#showMode();
  }

  get text() {
    return this.input.value;
  }

  /** What the rows that came last are of. */
  get told() {
    return this.#told;
  }

  get isFresh() {
    return this.#isFresh;
  }

  clear() {
    if (this.input.value === "") return;
    this.input.value = "";
    this.#ask({ kind: "query", text: "" });
  }

  choose(mode) {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#showMode();
    this.#ask({ kind: "mode", value: mode });
  }

  chooseNext() {
    const index = modes.findIndex(({ mode }) => mode === this.#mode);
    this.choose(modes[(index + 1) % modes.length].mode);
  }

  /** Searches all files by nothing, whatever was left in the session, or will be found there. */
  begin() {
    this.#begins = !this.#wasTold;
    this.clear();
    this.choose("files");
  }

  /** A `query` event came. */
  onEvent({ text, mode }) {
    this.#told = { text, mode };
    this.#wasTold = true;
    if (this.#begins) this.#replace();
    else if (this.#unanswered === 0) this.#follow();
  }

  /** The session was found, and another view has searched in it. */
  #replace() {
    this.#begins = false;
    const { text, mode } = this.#told;
    const wanted = this.input.value;
    if (mode !== this.#mode) this.#ask({ kind: "mode", value: this.#mode });
    if (text !== wanted) this.#ask({ kind: "query", text: wanted });
    // Nobody has typed yet.
    if (wanted === "") this.#user.didFollow();
  }

  /** Rows came: they are those of the newest `query` event. */
  rowsDidChange() {
    this.#isFresh ||= this.#told.text === this.input.value && this.#told.mode === this.#mode;
  }

  async #ask(event) {
    this.#isFresh = false;
    this.#unanswered += 1;
    // What waits for the connection gives way to what is newer. The server sees to that otherwise.
    if (this.#context.isAway()) this.#newest[event.kind]?.abort();
    const controller = new AbortController();
    this.#newest[event.kind] = controller;
    this.#user.didAsk();
    const isDone = await this.#context.send(event, { signal: controller.signal, mark: this.input, isQuiet: true });
    this.#unanswered -= 1;
    if (this.#unanswered > 0) return;
    this.#isFresh = true;
    // Another view's search may have come after it, and what was taken back is searched no more.
    this.#follow();
    this.#user.didAnswer(isDone);
  }

  #follow() {
    const { text, mode } = this.#told;
    if (text === this.input.value && mode === this.#mode) return;
    this.input.value = text;
    this.#mode = mode;
    this.#showMode();
    this.#user.didFollow();
  }

  #showMode() {
    modes.forEach(({ mode, find }, index) => {
      const isChosen = mode === this.#mode;
      this.#buttons[index].setAttribute("aria-pressed", isChosen);
      if (!isChosen) return;
      this.input.setAttribute("aria-label", find);
      this.input.setAttribute("placeholder", `${find}…`);
    });
  }
}

/** The line below: how much was found, and of how much. */
export function finderStatus({ told, matches, scanning, listed }) {
  const files = `${number(scanning.files)} ${scanning.files === 1 ? "file" : "files"}`;
  const words = [];
  if (told.mode === "files") {
    words.push(told.text === "" ? files : `${number(matches.count)} of ${files}`);
  } else if (told.text !== "") {
    const more = matches.isComplete ? "" : "…";
    words.push(`${number(matches.count)} ${matches.count === 1 ? "line" : "lines"}${more} in ${files}`);
  } else {
    words.push(files);
  }
  const isCut = told.mode === "files" ? matches.count > listed : listed >= 10_000;
  const which = told.mode === "files" && told.text !== "" ? "best" : "first";
  if (isCut && listed > 0) words.push(`the ${which} ${number(listed)} are listed`);
  if (!scanning.isDone) words.push("looking for more…");
  return words.join(" · ");
}

/** What is said in place of rows. */
export function finderEmptiness({ told, matches, scanning }) {
  if (told.mode !== "files" && told.text === "") return "Lines come as you type.";
  if (!scanning.isDone || !matches.isComplete) return "Searching…";
  if (told.mode !== "files") return "No line matches.";
  return told.text === "" ? "There are no files." : "No file matches.";
}

function number(count) {
  return count.toLocaleString("en");
}
