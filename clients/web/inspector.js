import { button, el } from "./dom.js";
import { shorten } from "./json.js";

const mostMessages = 400;

const marks = {
  in: { mark: "←", words: "received", kind: "in" },
  out: { mark: "→", words: "sent", kind: "out" },
  error: { mark: "✗", words: "received an error", kind: "in.error" },
  note: { mark: "!", words: "note", kind: "note" },
};

/** The messages of both directions as they were, newest last; the oldest are forgotten. */
export class Inspector {
  #entries = [];
  /** The elements of messages that are forgotten. */
  #old = [];
  #waiting = [];
  #isPaused = false;
  #frame = 0;
  /** Methods of the requests that aren't answered, by id. */
  #asked = new Map();
  /** Whether the newest message is in sight, and is to stay so. Not asked of the page, which would lay it out again. */
  #isAtEnd = true;
  #list = el("ol.messages", { "aria-label": "Messages" });
  #empty = el("p.quiet-text", {}, "No messages yet.");
  #count = el("span.quiet-text", {});
  #filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter messages" });
  #pause = button("Pause", () => this.#togglePause(), { kind: "quiet", "aria-pressed": "false" });
  #scroller = el("div.scroller", { tabindex: "0", role: "region", "aria-label": "Messages" }, this.#empty, this.#list);

  constructor(onClose) {
    this.#filter.addEventListener("input", () => this.#applyFilter());
    const close = button("Close", onClose, { kind: "quiet", "aria-label": "Close inspector" });
    this.element = el(
      "aside.inspector",
      { "aria-label": "Inspector", hidden: true },
      el("header", {}, el("h2", {}, "Messages"), this.#count, close),
      el("div.tools", {}, this.#filter, this.#pause, button("Clear", () => this.#clear(), { kind: "quiet" })),
      this.#scroller,
    );
    this.#scroller.addEventListener("scroll", () => this.#didScroll(), { passive: true });
  }

  get isShown() {
    return !this.element.hidden;
  }

  show(isShown) {
    this.element.hidden = !isShown;
    if (!isShown) return;
    this.#render();
    this.#filter.focus();
  }

  #didScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
  }

  /** @param {{ direction: "in" | "out", message: unknown, at: number }} traffic */
  add({ direction, message, at }) {
    const { value, cut } = shorten(message);
    // A token must not be seen over a shoulder, or in a copy that is sent to others.
    if (value?.method === "initialize" && value.params?.token !== undefined) value.params.token = "…";
    this.#take({ direction, value, cut, at: new Date(at), answers: this.#question(direction, message) });
  }

  #question(direction, message) {
    const { id, method } = message ?? {};
    if (direction === "out") {
      if (method !== undefined && id !== undefined) this.#asked.set(id, method);
      return undefined;
    }
    if (method !== undefined) return undefined;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** A line between the messages that isn't one, such as a lost connection. */
  note(text) {
    this.#take({ direction: "note", value: text, cut: false, at: new Date() });
  }

  #take(entry) {
    if (this.#isPaused) {
      this.#waiting.push(entry);
      if (this.#waiting.length > mostMessages) this.#waiting.shift();
    } else {
      this.#keep([entry]);
    }
    this.#render();
  }

  #keep(entries) {
    this.#entries.push(...entries);
    this.#forget(this.#entries.length - mostMessages);
  }

  #forget(count) {
    for (const { element } of this.#entries.splice(0, Math.max(0, count))) if (element) this.#old.push(element);
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused;
    this.#pause.setAttribute("aria-pressed", this.#isPaused);
    this.#pause.textContent = this.#isPaused ? "Go on" : "Pause";
    if (!this.#isPaused) this.#keep(this.#waiting.splice(0));
    this.#render();
  }

  #clear() {
    this.#forget(this.#entries.length);
    this.#waiting = [];
    this.#render();
  }

