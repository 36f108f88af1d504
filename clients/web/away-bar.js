import { button, el, setText } from "./dom.js";

const mostShown = 50;

/** Says that the connection is lost, and what waits to be sent. It covers nothing that moves because of it. */
export class AwayBar {
  #text = el("p", { role: "status" });
  #list = el("ol", { "aria-label": "What waits to be sent", hidden: true, tabindex: "0" });
  #toggle = button("Show", () => this.#open(this.#list.hidden), { kind: "quiet", hidden: true });
  #line = el("div.line", {}, this.#text, this.#toggle);
  element = el("div.away-bar", { hidden: true, id: "banner" }, this.#list, this.#line);

  constructor() {
    this.#open(false);
  }

  /**
   * @param {{ words: string, isSent: boolean, takeBack: () => void }[]} waiting in the order of sending
   * @param {boolean} isSilent whether the server doesn't answer; else the connection was ended
   */
  show(waiting, isSilent) {
    this.element.hidden = false;
    const count = waiting.length;
    const why = isSilent ? "The server doesn’t answer" : "The connection is lost";
    const end = isSilent ? "it does" : "it is back";
    const what = count === 0 ? `What you do waits until ${end}` : `${actions(count)} to be sent when ${end}`;
    setText(this.#text, `${why}. ${what}.`);
    this.#toggle.hidden = count === 0;
    if (count === 0) this.#open(false);
    this.#list.replaceChildren(...waiting.slice(0, mostShown).map(line));
    if (count > mostShown) this.#list.append(el("li.quiet-text", {}, `and ${count - mostShown} more`));
  }

  hide() {
    this.element.hidden = true;
    this.#open(false);
    setText(this.#text, "");
  }

  #open(isOpen) {
    this.#list.hidden = !isOpen;
    this.#toggle.setAttribute("aria-expanded", isOpen);
    setText(this.#toggle, isOpen ? "Hide" : "Show");
  }
}

function actions(count) {
  return count === 1 ? "1 action waits" : `${count} actions wait`;
}

function line({ words, isSent, takeBack }) {
  // What was on its way can't be called back: it may be done.
  const way = isSent
    ? el("small.hint", {}, "was on its way")
    : button("Take back", takeBack, { kind: "quiet", "aria-label": `Take back ${words}` });
  return el("li", {}, el("span.what", {}, words), way);
}
