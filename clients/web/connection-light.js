import { button, el, setText } from "./dom.js";

const words = {
  connecting: "Connecting…",
  connected: "Connected",
  waiting: "Reconnecting",
  closed: "Not connected",
};

/** Says in words and by a colour whether the server is reached, and lets the user try again at once. */
export class ConnectionLight {
  #state = "connecting";
  #until = 0;
  #timer = 0;
  #text = el("span", { role: "status" }, words.connecting);
  // Not in the live region: nobody wants to hear seconds counted.
  #seconds = el("span.seconds", { "aria-hidden": "true" });
  #retry;

  /** @param {() => void} retry is called by "Now" and "Connect" */
  constructor(retry) {
    this.#retry = button("Now", retry, { kind: "quiet", hidden: true });
    const lamp = el("span.lamp", { "aria-hidden": "true" });
    this.element = el("div.light", {}, lamp, this.#text, this.#seconds, this.#retry);
    this.show("connecting");
  }

  /**
   * @param {"connecting" | "connected" | "waiting" | "closed"} state
   * @param {number} [milliseconds] until the next attempt
   */
  show(state, milliseconds) {
    this.#state = state;
    this.#until = milliseconds === undefined ? 0 : performance.now() + milliseconds;
    this.element.dataset.state = state;
    setText(this.#text, words[state] ?? state);
    this.#retry.hidden = state === "connected" || state === "connecting";
    setText(this.#retry, state === "closed" ? "Connect" : "Now");
    clearInterval(this.#timer);
    if (state === "waiting") this.#timer = setInterval(() => this.#count(), 250);
    this.#count();
  }

  #count() {
    const left = Math.ceil((this.#until - performance.now()) / 1000);
    setText(this.#seconds, this.#state === "waiting" && left > 0 ? `in ${left} s` : "");
  }
}