  /** Once a frame at most, only what is new, and after the frame in which what a message changed is painted. */
  #render() {
    if (!this.isShown || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      const painted = this.#entries.filter(({ element }) => !element);
      setTimeout(() => this.#draw(painted));
    });
  }

  #draw(painted) {
    this.#frame = 0;
    // Some may be forgotten since.
    const added = painted.filter((entry) => this.#entries.includes(entry));
    for (const entry of added) {
      entry.element = makeEntry(entry, this.#scroller);
      entry.element.hidden = !matches(entry, this.#filter.value);
    }
    for (const element of this.#old.splice(0)) element.remove();
    this.#list.append(...added.map(({ element }) => element));
    this.#tell();
    if (this.#isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    if (this.#entries.at(-1)?.element === undefined && this.#entries.length > 0) this.#render();
  }

  #applyFilter() {
    for (const entry of this.#entries) if (entry.element) entry.element.hidden = !matches(entry, this.#filter.value);
    this.#tell();
  }

  #tell() {
    const shown = this.#entries.filter((entry) => entry.element && !entry.element.hidden).length;
    const waiting = this.#waiting.length ? `, ${this.#waiting.length} waiting` : "";
    const all = this.#entries.length;
    this.#count.textContent = (shown === all ? `${all}` : `${shown} of ${all}`) + waiting;
    this.#empty.hidden = shown > 0;
    this.#empty.textContent = this.#entries.length ? "No message matches the filter." : "No messages yet.";
  }
}

function textOf(entry) {
  entry.text ??= JSON.stringify(entry.value);
  return entry.text;
}

function matches(entry, filter) {
  return filter === "" || textOf(entry).toLowerCase().includes(filter.toLowerCase());
}

function makeEntry(entry, scroller) {
  const body = el("div.body");
  const { mark, words, kind } = marks[markOf(entry)];
  const details = el(
    "details",
    {},
    el(
      "summary",
      {},
      el("span.direction", { "aria-hidden": "true" }, mark),
      el("span.visually-hidden", {}, words),
      el("span.what", {}, summary(entry)),
      el("time", { datetime: entry.at.toISOString() }, clockTime(entry.at)),
    ),
    body,
  );
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    show(entry, body);
    // What was opened is looked at, also where it is the last one.
    const { top, bottom } = details.getBoundingClientRect();
    const place = scroller.getBoundingClientRect();
    if (bottom > place.bottom) scroller.scrollTop += Math.min(bottom - place.bottom, top - place.top);
  });
  return el(`li.${kind}`, {}, details);
}

function show(entry, body) {
  if (body.firstChild) return;
  const copy = button("Copy", async () => {
    const done = await copyText(JSON.stringify(entry.value, null, 2));
    copy.textContent = done ? "Copied" : "The browser refused";
  }, { kind: "quiet" });
  body.append(el("pre", { tabindex: "0" }, JSON.stringify(entry.value, null, 2)), copy);
  if (entry.cut) body.append(el("small.hint", {}, "Shortened here: the message was longer."));
}

function markOf({ direction, value }) {
  return direction !== "note" && value?.error ? "error" : direction;
}

function summary({ value: message, answers }) {
  if (typeof message === "string") return message;
  if (Array.isArray(message)) return `batch of ${message.length}`;
  const { method, id, params, error } = message ?? {};
  if (method !== undefined) {
    const kind = params?.event?.kind ?? params?.viewModel ?? "";
    return [id === undefined ? null : `#${id}`, method, kind].filter(Boolean).join(" ");
  }
  if (!error) return `#${id} answer${answers ? ` to ${answers}` : ""}`;
  return `#${id} error ${error.code}${answers ? ` to ${answers}` : ""}: ${error.message}`;
}

function clockTime(date) {
  const padded = (number, length = 2) => String(number).padStart(length, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part)).join(":");
  return `${time}.${padded(date.getMilliseconds(), 3)}`;
}

/** Whether it went to the clipboard; browsers give it to pages from a secure place only. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
