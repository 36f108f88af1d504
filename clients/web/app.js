import { connect } from "./view-model-client.js";
import { parseAddress, webSocketAddress } from "./address.js";
import { AwayBar } from "./away-bar.js";
import { ConnectionLight } from "./connection-light.js";
import { askForToken, askToEnd, showShareDialog } from "./dialogs.js";
import { button, el, sentence } from "./dom.js";
import { makeNowhere, makeUnopened } from "./ended.js";
import { addressOf, makeGallery, makeOpening } from "./gallery.js";
import { makeYours } from "./yours.js";
import { HistoryDepth } from "./history-depth.js";
import { Inspector } from "./inspector.js";
import { ofTab } from "./kept.js";
import { Palettes } from "./palette.js";
import { forget, isKept, isListKept, recentSessions, remember } from "./recent-sessions.js";
import { Screen } from "./screen.js";
import { Senders } from "./sender.js";
import { nameOfTab } from "./tab-name.js";
import { Unsent } from "./unsent.js";
import { chooseBy, loadViews, titleOf } from "./views.js";
import { makeWaitSign } from "./wait-sign.js";

const main = document.getElementById("main");
const announcements = document.getElementById("announcements");
const inspectorButton = document.getElementById("inspector-button");
const tokenItem = "view-model-token";
// `--token auto` prints an address with the token. It stays in this tab, and neither in the address nor in the history.
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  ofTab.write(tokenItem, decodeURIComponent(given[1]));
  history.replaceState(null, "", "#/");
}

const light = new ConnectionLight(() => (client ? client.reconnect() : start()));
const inspector = new Inspector(() => showInspector(false));
const depth = new HistoryDepth();
const bar = new AwayBar();
const palettes = new Palettes({
  client: () => client,
  ownViewOnScreen: () => (!isGeneric && screen?.top.hasOwnView ? screen.top : undefined),
  makeScreen: (page) => makeScreen({ ...page, giveBack: () => {}, isGeneric: false }),
});
const senders = new Senders();
const contracts = new Map();
const clientName = nameOfTab();

let client = null;
/** The session on screen; null while there is none. */
let screen = null;
let toolbar = null;
let isGeneric = false;
let isLeaving = false;
let isStarting = false;
let barFrame = 0;
/** Whether the browser has asked because of what isn't answered yet. */
let hasAsked = false;
/** Aborted when the page is left: what is opened from it is opened for nobody then. */
let leaving = new AbortController();
/** Counts what was shown, so that what comes too late for its page is dropped. */
let page = 0;
const unsent = new Unsent(receiver);
const views = loadViews(noteError);

document.getElementById("light-place").replaceWith(light.element);
document.querySelector(".columns").append(inspector.element);
document.body.append(bar.element);
inspectorButton.addEventListener("click", () => showInspector(!inspector.isShown));
window.addEventListener("popstate", (event) => route(event.state));
document.addEventListener("keydown", (event) => palettes.takeKey(event));
document.addEventListener("keydown", goBackOnEscape);
window.addEventListener("beforeunload", askBeforeLosing);
window.addEventListener("pagehide", () => unsent.leave(senders.unanswered));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
views.loaded.then((kinds) => palettes.add(kinds, inspectorButton));
start();

async function start() {
  if (isStarting) return;
  isStarting = true;
  light.show("connecting");
  const token = ofTab.read(tokenItem) ?? undefined;
  try {
    client = await connect(
      { webSocket: webSocketAddress() },
      { token, clientName, views: true, clientInfo: { name: "web page" }, listeners: { state: showState, stall: showStall, message, log, error: noteError } },
    );
    await views.loaded;
  } catch (error) {
    client = null;
    if (error.name === "Unauthorized") return startWithToken(token !== undefined);
    return showPage(
      el(
        "div.ended",
        { role: "alert" },
        el("h1", { tabindex: "-1" }, "The server can’t be reached"),
        el("p", {}, sentence(error.message)),
        el("div.actions", {}, button("Try again", start, { kind: "primary" })),
      ),
    );
  } finally {
    isStarting = false;
  }
  const connected = client;
  // It ended while the views were loaded, and the light says so.
  if (!connected) return;
  chooseBy((viewModel) => connected.typeOf(viewModel));
  palettes.showButtons();
  route(history.state, true);
}

