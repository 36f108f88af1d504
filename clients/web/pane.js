import { button, el, newID, sentence, setText } from "./dom.js";
import { makeEnd, problemOf, reasonOf } from "./ended.js";
import { lineOf, makeGenericView, mostEvents } from "./generic-view.js";
import { wordsOfHere } from "./here.js";
import { keepFromSending } from "./looking.js";
import { Notice } from "./notice.js";
import { makeOwnView } from "./own-view.js";
import { Sender } from "./sender.js";
import { wordsOf } from "./unsent.js";
import { titleOf } from "./views.js";

/** One session on screen: its title, its view, and what the user must know about it. */
export class Pane {
  viewModel;
  key;
  /** The client's view; undefined until it is attached. */
  view;
  /** The pane that is presented over this one. */
  presented = null;
  /** Whether it is shown in a part of the view below. */
  isBeside = false;
  hasEnded = false;
  /** As a view's `closed` has it, or `refused`; undefined until it has ended. */
  endReason;

  #screen;
  #stack;
  #isRemoved = false;
  #isEnding = false;
  #isGoingBack = false;
  #heading;
  #title;
  #notice = new Notice(() => this.focus());
  #age = el("p.age");
  #here = el("p.here", { hidden: true });
  #looking = el("p.looking", { hidden: true }, "You may only look at this session.");
  #back;
  #body = el("div.body");
  #sender;
  /** Undefined until it is made, and null where there is none. */
  #own;
  #generic;
  /** For the generic view, which is made when it is first looked at. */
  #newest = new Map();
  #lines = [];
  #attached;
  #focusBefore = null;
  #scrollBefore = 0;
  #removers = [];

