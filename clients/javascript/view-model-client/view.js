/** A view of one session, over all reconnects. Made by a client's `open` and `attach`. */
export class View {
  #session;

  constructor(session) {
    this.#session = session;
  }

  /** The name of the view model. */
  get viewModel() {
    return this.#session.viewModel;
  }

  /** With it, any client may attach to the same session. */
  get key() {
    return this.#session.key;
  }

  /** The number of the newest event that came. */
  get seq() {
    return this.#session.seq;
  }

  /** Which history the number is of; undefined where the server doesn't say. */
  get epoch() {
    return this.#session.epoch;
  }

  /** 'read' where the key only lets one look; undefined where it allows everything. */
  get access() {
    return this.#session.access;
  }

  /** Who is here, where the client was made with `views`: `[{ client?, program?, principal?, access?, you }, …]`. */
  get views() {
    return this.#session.views;
  }

  /** The children on and over this view: `{ stack: [{ viewModel, key }], presented }`. */
  get navigation() {
    return this.#session.navigation;
  }

  /** Null until the view is closed, then `{ reason, message }`. */
  get closed() {
    return this.#session.closed;
  }

  /** Whether its events come now. While it isn't, what is shown may be old. */
  get isAttached() {
    return this.#session.isFollowing;
  }

  /** Why what this view waits for isn't done, where the server can't store anything now; undefined else. */
  get stall() {
    return this.#session.stall;
  }

  /** The events that were sent with `send` and aren't answered: `[{ event, isSent }, …]`, in their order. */
  get pending() {
    return this.#session.outbox.pending;
  }

  /**
   * The events that are given back, `[{ event, isSent }, …]`: those that were lost with the session, and those of which
   * the server can't say any more whether it took them. Complete when the view is closed.
   */
  get dropped() {
    return this.#session.outbox.dropped;
  }

  /** The view model's events: for the first iteration from the first event on, for others from their beginning. */
  get events() {
    const feed = this.#session.feed;
    return { [Symbol.asyncIterator]: () => feed.iterator() };
  }

  /** Resolves when the view model has handled it, and all that it said meanwhile has come. */
  send(event, { signal, onProgress } = {}) {
    return this.#session.outbox.add(event, signal, onProgress);
  }

  /**
   * The list of this name, the same object each time.
   *
   * @param options.id the member by which rows are known again: `id` where nothing is said, null for none
   */
  list(name, { id } = {}) {
    return this.#session.lists.named(name, id);
  }

  /** Calls the listener with each event of a kind ('*': of any) until what is returned is called. */
  on(kind, listener) {
    return this.#session.feed.on(kind === '*' ? 'event' : `event ${kind}`, listener);
  }

  onAny(listener) {
    return this.#session.feed.on('event', listener);
  }

  /** Calls the listener with each `{ action: 'push' | 'present' | 'pop' | 'dismiss', viewModel?, key }`. */
  onNavigation(listener) {
    return this.#session.feed.on('navigation', listener);
  }

  /** Calls the listener before the events of a snapshot: what is shown so far is to be forgotten. */
  onSnapshot(listener) {
    return this.#session.feed.on('snapshot', listener);
  }

  /** Calls the listener with each `{ state: 'pending' | 'sent' | 'settled' | 'dropped', event, isSent }`. */
  onDelivery(listener) {
    return this.#session.news.add('delivery', listener);
  }

  /** Calls the listener with true or false when `isAttached` changes. */
  onAttached(listener) {
    return this.#session.news.add('attached', listener);
  }

  /** Calls the listener with `views` when somebody has come or gone. */
  onViews(listener) {
    return this.#session.news.add('views', listener);
  }

  /** Calls the listener with `stall` when that changes. */
  onStall(listener) {
    return this.#session.news.add('stall', listener);
  }

  /** Calls the listener with `{ reason, message }` when the view is closed; at once where it is already. */
  onClosed(listener) {
    return this.#session.feed.on('closed', listener);
  }

  /** A key for others, with which they see the session and do nothing else. The same each time. */
  readKey() {
    return this.#session.readKey();
  }

  /** Leaves the session: to its other views, or to whoever comes back before the server ends it. */
  detach() {
    return this.#session.detach();
  }

  /** Ends the session for everyone, and removes what is stored of it; one of the scope 'everyone' it only leaves. */
  endSession() {
    return this.#session.endForAll();
  }

  /** Goes back from a child. Rejects with `data.refused` where the view model stays. */
  back() {
    return this.#session.back();
  }
}
