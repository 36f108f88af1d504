import { button, el } from "./dom.js";

/** Says what went wrong, until the user dismisses it or does something else. */
export class Notice {
  element = el("div.notice", { role: "alert", hidden: true });
  #didDismiss;

  constructor(didDismiss) {
    this.#didDismiss = didDismiss;
  }

  show(text) {
    const dismiss = button("Dismiss", () => {
      this.hide();
      this.#didDismiss();
    }, { kind: "quiet" });
    this.element.replaceChildren(el("span", {}, text), dismiss);
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
  }
}