  /**
   * @param {import("./screen.js").Screen} screen
   * @param {import("./screen.js").Stack} stack that it is on
   * @param {"root" | "pushed" | "beside" | "presented"} place
   */
  constructor(screen, stack, viewModel, key, place) {
    this.#screen = screen;
    this.#stack = stack;
    this.viewModel = viewModel;
    this.key = key;
    this.#title = titleOf(viewModel);
    const level = ["beside", "presented"].includes(place) ? "h2" : "h1";
    const canLeave = ["pushed", "beside"].includes(place);
    this.#heading = el(level, { id: newID("title"), tabindex: "-1" }, this.#title);
    this.#back = canLeave && button("Back", () => this.#screen.back(), { kind: "back" });
    this.element = el(
      "section.pane",
      { "aria-labelledby": this.#heading.id, "data-view-model": viewModel, "data-place": place },
      this.#age,
      el("header", {}, this.#back, this.#heading),
      this.#here,
      this.#looking,
      this.#notice.element,
      this.#body,
    );
    this.#sender = new Sender((sender) => this.#screen.didSend(sender), (event) => this.#aboutOf(event));
    this.showAge();
    this.setGeneric(screen.isGeneric);
  }

  get title() {
    return this.#title;
  }

  get titleID() {
    return this.#heading.id;
  }

  get isAttaching() {
    return this.view === undefined && !this.hasEnded;
  }

  /** @param {Promise<object>} view */
  attach(view) {
    this.#attached = this.#didAttach(view);
    this.#sender.attach(this.#attached);
    return this.#attached;
  }

  /** @returns {Promise<object | undefined>} the view */
  async #didAttach(promise) {
    let view;
    try {
      view = await promise;
    } catch (error) {
      for (const { event } of this.#sender.waiting) this.#giveBack({ event, isSent: false });
      if (!this.#isRemoved) this.#end(problemOf(error), error.name === "UnknownSession" ? "gone" : "refused");
      return undefined;
    }
    this.view = view;
    this.key = view.key;
    // Kept when the pane is taken off: what is lost then is the user's all the same.
    view.onDelivery((delivery) => this.#didDeliver(delivery));
    if (this.#isRemoved) this.#leave();
    else this.#listen();
    return view;
  }

  #listen() {
    const { view } = this;
    this.#removers = [
      view.onAttached(() => this.showAge()),
      view.onViews(() => this.#showHere()),
      view.onSnapshot(() => this.#didStartAnew()),
      view.on("*", (event, { seq }) => this.#didReceive(event, seq)),
      view.onNavigation((change) => this.#didNavigate(change)),
      view.onClosed((closed) => this.#didClose(closed)),
    ];
    this.showAge();
    this.#showHere();
    if (this.looksOnly) this.#beginLooking();
    this.#rebuild();
    this.#screen.didChange();
  }

  #showHere() {
    const words = wordsOfHere(this.view.views);
    this.#here.hidden = words === "";
    setText(this.#here, words);
  }

  /** Whether the key that it was attached with allows nothing else. */
  get looksOnly() {
    return this.view?.access === "read";
  }

  #beginLooking() {
    this.element.classList.add("looks-only");
    this.#looking.hidden = false;
    if (this.#back) this.#back.hidden = true;
    keepFromSending(this.#body);
  }

  #didDeliver({ state, event, isSent }) {
    if (state !== "dropped" || this.#isEnding) return;
    // Left twice, as by a double click: it was left.
    const isLeft = ["popped", "dismissed"].includes(this.view.closed?.reason);
    if (!isSent || !isLeft) this.#giveBack({ event, isSent });
  }

  #giveBack(lost) {
    this.#screen.giveBack({ ...this.#aboutOf(lost.event), ...lost });
  }

  #aboutOf(event) {
    return { viewModel: this.viewModel, title: this.#title, words: this.#own?.words(event) ?? wordsOf(event) };
  }

  /** Whether its events come; while they don't, it may show what isn't so any more. */
  get isAway() {
    return !this.hasEnded && !this.view?.isAttached;
  }

  /** Dims what may be old, and says from when it is. What is being attached while the connection is there isn't old. */
  showAge() {
    const isLost = this.view !== undefined || document.body.classList.contains("is-away");
    this.element.classList.toggle("is-away", this.isAway && isLost);
    setText(this.#age, this.view ? `As of ${new Date().toLocaleTimeString()}` : "Waits for the connection");
  }

  /** Puts on screen what the server says is there. */
  #rebuild() {
    const { stack, presented } = this.view.navigation;
    if (this.#stack.root === this) this.#stack.rebuild(stack);
    if (this.presented && this.presented.key !== presented?.key) this.#dismiss(this.presented.key);
    if (presented) this.#present(presented);
  }

  #didStartAnew() {
    this.#own?.reset();
    this.#generic?.reset();
    this.#newest.clear();
    this.#rebuild();
  }

  #didReceive(event, seq) {
    const line = lineOf(event, seq);
    this.#newest.set(event.kind, event);
    this.#lines.push(line);
    if (this.#lines.length > mostEvents) this.#lines.shift();
    this.#generic?.onEvent(event, line);
    this.#own?.onEvent(event);
  }

  #didNavigate({ action, viewModel, key }) {
    // A child that came and went while this page was away doesn't appear for a moment.
    const { stack, presented } = this.view.navigation;
    if (action === "push" && stack.some((child) => child.key === key)) this.#stack.push({ viewModel, key });
    if (action === "pop") this.#stack.pop(key);
    if (action === "present" && presented?.key === key) this.#present({ viewModel, key });
    if (action === "dismiss") this.#dismiss(key);
    this.#screen.didChange();
  }

  #present({ viewModel, key }) {
    if (this.presented?.key === key) return;
    if (this.presented) this.#dismiss(this.presented.key);
    this.presented = this.#screen.present(viewModel, key);
  }

  /** The server says so, and lets go of the session's views by itself. */
  #dismiss(key) {
    if (this.presented?.key !== key) return;
    const { presented } = this;
    this.presented = null;
    presented.remove(true);
  }

  /** Takes off what is presented although the server didn't say so: its session is gone. */
  dropPresented() {
    if (this.presented) this.#dismiss(this.presented.key);
  }

  /** @returns {Promise<boolean>} whether it was done; where it wasn't, the user has seen why */
  async send(event, { onInvalid, onRefused, ...options } = {}) {
    this.#notice.hide();
    if (this.hasEnded) return false;
    if (this.looksOnly) {
      this.notice("You may only look at this session: ask for a link with which you can edit.");
      return false;
    }
    try {
      return await this.#sender.send(event, options);
    } catch (error) {
      this.#didRefuse(error, onInvalid, onRefused ?? ((text) => this.notice(text)));
      return false;
    }
  }

  #didRefuse(error, onInvalid, onRefused) {
    if (error.name === "AbortError" || error.name === "RequestCancelled" || this.hasEnded || this.#isRemoved) return;
    const path = error.data?.path?.split("/") ?? [];
    const isAboutEvent = error.name === "InvalidParams" && path[1] === "event";
    if (isAboutEvent && onInvalid?.(path.slice(2), sentence(error.data.reason))) return;
    onRefused(sentence(error.message));
  }

  notice(text) {
    this.#notice.show(text);
  }

  /** Asks the view model whether the user may leave, and says why where not. */
  async back() {
    if (this.#isGoingBack || this.looksOnly) return;
    this.#isGoingBack = true;
    if (this.#back) this.#back.dataset.waiting = 1;
    try {
      await this.#attached;
      if (this.hasEnded) this.#stack.drop(this);
      else if (!this.#isRemoved) await this.view.back();
    } catch (error) {
      if (this.#isRemoved) return;
      // The user left a session that ended meanwhile.
      if (this.hasEnded) return this.#stack.drop(this);
      const refused = error.data?.refused;
      this.notice(sentence(refused ? `You can’t go back yet: ${refused}` : error.message));
    } finally {
      this.#isGoingBack = false;
      if (this.#back) delete this.#back.dataset.waiting;
    }
  }

  /** Where the view shows such a child; null where the child takes its place. */
  placeFor(viewModel) {
    return (!this.hasEnded && !this.#own?.element.hidden && this.#own?.beside(viewModel)) || null;
  }

  setGeneric(isGeneric) {
    if (this.hasEnded) return;
    if (this.#own === undefined) this.#makeOwn();
    const generic = isGeneric || !this.#own;
    if (generic && !this.#generic) this.#makeGeneric();
    if (this.#own) this.#own.element.hidden = generic;
    if (this.#generic) this.#generic.element.hidden = !generic;
    this.element.classList.toggle("is-generic", generic);
    if (!generic) this.#own.shown();
  }

  #makeOwn() {
    this.#own = null;
    this.#own = makeOwnView(this.viewModel, this.#context, (error) => this.#didFailToShow(error));
    if (this.#own) this.#body.append(this.#own.element);
  }

  /** The generic view knows all that came. */
  #didFailToShow(error) {
    this.#own = null;
    this.setGeneric(this.#screen.isGeneric);
    if (this.view) this.#stack.arrange();
    this.notice(sentence(`The view of this view model fails, so its events are shown: ${error.message}`));
    if (this.view) this.#screen.didChange();
  }

  get hasOwnView() {
    return Boolean(this.#own);
  }

  #makeGeneric() {
    const context = { ...this.#context, contract: this.#screen.describe(this.viewModel) };
    this.#generic = makeGenericView(context, { newest: this.#newest.values(), lines: this.#lines });
    this.#body.append(this.#generic.element);
  }

  /** Whether a view of its own is on screen that has a field for the event. */
  canRestore(event) {
    return !this.hasEnded && !this.#own?.element.hidden && this.#own?.field?.kind === event.kind;
  }

  /** Puts the text of an event back into its field, unless another one is there; then it returns false. */
  restore(event) {
    return this.canRestore(event) && this.#own.field.restore(event);
  }

  get #context() {
    return {
      send: (event, options) => this.send(event, options),
      isAway: () => this.isAway,
      list: (name, options) => this.#listOf(name, options),
      notice: (text) => this.notice(text),
      announce: (text) => this.#screen.announce(text),
      setTitle: (text) => {
        this.#title = text;
        setText(this.#heading, text);
        this.#screen.didChange();
      },
    };
  }

  /** A turn later, since views are made before they are attached. */
  async #listOf(name, options) {
    await undefined;
    return (await this.#attached)?.list(name, options);
  }

  hide() {
    if (this.element.contains(document.activeElement)) this.#focusBefore = document.activeElement;
    this.#scrollBefore = window.scrollY;
    this.element.hidden = true;
  }

  show() {
    const isReturning = this.element.hidden;
    this.element.hidden = false;
    this.#own?.shown();
    this.element.classList.toggle("is-returning", isReturning);
    if (!this.#stack.isPresented) window.scrollTo(0, this.#scrollBefore);
    this.focus();
  }

  /** To where the user was, or else to the start. */
  focus() {
    const before = this.#focusBefore;
    this.#focusBefore = null;
    if (before?.isConnected) before.focus({ preventScroll: true });
    if (document.activeElement === before && before) return;
    if (this.#own?.focus && !this.#own.element.hidden) this.#own.focus();
    else this.#heading.focus({ preventScroll: true });
  }

  /** Tells its own view that the user has opened or closed what it is in, and is kept: `begin` or `left`. */
  tell(what) {
    this.#own?.[what]();
  }

  /**
   * Takes it off the screen.
   *
   * @param {boolean} isGone whether the server has ended the session; else it goes on for other views, and for a return
   */
  remove(isGone) {
    this.#isRemoved = true;
    this.presented?.remove(isGone);
    this.presented = null;
    for (const remove of this.#removers) remove();
    if (!isGone && this.view) this.#leave();
    this.element.remove();
  }

  /** When all that the user did here has arrived. */
  async #leave() {
    await this.#sender.idle();
    this.view.detach().catch(() => {});
  }

  /** Ends the session for everyone. What still runs is the user's own to lose. */
  async endSession() {
    this.#isEnding = true;
    await this.view.endSession();
  }

  #didClose({ reason, message }) {
    // The host's own stream says what is taken off, and when.
    if (["popped", "dismissed"].includes(reason)) Object.assign(this, { hasEnded: true, endReason: reason });
    else this.#end(reasonOf({ reason, message }), reason);
  }

  #end(text, reason) {
    if (this.hasEnded) return;
    const draft = this.#own?.field?.draft();
    if (draft && !this.#isEnding) this.#giveBack({ event: draft, isSent: false, isDraft: true });
    Object.assign(this, { hasEnded: true, endReason: reason });
    this.showAge();
    this.dropPresented();
    const isRoot = this.#stack.root === this && !this.#stack.isPresented;
    this.#notice.hide();
    const isThere = reason === "replaced" || (isRoot && !this.#screen.isOver(this.key, reason));
    const end = { reason, back: !isRoot && (() => this.#screen.back()), showAgain: isThere && this.#screen.showAgain };
    this.#body.replaceChildren(makeEnd(text, this.viewModel, end));
    this.#screen.didChange();
  }
}
