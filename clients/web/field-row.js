import { el, newID, readable } from "./dom.js";

/** The value of a field can't be sent; `field` is the element to focus. */
export class FieldError extends Error {
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/** A label, an input, and room for what is wrong with it. */
export class Row {
  #input;
  #message;

  constructor(label, description, input, isOptional = false) {
    this.#input = input;
    input.id = newID("field");
    const hint = description ? el("small.hint", { id: newID("hint") }, description) : null;
    this.#message = el("small.error", { id: newID("error"), hidden: true });
    input.setAttribute("aria-describedby", [hint?.id, this.#message.id].filter(Boolean).join(" "));
    input.addEventListener("input", () => this.accept());
    const mark = isOptional && el("span.optional-mark", {}, " optional");
    const title = el("label", { for: input.id }, readable(label), mark);
    const isBox = input.type === "checkbox";
    const line = isBox ? [input, title] : [title, input];
    this.element = el(isBox ? "div.field.box" : "div.field", {}, line, hint, this.#message);
  }

  /** Takes a message off, and gives the value back. */
  accept(value) {
    this.#input.removeAttribute("aria-invalid");
    this.#message.hidden = true;
    return value;
  }

  fail(message) {
    this.#input.setAttribute("aria-invalid", "true");
    this.#message.textContent = message;
    this.#message.hidden = false;
    this.#input.focus();
    return true;
  }

  error(message) {
    this.#input.setAttribute("aria-invalid", "true");
    this.#message.textContent = message;
    this.#message.hidden = false;
    return new FieldError(message, this.#input);
  }
}