async function startWithToken(wasWrong) {
  ofTab.remove(tokenItem);
  const token = await askForToken(wasWrong);
  if (token) {
    ofTab.write(tokenItem, token);
    return start();
  }
  showPage(
    el(
      "div.ended",
      {},
      el("h1", { tabindex: "-1" }, "This server wants a token"),
      el("p", {}, "Nothing can be shown without it."),
      el("div.actions", {}, button("Enter the token", () => startWithToken(false), { kind: "primary" })),
    ),
  );
}

function showState(state, details = {}) {
  light.show(state, details.delay);
  // It may be another version of the server.
  if (state === "connected") contracts.clear();
  // A connection that ended for good is only made again by the user.
  if (state === "closed") client = null;
  document.body.classList.toggle("is-away", state === "waiting" || (state === "connecting" && isAway()));
  document.dispatchEvent(new Event("away"));
  for (const pane of [...(screen?.layers ?? []), ...palettes.layers]) pane.showAge();
  if (state === "connected") palettes.showButtons();
  showWaiting();
}

/** The connection is there, and what was sent isn't stored: nothing that is shown is old because of it. */
function showStall(stall) {
  document.body.classList.toggle("is-stalled", stall !== undefined);
  document.dispatchEvent(new Event("away"));
  showWaiting();
}

function isAway() {
  return document.body.classList.contains("is-away");
}

/** Whether what is sent waits, longer than for an answer. */
function isHeld() {
  return document.body.matches(".is-away, .is-stalled");
}

/** Once a frame: much may be sent at once. */
function showWaiting() {
  barFrame ||= requestAnimationFrame(() => {
    barFrame = 0;
    if (isHeld()) bar.show(senders.waiting, client);
    else if (hasAsked) bar.show(senders.unanswered, client, true);
    else bar.hide();
  });
}

function didSend(sender) {
  senders.didSend(sender);
  if (!isHeld() && !hasAsked) return;
  hasAsked &&= senders.unanswered.length > 0;
  showWaiting();
}

/** What isn't answered may be lost: a page can't wait for it. Most answers come before anybody can leave. */
function askBeforeLosing(event) {
  if (senders.unanswered.length === 0) return;
  event.preventDefault();
  // The browser doesn't say why it asks: who stays sees it.
  hasAsked = true;
  showWaiting();
}

/** Where what wasn't sent in another session can be sent now. */
function receiver(viewModel) {
  return screen?.layers.find((pane) => pane.viewModel === viewModel && !pane.hasEnded);
}

function message(entry) {
  inspector.add(entry);
}

function log({ level, message: text, source }) {
  inspector.note(`${source}, ${level}: ${text}`);
  // The failure of an event that nothing awaits.
  if (level === "error") screen?.top.notice(sentence(text));
}

function noteError(error) {
  inspector.note(`${error.name}: ${error.message}`);
  console.warn(error);
}

function announce(text) {
  // The same words again are news again.
  announcements.textContent = "";
  requestAnimationFrame(() => (announcements.textContent = text));
}

function describe(viewModel) {
  let contract = contracts.get(viewModel);
  if (!contract) {
    contract = client ? client.describe(viewModel) : Promise.reject(new Error("the connection is closed"));
    contracts.set(viewModel, contract);
    contract.catch(() => contracts.delete(viewModel));
  }
  return contract;
}

function route(state, isAnew = false) {
  palettes.close();
  const { viewModel, key } = parseAddress() ?? {};
  if (screen && key === screen.root?.key && !isAnew) {
    if (depth.didMove(state)) leaveViews();
    return;
  }
  // The connection ended for good.
  if (!client || isStarting) return void start();
  if (parseAddress() === null) showPage(makeNowhere(), "No such page");
  else if (key) showSession(viewModel, key, client.attach(key));
  else if (viewModel) showOpening(viewModel);
  else showGallery();
}

