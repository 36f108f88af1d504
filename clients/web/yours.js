import { button, el, sentence } from "./dom.js";
import { addressOf } from "./gallery.js";
import { titleOf } from "./views.js";

/** How many of the sessions are shown at once. */
const shown = 6;

/**
 * The sessions that the user may come back to, as the server knows them.
 *
 * @param {object[]} sessions as the client's `keptSessions` has them
 * @param {(session: object) => Promise<boolean>} end ends one, unless the user thinks better of it; resolves with whether it did
 * @param {(viewModel: string) => boolean} isShared whether it is everyone's, and so nobody's to end
 */
export function makeYours(sessions, end, isShared) {
  const list = (some) => el("ul", {}, some.map((session) => makeEntry(session, end, isShared(session.viewModel))));
  return el(
    "section.recent.yours",
    {},
    el("h2", {}, "Yours"),
    list(sessions.slice(0, shown)),
    sessions.length > shown &&
      el("details", {}, el("summary", {}, `${sessions.length - shown} more`), list(sessions.slice(shown))),
  );
}

function makeEntry(session, end, isShared) {
  const { viewModel, key, title, arguments: given, lastUsed, views } = session;
  const name = [titleOf(viewModel), title ?? wordsOf(given)].filter(Boolean).join(": ");
  const used = el("time", { datetime: lastUsed, title: new Date(lastUsed).toLocaleString() }, ago(lastUsed));
  const count = views > 0 && el("span", {}, views === 1 ? "1 view" : `${views} views`);
  const failure = el("span.failure", { role: "alert", hidden: true });
  const endButton = !isShared && button("End", async () => {
    failure.hidden = true;
    endButton.dataset.waiting = 1;
    try {
      if (await end(session)) {
        const section = entry.closest("section");
        entry.remove();
        if (!section.querySelector("li")) section.remove();
      }
    } catch (error) {
      failure.textContent = sentence(error.message);
      failure.hidden = false;
    }
    delete endButton.dataset.waiting;
  }, { kind: "quiet", "aria-label": `End ${name}` });
  const link = el("a", { href: addressOf(viewModel, key) }, name);
  const entry = el("li", {}, link, el("span.quiet-text", {}, used, count), endButton, failure);
  return entry;
}

/** The values of arguments, of which a short one says more than its name. */
function wordsOf(given) {
  if (given === undefined || given === null) return "";
  const values = typeof given === "object" ? Object.values(given) : [given];
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(", ").slice(0, 60);
}

const units = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

function ago(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1_000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, length] of units) {
    if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}
