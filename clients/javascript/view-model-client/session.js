// A view's session: attached to one connection after another, in step with the server, until it ends.
import { ViewModelError, isForNow, ownError, stallReason } from './errors.js';
import { Feed } from './feed.js';
import { Lists } from './lists.js';
import { Listeners } from './listeners.js';
import { Outbox } from './outbox.js';
import { View } from './view.js';

/** A view's attachment to connections. `peer` is null while it isn't attached. */
export class Session {
  /** The client's name for this view, kept over reconnects. It needs to differ, not to be secret. */
  name;
  viewModel = '';
  key = '';
  seq = 0;
  epoch;
  navigation = { stack: [], presented: null };
  /** What the key allows; undefined where that is everything. */
  access;
  /** Who is here, as the server told last; empty where the client doesn't ask. */
  views = [];
  closed = null;
  feed;
  outbox;
  lists;
  /** Listeners to 'attached', 'stall', 'views' and 'delivery', which wait for nobody. */
  news;
  view = new View(this);
  #port;
  #peer = null;
  #number = 0;
  #waiting = [];
  #retryTimer = null;
  #cause;
  /** Whether any notification came in order since the view was attached. */
  #isInOrder = false;
  /** Whether it is attached anew only to send refused events again, of which nobody is to see anything. */
  #isComingBack = false;
  /** Whether another view has taken its place on this connection. */
  #wasReplaced = false;
  /** How many requests are unanswered, events and the opening aside. */
  #unanswered = 0;
  /** What is asked again a little later, since the server's store can't be used, with the reason. */
  #refusals = new Map();
  #toldStall;

