import { connect } from "./view-model-client.js";
import { ConnectionLight } from "./connection-light.js";
import { askForToken, askToEnd, showShareDialog } from "./dialogs.js";
import { button, el, sentence, setText } from "./dom.js";
import { addressOf, makeGallery, makeOpening } from "./gallery.js";
import { HistoryDepth } from "./history-depth.js";
import { Inspector } from "./inspector.js";
import { Screen } from "./screen.js";
import { titleOf, viewMaker } from "./views.js";

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const announcements = document.getElementById("announcements");
const inspectorButton = document.getElementById("inspector-button");
const tokenItem = "view-model-token";
// `--token auto` prints an address with the token. It stays in this tab, and neither in the address nor in the history.
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem(tokenItem, decodeURIComponent(given[1]));
  history.replaceState(null, "", "#/");
}
const sessionsItem = "view-model-sessions";

const light = new ConnectionLight(() => (client ? client.reconnect() : start()));
const inspector = new Inspector(() => showInspector(false));
const depth = new HistoryDepth();
const contracts = new Map();

let client = null;
/** The session on screen; null while there is none. */
let screen = null;
let toolbar = null;
let isGeneric = false;
let isLeaving = false;
let isStarting = false;
/** Counts what was shown, so that what comes too late for its page is dropped. */
let page = 0;

document.getElementById("light-place").replaceWith(light.element);
document.querySelector(".columns").append(inspector.element);
inspectorButton.addEventListener("click", () => showInspector(!inspector.isShown));
window.addEventListener("popstate", (event) => route(event.state));
document.addEventListener("keydown", goBackOnEscape);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
start();