/** The browser's back button was pressed, perhaps again while this goes on. */
async function leaveViews() {
  if (isLeaving) return;
  isLeaving = true;
  const left = screen;
  depth.hold();
  while (depth.excess > 0) {
    const before = left.depth;
    await left.back();
    if (screen !== left || left.depth >= before) break;
  }
  isLeaving = false;
  if (screen === left) depth.release();
}

function showPage(element, title) {
  page += 1;
  leaving.abort();
  leaving = new AbortController();
  screen?.remove();
  screen = null;
  toolbar = null;
  main.replaceChildren(views.failure, unsent.element, element);
  unsent.update();
  document.title = title ? `${title} – View models` : "View models";
  window.scrollTo(0, 0);
  // Not on the first screen: a user who just came is in the right place.
  if (page > 1) element.querySelector("h1")?.focus({ preventScroll: true });
}

function showGallery() {
  const viewModels = client.viewModels.map(({ name }) => name);
  const place = el("div", { hidden: true });
  const recent = recentSessions();
  showPage(makeGallery({ viewModels, describe, open: openSession, recent, isListKept: isListKept(), yours: place }));
  showYours(place, recent);
}

/** Shows what the server knows of the user's sessions, when it has said so; what it names isn't named twice. */
async function showYours(place, recent) {
  const current = page;
  let sessions;
  try {
    sessions = await client.keptSessions({ signal: leaving.signal });
  } catch (error) {
    // The gallery is of use without it.
    if (page === current) noteError(error);
    return;
  }
  if (page !== current || sessions.length === 0) return;
  place.replaceWith(makeYours(sessions, endKept, isShared));
  const keys = new Set(sessions.map(({ key }) => key));
  const section = main.querySelector("section.recent:not(.yours)");
  for (const link of section?.querySelectorAll("li > a") ?? []) {
    if (keys.has(decodeURIComponent(link.hash.split("/").at(-1)))) link.parentElement.remove();
  }
  if (section && !section.querySelector("li")) section.remove();
}

/** Ends a session that isn't on screen. */
async function endKept({ key, views = 0 }) {
  if (!(await askToEnd(views, keeps()))) return false;
  const view = await client.attach(key);
  await view.endSession();
  forget(key);
  return true;
}

async function showOpening(viewModel) {
  const place = el("div.ended");
  showPage(place, titleOf(viewModel));
  const all = el("a.button", { href: "#/" }, "All view models");
  place.append(makeWaitSign("Loading…", leaving.signal), el("div.actions", {}, all));
  const current = page;
  try {
    const contract = await describe(viewModel);
    if (page === current) showPage(makeOpening(viewModel, contract, openSession), titleOf(viewModel));
  } catch (error) {
    if (page !== current) return;
    showPage(makeUnopened(viewModel, error));
  }
}

/** @param {AbortSignal} signal gives it up, as leaving the page does */
async function openSession(viewModel, given, signal) {
  if (!client) throw new Error("there is no connection to the server");
  const current = page;
  const controller = new AbortController();
  for (const one of [signal, leaving.signal]) one.addEventListener("abort", () => controller.abort(), { once: true });
  const view = await client.open(viewModel, given, { signal: controller.signal });
  if (page !== current) return view.detach();
  // The form isn't gone back to: it would open another one.
  const address = addressOf(viewModel, view.key);
  if (parseAddress()?.viewModel) history.replaceState({ depth: 0 }, "", address);
  else history.pushState({ depth: 0 }, "", address);
  showSession(viewModel, view.key, Promise.resolve(view));
}

function showSession(viewModel, key, view) {
  const changed = () => screen === started && didChange();
  const showAgain = () => route(history.state, true);
  const started = makeScreen({ giveBack: (lost) => unsent.add(lost), changed, isGeneric, showAgain, isOver });
  const bar = makeToolbar(viewModel);
  showPage(el("div.session", {}, bar.element, started.element), titleOf(viewModel));
  screen = started;
  toolbar = bar;
  depth.reset();
  started.start(viewModel, key, view).then(() => {
    if (screen === started && started.root?.view) remember({ viewModel: started.root.viewModel, key, isKept: keeps() });
  });
}

