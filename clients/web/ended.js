import { button, el, sentence } from "./dom.js";
import { addressOf } from "./gallery.js";
import { titleOf } from "./views.js";

const unknownSession = -32012;

const reasons = {
  closed: "This session was closed, here or by another view of it.",
  replaced: "This session is shown in another page that has this tab’s name. Only one of them has it at a time.",
  failed: "This session ended because its view model failed.",
  serverShutdown: "The server is shutting down, and this session ended with it.",
  gone:
    "This session ended while the connection was lost: the server was restarted, or doesn’t keep sessions that long.",
};

/** Why a session ended, for the user. */
export function reasonOf({ reason, message }) {
  return reasons[reason] ?? sentence(message);
}

/** Why a session can't be shown, for the user. */
export function problemOf(error) {
  return error.code === unknownSession
    ? "This session is gone. It ended, it was left for longer than the server keeps it, or the link is incomplete."
    : `This session can’t be shown: ${sentence(error.message)}`;
}

/** What is still there of a session that was kept, by the reason for which it can't be shown. */
const kept = {
  gone: "It was kept in a store, which this server doesn’t have.",
  failed: "If it is durable, the store still has it.",
  serverShutdown: "If it is durable, the store still has it.",
};

/**
 * In place of a session that has ended, or that is shown elsewhere.
 *
 * @param back leaves it; false where nothing is below it
 * @param showAgain shows it in this page again; false or undefined where it has ended for good
 */
export function makeEnd(text, viewModel, { reason, back, showAgain }) {
  const again = showAgain && button(reason === "replaced" ? "Show it here" : "Try again", showAgain, { kind: "primary" });
  const wayOn = [
    again,
    !again && back && button("Go back", back, { kind: "primary" }),
    !back && reason !== "replaced" && makeAnew(viewModel, !again),
    (again || !back) && el("a.button", { href: "#/" }, "All view models"),
  ];
  const rest = again && kept[reason];
  return el("div.ended", { role: "alert" }, el("p", {}, text), rest && el("p", {}, rest), el("div.actions", {}, ...wayOn));
}

function makeAnew(viewModel, isBest) {
  const name = isBest ? "a.button.primary" : "a.button";
  return el(name, { href: addressOf(viewModel) }, `Open ${titleOf(viewModel)} anew`);
}

/** In place of a page at an address that means nothing. */
export function makeNowhere() {
  return el(
    "div.ended",
    {},
    el("h1", { tabindex: "-1" }, "There is no such page"),
    el("p", {}, "Nothing is at ", el("code", {}, location.hash), "."),
    el("div.actions", {}, el("a.button.primary", { href: "#/" }, "All view models")),
  );
}

/** In place of a view model that can't be opened. */
export function makeUnopened(viewModel, error) {
  return el(
    "div.ended",
    { role: "alert" },
    // As it was asked for, which may be the fault.
    el("h1", { tabindex: "-1" }, `“${viewModel}” can’t be opened`),
    el("p", {}, sentence(error.message)),
    el("div.actions", {}, el("a.button.primary", { href: "#/" }, "All view models")),
  );
}