async function start() {
  if (isStarting) return;
  isStarting = true;
  light.show("connecting");
  const token = sessionStorage.getItem(tokenItem) ?? undefined;
  try {
    client = await connect(
      { webSocket: webSocketAddress() },
      { token, clientInfo: { name: "web page" }, listeners: { state: showState, message, log, error: noteError } },
    );
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
  route(history.state, true);
}

async function startWithToken(wasWrong) {
  sessionStorage.removeItem(tokenItem);
  const token = await askForToken(wasWrong);
  if (token) {
    sessionStorage.setItem(tokenItem, token);
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

/** Beside the page, wherever a proxy may have put it. */
function webSocketAddress() {
  const address = new URL("ws", new URL(".", location.href));
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}

function showState(state, details = {}) {
  light.show(state, details.delay);
  // It may be another version of the server.
  if (state === "connected") contracts.clear();
  // A connection that ended for good is only made again by the user.
  if (state === "closed") client = null;
  const isLost = state === "waiting" || (state === "connecting" && !banner.hidden);
  banner.hidden = !isLost;
  setText(banner, isLost ? "The connection is lost. What you do meanwhile is kept, and sent when it is back." : "");
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

/** `#/`, `#/orders`, `#/orders/KEY` */
function parseAddress() {
  const [, viewModel, key] = /^#\/([^/]+)(?:\/([^/]+))?\/?$/.exec(location.hash) ?? [];
  try {
    return { viewModel: viewModel && decodeURIComponent(viewModel), key: key && decodeURIComponent(key) };
  } catch {
    return {};
  }
}

function route(state, isAnew = false) {
  const { viewModel, key } = parseAddress();
  if (screen && key === screen.root?.key && !isAnew) {
    if (depth.didMove(state)) leaveViews();
    return;
  }
  if (!client) return;
  if (key) showSession(viewModel, key, client.attach(key));
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
    const { length } = left.layers;
    await left.back();
    if (screen !== left || left.layers.length >= length) break;
  }
  isLeaving = false;
  if (screen === left) depth.release();
}

function showPage(element, title) {
  page += 1;
  screen?.remove();
  screen = null;
  toolbar = null;
  main.replaceChildren(element);
  document.title = title ? `${title} – View models` : "View models";
  window.scrollTo(0, 0);
  // Not on the first screen: a user who just came is in the right place.
  if (page > 1) element.querySelector("h1")?.focus({ preventScroll: true });
}

function showGallery() {
  const viewModels = client.viewModels.map(({ name }) => name);
  const open = async (name) => {
    try {
      await openSession(name);
    } catch (error) {
      gallery.prepend(el("p.notice", { role: "alert" }, sentence(error.message)));
    }
  };
  const gallery = makeGallery({ viewModels, describe, open, recent: sessions() });
  showPage(gallery);
}

async function showOpening(viewModel) {
  showPage(el("p.quiet-text", {}, "Loading…"), titleOf(viewModel));
  const current = page;
  try {
    const contract = await describe(viewModel);
    if (page === current) showPage(makeOpening(viewModel, contract, openSession), titleOf(viewModel));
  } catch (error) {
    if (page !== current) return;
    showPage(
      el(
        "div.ended",
        { role: "alert" },
        el("h1", { tabindex: "-1" }, `${titleOf(viewModel)} can’t be opened`),
        el("p", {}, sentence(error.message)),
        el("div.actions", {}, el("a.button.primary", { href: "#/" }, "All view models")),
      ),
    );
  }
}

async function openSession(viewModel, given) {
  const current = page;
  const view = await client.open(viewModel, given);
  if (page !== current) return view.close();
  // The form isn't gone back to: it would open another one.
  const address = addressOf(viewModel, view.key);
  if (parseAddress().viewModel) history.replaceState({ depth: 0 }, "", address);
  else history.pushState({ depth: 0 }, "", address);
  showSession(viewModel, view.key, Promise.resolve(view));
}

function showSession(viewModel, key, view) {
  const changed = () => screen === started && didChange();
  const started = new Screen({ client, describe, announce, changed, isGeneric });
  const bar = makeToolbar();
  showPage(el("div.session", {}, bar.element, started.element), titleOf(viewModel));
  screen = started;
  toolbar = bar;
  depth.reset();
  started.start(viewModel, key, view).then(() => {
    if (screen === started && started.root?.view) remember({ viewModel: started.root.viewModel, key });
  });
}

function didChange() {
  if (!screen.isAttaching) depth.set(screen.layers.length - 1);
  const { top, root } = screen;
  document.title = `${top.title} – View models`;
  toolbar.generic.hidden = !screen.layers.some(({ viewModel }) => viewMaker(viewModel));
  toolbar.share.disabled = root.hasEnded;
  toolbar.end.disabled = root.hasEnded;
  if (root.hasEnded) forget(root.key);
}

function makeToolbar() {
  const generic = button("Generic view", () => {
    isGeneric = !isGeneric;
    generic.setAttribute("aria-pressed", isGeneric);
    screen.setGeneric(isGeneric);
  }, { kind: "quiet", "aria-pressed": isGeneric });
  const share = button("Share", () => showShareDialog(location.href), { kind: "quiet" });
  const end = button("End session", () => endSession(), { kind: "quiet", title: "Ends it for everyone who sees it" });
  const all = el("a.all", { href: "#/" }, "All view models");
  return { element: el("nav.toolbar", { "aria-label": "Session" }, all, generic, share, end), generic, share, end };
}

async function endSession() {
  const { view } = screen.root;
  if (!view) return;
  try {
    const { sessions: all } = await client.request("session/list");
    const others = (all.find(({ key }) => key === view.key)?.views ?? 1) - 1;
    if (others > 0 && !(await askToEnd(others))) return;
    forget(view.key);
    await view.close();
  } catch (error) {
    return screen.root.notice(sentence(error.message));
  }
  location.hash = "#/";
}

function goBackOnEscape(event) {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !screen) return;
  // Dialogs that aren't a view model's close by themselves, and the inspector is another place.
  if (document.querySelector("dialog.small[open]") || event.target.closest?.(".inspector")) return;
  if (screen.layers.length < 2) return;
  event.preventDefault();
  screen.back();
}

function showInspector(isShown) {
  inspector.show(isShown);
  inspectorButton.setAttribute("aria-expanded", isShown);
  document.body.classList.toggle("has-inspector", isShown);
  if (!isShown) inspectorButton.focus();
}

/** The newest sessions of this tab. */
function sessions() {
  try {
    return JSON.parse(sessionStorage.getItem(sessionsItem)) ?? [];
  } catch {
    return [];
  }
}

function remember(session) {
  const others = sessions().filter(({ key }) => key !== session.key);
  sessionStorage.setItem(sessionsItem, JSON.stringify([session, ...others].slice(0, 6)));
}

function forget(gone) {
  sessionStorage.setItem(sessionsItem, JSON.stringify(sessions().filter(({ key }) => key !== gone)));
}
