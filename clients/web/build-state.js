// Loaded from the server of `dev` alone: says what the build does, and shows the compiler's words where it fails.

import { button, el, setText } from "./dom.js";
import { ofTab } from "./kept.js";

const interval = 1000;
const tokenItem = "view-model-token";

const text = el("p", { role: "status" });
const log = el("pre", { tabindex: "0", "aria-label": "What the compiler says" });
const toggle = button("Hide", () => open(log.hidden), { kind: "quiet" });
const bar = el("section.build-bar", { "aria-label": "Build", hidden: true }, el("div.line", {}, text, toggle), log);
document.querySelector("header.top").after(bar);

let shown = "";
look();

async function look() {
  try {
    const token = ofTab.read(tokenItem);
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch("build.json", { headers, cache: "no-store", signal: AbortSignal.timeout(10 * interval) });
    // A server without `dev` has the address now.
    if (answer.status === 404) return show({ state: "built" });
    if (answer.ok) show(await answer.json());
  } catch {
    // The next server isn't there yet, which the page says elsewhere.
  }
  setTimeout(look, interval);
}

function show({ state, log: words = "" }) {
  const now = `${state} ${words}`;
  if (now === shown) return;
  shown = now;
  bar.hidden = state === "built";
  bar.dataset.state = state;
  const hasFailed = state === "failed";
  setText(text, hasFailed ? "The build failed. What you see is the code before." : state === "built" ? "" : "Building…");
  log.textContent = words;
  toggle.hidden = !hasFailed;
  open(hasFailed);
}

function open(isOpen) {
  log.hidden = !isOpen;
  toggle.setAttribute("aria-expanded", isOpen);
  setText(toggle, isOpen ? "Hide" : "Show");
}
