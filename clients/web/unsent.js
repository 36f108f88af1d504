import { button, el, readable, setText } from "./dom.js";
import { copyText } from "./inspector.js";
import { oneLine } from "./json.js";
import { ofTab } from "./kept.js";

const item = "view-model-unsent";
const mostShown = 50;
const beginningLength = 80;

/** "Add: Milk", "Increment: 2", "Reset" */
export function wordsOf({ kind, ...members }) {
  const values = Object.values(members);
  if (values.length === 0) return readable(kind);
  const only = values.length === 1 ? values[0] : members;
  return `${readable(kind)}: ${typeof only === "object" ? oneLine(only, 120) : only}`;
}

/** What is worth copying: the text that was typed, or else the whole event. */
function textOf({ kind, ...members }) {
  const [only, ...others] = Object.values(members);
  return typeof only === "string" && others.length === 0 ? only : JSON.stringify({ kind, ...members });
}

/**
 * What the user did in sessions that ended before it was sent. It stays until it is sent to another session, put back
 * into its field, or discarded. A reload of the tab keeps what the browser has room for, and names the rest.
 */
export class Unsent {
  #entries = saved();
  /** Those that a reload loses. */
  #passing = new Set();
  #list = el("ol");
  #heading = el("h2", { id: "unsent-title" });
  #discardAll = button("Discard all", () => this.#change([]), { kind: "quiet" });
  #receiver;
  element = el(
    "section.unsent",
    { "aria-labelledby": "unsent-title", hidden: true },
    this.#heading,
    el("p.quiet-text", {}, "Their session has ended, can’t say whether it took them, or hadn’t answered when the page was left."),
    this.#list,
    el("div.actions.end", {}, this.#discardAll),
  );

  /**
   * @param {(viewModel: string) => import("./pane.js").Pane | undefined} receiver
   *   finds the pane that shows a view model
   */
  constructor(receiver) {
    this.#receiver = receiver;
    this.update();
  }

  /**
   * @param {{ viewModel: string, title: string, event: object, words: string, isSent: boolean,
   *   isDraft?: boolean, isLost?: boolean }} entry `isSent`: it may have been done; `isLost`: a reload has lost the
   *   event, and `words` are a part of what it was
   */
  add(entry) {
    this.#change([...this.#entries, entry]);
  }

  /** The page is left with these unanswered. Where it comes back as it was, it goes on with them itself. */
  leave(entries) {
    if (entries.length === 0) return;
    const before = this.#entries;
    this.#change([...before, ...entries]);
    window.addEventListener("pageshow", () => this.#change(before), { once: true });
  }

  /** Another session may be on screen, which can take it. */
  update() {
    const count = this.#entries.length;
    this.element.hidden = count === 0;
    this.#discardAll.hidden = count === 1;
    // What was on its way may have been done.
    const what = this.#entries.every(({ isSent }) => isSent) ? "answered" : "sent";
    setText(this.#heading, `${count} ${count === 1 ? "action was" : "actions were"} not ${what}`);
    const passing = this.#entries.slice(mostShown).filter((entry) => this.#passing.has(entry)).length;
    const rest = `and ${count - mostShown} more${passing > 0 ? `, of which a reload loses ${passing}` : ""}`;
    const more = count > mostShown && el("li.quiet-text", {}, rest);
    this.#list.replaceChildren(...this.#entries.slice(0, mostShown).map((entry) => this.#line(entry)), more || "");
  }

  #line(entry) {
    const { viewModel, title, event, words, isSent, isDraft, isLost } = entry;
    const receiver = isLost ? undefined : this.#receiver(viewModel);
    const didCopy = async () => setText(copy, (await copyText(textOf(event))) ? "Copied" : "Refused");
    const copy = !isLost && button("Copy", didCopy, { kind: "quiet" });
    const put = receiver?.canRestore(event) && button("Put back", () => this.#putBack(entry, receiver), {
      kind: "quiet",
    });
    const send = receiver && button("Send here", () => this.#send(entry, receiver), { kind: "quiet" });
    const notes = [isSent ? "may have been done" : isDraft && "not finished"];
    if (this.#passing.has(entry)) notes.push("a reload loses it");
    if (isLost) notes.push("lost as the page was loaded anew: the browser had no room for it");
    const note = notes.filter(Boolean).join(", ");
    return el(
      "li",
      {},
      el("span.what", {}, el("strong", {}, words), ` in ${title}`, note && el("small.hint", {}, note)),
      el("span.actions", {}, send, put, copy, button("Discard", () => this.#remove(entry), { kind: "quiet" })),
    );
  }

  async #send(entry, receiver) {
    if (await receiver.send(entry.event)) this.#remove(entry);
  }

  #putBack(entry, receiver) {
    if (receiver.restore(entry.event)) this.#remove(entry);
    else receiver.notice("The field has another text: send or empty it first.");
  }

  #remove(entry) {
    this.#change(this.#entries.filter((other) => other !== entry));
  }

  #change(entries) {
    this.#entries = entries;
    this.#passing = new Set(keep(entries).filter(({ isLost }) => !isLost));
    this.update();
  }
}

/**
 * Keeps the entries over a reload; where the browser has no room for all, the short ones, and of the others what they were.
 *
 * @returns {object[]} those that aren't kept
 */
function keep(entries) {
  const texts = new Map(entries.map((entry) => [entry, JSON.stringify(entry)]));
  const byLength = [...entries].sort((one, other) => texts.get(one).length - texts.get(other).length);
  const write = (count) => {
    const rest = new Set(byLength.slice(count));
    const all = entries.map((entry) => (rest.has(entry) ? JSON.stringify(lost(entry)) : texts.get(entry)));
    return ofTab.write(item, `[${all}]`);
  };
  if (write(entries.length)) return [];
  let [kept, refused] = [0, entries.length];
  while (refused - kept > 1) {
    const count = (kept + refused) >> 1;
    if (write(count)) kept = count;
    else refused = count;
  }
  // What was kept before may have been sent since.
  if (!write(kept)) ofTab.remove(item);
  return byLength.slice(kept);
}

/** What is kept of an entry that there is no room for. */
function lost({ viewModel, title, words, isSent, isDraft }) {
  const beginning = words.length > beginningLength ? `${words.slice(0, beginningLength)}…` : words;
  return { viewModel, title, words: beginning, isSent, isDraft, isLost: true };
}

function saved() {
  try {
    return JSON.parse(ofTab.read(item)) ?? [];
  } catch {
    return [];
  }
}
