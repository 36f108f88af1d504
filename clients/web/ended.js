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

/**
 * In place of a session that has ended, or that is shown elsewhere.
 *
 * @param back leaves it; null where nothing is below it
 * @param showHere shows it in this page again; undefined where it has ended
 */
export function makeEnd(text, viewModel, back, showHere) {
  const wayOn = showHere
    ? [button("Show it here", showHere, { kind: "primary" }), el("a.button", { href: "#/" }, "All view models")]
    : back
    ? [button("Go back", back, { kind: "primary" })]
    : [
        el("a.button.primary", { href: addressOf(viewModel) }, `Open ${titleOf(viewModel)} anew`),
        el("a.button", { href: "#/" }, "All view models"),
      ];
  return el("div.ended", { role: "alert" }, el("p", {}, text), el("div.actions", {}, ...wayOn));
}
