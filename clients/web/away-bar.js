import { button, el, setText } from "./dom.js";

const mostShown = 50;

/** Says why nothing is done that is sent, and what waits for that. It covers nothing that moves because of it. */
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
   * @param {{ isSilent: boolean, stall?: string }} client why there is no answer: else the connection was ended
   * @param {boolean} isUsual whether nothing is known to be wrong
   */
  show(waiting, { isSilent, stall }, isUsual = false) {
    this.element.hidden = false;
    const count = waiting.length;
    const away = isUsual ? whyLate : stall === undefined ? whyAway : whyStalled;
    setText(this.#text, away(count, { isSilent, stall }));
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

function whyLate(count) {
  return `The server hasn’t answered yet. ${actions(count)} for it.`;
}

function whyAway(count, { isSilent }) {
  const why = isSilent ? "The server doesn’t answer" : "The connection is lost";
  const end = isSilent ? "it does" : "it is back";
  return `${why}. ${count === 0 ? `What you do waits until ${end}` : `${actions(count)} to be sent when ${end}`}.`;
}

function whyStalled(count, { stall }) {
  return `The server can’t store anything now (${stall}). ${count === 0 ? "What was sent waits" : actions(count)} for it.`;
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