/** Whether the server stores sessions of durable view models. It doesn't say which those are. */
function keeps() {
  return client?.capabilities.durable === true;
}

function makeScreen(page) {
  return new Screen({ client, describe, announce, didSend, ...page });
}

function didChange() {
  if (!screen.isAttaching) depth.set(screen.depth);
  const { top, root } = screen;
  document.title = `${top.title} – View models`;
  // A session that has ended has no view at all.
  toolbar.generic.hidden = root.hasEnded || !screen.layers.some(({ hasOwnView }) => hasOwnView);
  unsent.update();
  toolbar.share.disabled = root.hasEnded;
  if (root.looksOnly) {
    toolbar.end.textContent = "Leave session";
    toolbar.end.title = "It stays for the others";
  }
  toolbar.end.disabled = root.hasEnded;
  if (root.hasEnded && isOver(root.key, root.endReason)) forget(root.key);
}

/** Whether a session has ended for good. One that is kept can be come back to, if only by way of another server. */
function isOver(key, reason) {
  if (["closed", "popped", "dismissed"].includes(reason)) return true;
  if (reason === "gone") return keeps() || !isKept(key);
  return ["failed", "serverShutdown"].includes(reason) && !isKept(key);
}

/** Makes a link with which others only look at the session on screen; undefined where this page only looks itself. */
function makeReadLink() {
  const { root } = screen;
  if (root.looksOnly) return undefined;
  return async () => {
    if (!root.view) throw new Error("the session isn't there yet");
    return new URL(addressOf(root.viewModel, await root.view.readKey()), location.href).href;
  };
}

/** Whether all share the session of a view model: it stays when one of them ends it. */
const isShared = (viewModel) => client?.scopeOf(viewModel) === "everyone";

function makeToolbar(viewModel) {
  const generic = button("Generic view", () => {
    isGeneric = !isGeneric;
    generic.setAttribute("aria-pressed", isGeneric);
    screen.setGeneric(isGeneric);
  }, { kind: "quiet", "aria-pressed": isGeneric });
  const share = button("Share", () => showShareDialog(location.href, makeReadLink()), { kind: "quiet" });
  const shared = isShared(viewModel);
  const title = shared ? "It stays for the others" : "Ends it for everyone who sees it";
  const end = button(shared ? "Leave session" : "End session", () => endSession(), { kind: "quiet", title });
  const all = el("a.all", { href: "#/" }, "All view models");
  return { element: el("nav.toolbar", { "aria-label": "Session" }, all, generic, share, end), generic, share, end };
}

async function endSession() {
  const { root } = screen;
  const { view } = root;
  if (!view || root.hasEnded) return;
  const current = page;
  toolbar.end.dataset.waiting = 1;
  try {
    if (root.looksOnly) {
      forget(view.key);
      location.hash = "#/";
      return;
    }
    if (!isShared(view.viewModel)) {
      const { sessions: all } = await client.request("session/list");
      const others = (all.find(({ key }) => key === view.key)?.views ?? 1) - 1;
      if (page !== current) return;
      if ((others > 0 || keeps()) && !(await askToEnd(others, keeps()))) return;
    }
    forget(view.key);
    await root.endSession();
  } catch (error) {
    if (page === current && !root.hasEnded) root.notice(sentence(error.message));
    return;
  } finally {
    if (page === current) delete toolbar.end.dataset.waiting;
  }
  if (page === current) location.hash = "#/";
}

function goBackOnEscape(event) {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !screen) return;
  // Dialogs that aren't a view model's close by themselves, and the inspector is another place.
  if (document.querySelector("dialog:is(.small, .palette)[open]") || event.target.closest?.(".inspector")) return;
  if (screen.depth === 0) return;
  event.preventDefault();
  screen.back();
}

function showInspector(isShown) {
  inspector.show(isShown);
  inspectorButton.setAttribute("aria-expanded", isShown);
  document.body.classList.toggle("has-inspector", isShown);
  if (!isShown) inspectorButton.focus();
}
