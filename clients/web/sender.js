/**
 * Sends one session's events, and knows which of them aren't done.
 *
 * An element that an event is marked with has the number of its events that wait as `data-waiting`.
 */
export class Sender {
  /** In the order of sending. */
  #entries = new Set();
  #attached = Promise.resolve(undefined);
  #view;
  #didChange;
  #aboutOf;
  #whenIdle = [];

  /**
   * @param {(sender: Sender) => void} didChange is called when something waits, and when it doesn't any more
   * @param {(event: object) => { viewModel: string, title: string, words: string }} aboutOf names an event to the user
   */
  constructor(didChange, aboutOf) {
    this.#didChange = () => didChange(this);
    this.#aboutOf = aboutOf;
  }

  /** @param {Promise<object | undefined>} view resolves with undefined where there is no session */
  attach(view) {
    this.#attached = view.then((view) => {
      this.#view = view;
      view?.onDelivery(this.#didChange);
      return view;
    });
  }

  /** What the user has done and the view model hasn't, with whether it was on its way when the connection was lost. */
  get waiting() {
    const entries = [...this.#entries].filter(({ controller }) => !controller.signal.aborted);
    const pending = this.#view?.pending ?? [];
    // Those that are answered in this moment are the first.
    const answered = this.#view ? entries.length - pending.length : 0;
    return entries.slice(Math.max(0, answered)).map(({ controller, ...entry }, index) => ({
      ...entry,
      isSent: pending[index]?.isSent ?? false,
      takeBack: () => controller.abort(),
    }));
  }

  get isIdle() {
    return this.#entries.size === 0;
  }

  /** Resolves when nothing waits. */
  async idle() {
    if (!this.isIdle) await new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** @returns {Promise<boolean>} false where there is no session to send it to */
  async send(event, { signal, onProgress, mark, isQuiet = false } = {}) {
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    const entry = { event, controller, isQuiet, ...this.#aboutOf(event) };
    this.#entries.add(entry);
    count(mark, 1);
    this.#didChange();
    try {
      const view = await unlessAborted(controller.signal, this.#attached);
      await view?.send(event, { signal: controller.signal, onProgress });
      return view !== undefined;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#entries.delete(entry);
      count(mark, -1);
      this.#didChange();
      if (this.isIdle) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }
}

/** The senders of which something waits, also those of sessions that were left. */
export class Senders {
  #all = new Set();

  didSend(sender) {
    if (sender.isIdle) this.#all.delete(sender);
    else this.#all.add(sender);
  }

  get waiting() {
    return [...this.#all].flatMap((sender) => sender.waiting);
  }

  /** What the user would miss. Of what is looked for while one types, nobody does. */
  get unanswered() {
    return this.waiting.filter(({ isQuiet }) => !isQuiet);
  }
}

function count(element, by) {
  if (!element) return;
  const waiting = Number(element.dataset.waiting ?? 0) + by;
  if (waiting > 0) element.dataset.waiting = waiting;
  else delete element.dataset.waiting;
}

function unlessAborted(signal, promise) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject);
  });
}