  /** @param wanted `{ viewModel }` that is opened, or the `{ key }` of a session that is attached */
  constructor(port, { viewModel = '', key = '' }) {
    this.#port = port;
    Object.assign(this, { viewModel, key });
    this.name = port.takeName(this);
    this.feed = new Feed((error) => port.problem(error), () => this.viewModel);
    this.news = new Listeners((error) => port.problem(error));
    this.outbox = new Outbox(port, {
      request: (params, options) => this.#peer.request('view/event', { session: this.#number, ...params }, options),
      isAttached: () => this.isAttached,
      reattach: () => {
        if (!this.#peer) return;
        this.#isComingBack = true;
        this.#reattach();
      },
      hasListeners: () => this.news.has('delivery'),
      tell: (delivery) => this.news.call('delivery', delivery),
      didChange: () => {
        if (this.#refusals.has(this.outbox) && !this.outbox.isWaiting) this.#refused(this.outbox, null);
        this.tellStall();
      },
      refused: (error) => this.#refused(this.outbox, error),
    });
    this.lists = new Lists({
      timers: port.timers,
      limits: port.limits,
      problem: (error) => port.problem(error),
      isAttached: () => this.isAttached,
      request: (params, options) => this.#ask('session/rows', { session: this.#number, ...params }, options),
      read: (params, options) => this.#readRows(params, options),
      refused: (list, error) => this.#refused(list, error),
    });
  }

  get isAttached() {
    return this.#peer !== null;
  }

  /** Whether events come, or will in a moment. */
  get isFollowing() {
    return (this.isAttached || this.#isComingBack) && !this.isSilent;
  }

  get isSilent() {
    return this.#port.isSilent();
  }

  /** Why something is asked again a little later, where that is the server's store. */
  get refusal() {
    return [...this.#refusals.values()][0];
  }

  get stall() {
    if (this.closed) return undefined;
    const stall = this.refusal ?? this.#port.stall();
    const isWaiting = () => this.#refusals.size > 0 || this.#unanswered > 0 || this.outbox.isWaiting;
    return stall !== undefined && isWaiting() ? stall : undefined;
  }

  tellStall() {
    const { stall } = this;
    if (stall === this.#toldStall) return;
    this.#toldStall = stall;
    this.news.call('stall', stall);
  }

  /** The server's store works: what was refused and is on its way again waits for something else. */
  storeWorks() {
    if (!this.outbox.isStalled) this.#refused(this.outbox, null);
  }

  /** @param error of what `by` asks again a little later; null where it doesn't */
  #refused(by, error) {
    const isStore = error?.name === 'StoreUnavailable';
    if (!isStore && !this.#refusals.has(by)) return;
    if (isStore) this.#refusals.set(by, stallReason(error.message));
    else this.#refusals.delete(by);
    this.tellStall();
    this.#port.didChangeRefusal();
  }

  /** Sends a request, of which it counts whether it is answered. */
  async #ask(method, params, options, peer = this.#peer) {
    this.#unanswered += 1;
    try {
      return await peer.request(method, params, options);
    } finally {
      this.#unanswered -= 1;
      this.tellStall();
    }
  }

  didChangeSilence() {
    if (this.isAttached) this.news.call('attached', !this.isSilent);
  }

  joined(key, since, result, peer) {
    this.key = key;
    this.seq = since;
    this.lists.isBegun = since > 0;
    this.#didAttach(result, peer);
    this.#port.add(this);
  }

  /** Attaches again on a new connection. */
  async resume(peer) {
    // Where a view was left or closed meanwhile, there is nothing to come back to.
    if (this.closed) return;
    try {
      await this.#attach(peer);
    } catch (error) {
      if (this.closed || peer.isOver) return;
      this.#stayAway();
      if (isForNow(error)) {
        this.#refused(this, error);
        this.#retryTimer = this.#port.timers.setTimeout(() => this.resume(peer), error.data.retryAfterMs);
      } else if (error.name === 'UnknownSession') {
        this.end({ reason: 'gone', message: 'the session ended while the connection was lost' }, error);
      } else {
        this.end({ reason: 'failed', message: `the view can't be attached again: ${error.message}` }, error);
      }
    }
  }

  connectionLost() {
    this.#port.timers.clearTimeout(this.#retryTimer);
    this.outbox.connectionLost();
    this.#wasReplaced = false;
    this.#refusals.clear();
    this.#stayAway();
    this.#leave();
  }

  #leave() {
    if (this.#peer === null) return;
    this.#peer = null;
    this.lists.left();
    if (!this.#isComingBack) this.news.call('attached', false);
  }

  /** It takes longer to come back. */
  #stayAway() {
    if (!this.#isComingBack) return;
    this.#isComingBack = false;
    if (!this.isAttached) this.news.call('attached', false);
  }

  /** @param length how long the message was */
  received(method, params, length) {
    if (method === 'session/views') {
      this.views = params.views;
      return this.news.call('views', this.views);
    }
    if (method === 'session/closed') {
      // By what this client sent on a connection that it gave up, and came late. The second time it is another client.
      const isLate = params.reason === 'replaced' && !this.#wasReplaced;
      this.#wasReplaced ||= isLate;
      if (params.reason === 'overflow' || isLate) return this.#reattach(false);
      return this.end({ reason: params.reason, message: reasons[params.reason] ?? params.reason });
    }
    const previous = params.after ?? params.seq - 1;
    if (previous !== this.seq) return this.#outOfOrder(method, params);
    this.#isInOrder = true;
    this.seq = params.seq;
    if (method === 'viewModel/event') {
      const details = { seq: params.seq, more: params.more === true, isSnapshot: false };
      this.lists.event(params.event, details);
      this.feed.event(params.event, details, length);
    } else {
      const action = method.slice('navigation/'.length);
      const { viewModel, key } = params;
      this.#navigate(action, { viewModel, key });
      this.feed.navigation(viewModel === undefined ? { action, key } : { action, viewModel, key });
    }
  }

  /**
   * @param cause the error for which it ended
   * @param answersCome whether events that are on their way will still be answered
   */
  end(closed, cause, answersCome = true) {
    if (this.closed) return;
    this.closed = { message: reasons[closed.reason] ?? closed.reason, ...closed };
    this.#cause = cause;
    this.#port.timers.clearTimeout(this.#retryTimer);
    this.#peer?.sessions.delete(this.#number);
    this.#port.remove(this);
    // Before the listeners hear of the end: they may ask what was lost with it.
    this.outbox.end(closedError(this.closed, cause), answersCome);
    this.#refusals.clear();
    this.tellStall();
    this.#port.didChangeRefusal();
    this.#stayAway();
    this.#leave();
    this.feed.end(this.closed);
    this.#wake();
  }

  async detach() {
    if (this.closed) return;
    const [peer, session] = [this.#peer, this.#number];
    this.end({ reason: 'detached' });
    // Where the connection is lost, the view is gone as well.
    await peer?.request('session/detach', { session }).catch(ignoreLoss);
  }

  async endForAll() {
    while (await this.#isThere()) {
      try {
        await this.#ask('session/close', { session: this.#number });
        this.end({ reason: 'closed' });
      } catch (error) {
        if (error.name === 'UnknownSession') this.end({ reason: 'closed' });
        else if (error.name !== 'ConnectionLost') throw error;
      }
    }
  }

  async readKey() {
    for (;;) {
      if (!(await this.#isThere())) throw closedError(this.closed, this.#cause);
      try {
        return (await this.#ask('session/key', { session: this.#number, access: 'read' })).key;
      } catch (error) {
        if (error.name !== 'ConnectionLost') throw error;
      }
    }
  }

  async back() {
    if (!(await this.#isThere())) throw closedError(this.closed, this.#cause);
    await this.#ask('navigation/back', { session: this.#number });
  }

  /** Asks for rows, until the attachment gets them on which they were asked for. */
  async #readRows(params, { signal, taken }) {
    for (;;) {
      if (!(await this.#isThere())) throw closedError(this.closed, this.#cause);
      signal?.throwIfAborted();
      const [peer, session] = [this.#peer, this.#number];
      // Lost again since.
      if (!peer) continue;
      const isCurrent = () => this.#peer === peer && this.#number === session;
      try {
        const options = { signal, taken: (result) => isCurrent() && taken(result) };
        await this.#ask('session/rows', { session, ...params() }, options, peer);
        if (isCurrent()) return;
      } catch (error) {
        if (isCurrent() || (error.name !== 'ConnectionLost' && error.name !== 'UnknownSession')) throw error;
      }
    }
  }

  /** Whether it is attached now; waits while it isn't, until that is certain. */
  async #isThere() {
    while (!this.#peer && !this.closed) await new Promise((resolve) => this.#waiting.push(resolve));
    return this.closed === null;
  }

  #wake() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  async #attach(peer) {
    const attach = (since) => {
      const params = { key: this.key, client: this.name, ...this.#port.asked(), ...place(since, this.epoch) };
      return this.#ask('session/attach', params, { taken: (result) => this.#didAttach(result, peer) }, peer);
    };
    try {
      await attach(this.seq);
    } catch (error) {
      // Neither can be answered with the events that are missing, but perhaps with all that is to be shown.
      const isTooLate = error.name === 'ReplayUnavailable' || error.data?.path === '/since';
      if (!isTooLate) throw error;
      await attach();
    }
  }

  /** Attaches again on the same connection, to come into step with the server. */
  #reattach(isThere = true) {
    const peer = this.#peer;
    peer.sessions.delete(this.#number);
    this.#leave();
    if (isThere) peer.request('session/detach', { session: this.#number }).catch(() => {});
    return this.resume(peer);
  }

  #didAttach(result, peer) {
    // Left while the answer was on its way.
    if (this.closed) return peer.giveUp('session/detach', result.session);
    this.viewModel = result.viewModel;
    this.epoch = result.epoch;
    this.access = result.access;
    this.navigation = result.navigation ?? { stack: [], presented: null };
    this.#attached(result, peer);
    if (result.snapshot) {
      this.seq = result.seq;
      this.lists.snapshot(result.snapshot, this.seq);
      this.feed.snapshot(result.snapshot, this.seq, this.navigation);
    }
    this.outbox.attached(result.handled);
    this.lists.attached();
  }

  #attached(result, peer) {
    this.#peer = peer;
    this.#number = result.session;
    this.#isInOrder = false;
    peer.add(result.session, this);
    this.#refused(this, null);
    this.#wake();
    const wasComingBack = this.#isComingBack;
    this.#isComingBack = false;
    if (!wasComingBack) this.news.call('attached', true);
  }

  #navigate(action, child) {
    const { stack, presented } = this.navigation;
    switch (action) {
      case 'push':
        this.navigation = { stack: [...stack, child], presented };
        break;
      case 'present':
        this.navigation = { stack, presented: child };
        break;
      case 'pop':
        this.navigation = { stack: stack.filter((other) => other.key !== child.key), presented };
        break;
      case 'dismiss':
        this.navigation = { stack, presented: presented?.key === child.key ? null : presented };
        break;
    }
  }

  #outOfOrder(method, { seq, after }) {
    const came = after === undefined ? `${seq}` : `${seq} (after ${after})`;
    const message = `${method} ${came} of ${this.viewModel} came where ${this.seq + 1} is next`;
    const data = { seq, after, last: this.seq, key: this.key };
    this.#port.problem(ownError('ProtocolError', message, undefined, data));
    // One that was there before is passed over.
    if (seq <= this.seq) return;
    // Lost on the way, or sent wrong: attaching again gets it, unless the server does it again.
    if (this.#isInOrder) this.#reattach();
    else this.end({ reason: 'failed', message: `${message}, and attaching again didn't help` });
  }
}

const reasons = {
  closed: 'the session was closed',
  dismissed: 'it was dismissed',
  popped: 'it was left',
  failed: 'the view model failed',
  overflow: 'too much waited for this view',
  serverShutdown: 'the server shut down',
  replaced: 'it is shown elsewhere, under the same name',
  detached: 'the view was detached',
};

function closedError({ reason, message }, cause) {
  const options = cause && { cause };
  return new ViewModelError(-32012, `the view is closed: ${message}`, { reason }, undefined, options);
}

function ignoreLoss(error) {
  if (error.name !== 'ConnectionLost' && error.name !== 'UnknownSession') throw error;
}

/** Where a view goes on: at a number of a history, which another one may have taken the place of. */
export function place(since, epoch) {
  if (since === undefined) return {};
  return epoch === undefined ? { since } : { since, epoch };
}
