import { button, el, sentence } from "./dom.js";
import { addressOf } from "./gallery.js";
import { titleOf } from "./views.js";

const unknownSession = -32012;

const reasons = {
  closed: "This session was closed, here or by another view of it.",
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

/** In place of a session that has ended. `back` leaves it; null where nothing is below it. */
export function makeEnd(text, viewModel, back) {
  const wayOn = back
    ? [button("Go back", back, { kind: "primary" })]
    : [
        el("a.button.primary", { href: addressOf(viewModel) }, `Open ${titleOf(viewModel)} anew`),
        el("a.button", { href: "#/" }, "All view models"),
      ];
  return el("div.ended", { role: "alert" }, el("p", {}, text), el("div.actions", {}, ...wayOn));
}
