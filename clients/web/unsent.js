import { button, el, readable, setText } from "./dom.js";
import { copyText } from "./inspector.js";
import { oneLine } from "./json.js";

const item = "view-model-unsent";
const mostShown = 50;

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
 * into its field, or discarded; a reload of the tab keeps it.
 */
export class Unsent {
  #entries = saved();
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
   *   isDraft?: boolean }} entry `isSent`: it may have been done
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
    const more = count > mostShown && el("li.quiet-text", {}, `and ${count - mostShown} more`);
    this.#list.replaceChildren(...this.#entries.slice(0, mostShown).map((entry) => this.#line(entry)), more || "");
  }

  #line(entry) {
    const { viewModel, title, event, words, isSent, isDraft } = entry;
    const receiver = this.#receiver(viewModel);
    const copy = button("Copy", async () => setText(copy, (await copyText(textOf(event))) ? "Copied" : "Refused"), {
      kind: "quiet",
    });
    const put = receiver?.canRestore(event) && button("Put back", () => this.#putBack(entry, receiver), {
      kind: "quiet",
    });
    const send = receiver && button("Send here", () => this.#send(entry, receiver), { kind: "quiet" });
    const note = isSent ? "may have been done" : isDraft && "not finished";
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
    sessionStorage.setItem(item, JSON.stringify(entries));
    this.update();
  }
}

function saved() {
  try {
    return JSON.parse(sessionStorage.getItem(item)) ?? [];
  } catch {
    return [];
  }
}
