import { button, el, setText } from "./dom.js";

/**
 * Says that something goes on, and whether that is because the connection is lost, or the server's store can't be used.
 *
 * @param {AbortSignal} signal ends it
 */
export function makeWaitSign(text, signal) {
  const sign = el("p.quiet-text", { role: "status" });
  const show = () => {
    const { classList } = document.body;
    if (classList.contains("is-away")) setText(sign, "Waits for the connection…");
    else setText(sign, classList.contains("is-stalled") ? "Waits for the server’s store…" : text);
  };
  // Told by the page as either changes.
  document.addEventListener("away", show, { signal });
  show();
  return sign;
}

/**
 * Opens something, with a sign and a way to give it up where that takes long.
 *
 * @param {HTMLElement} place that the sign is shown in
 * @param {(signal: AbortSignal) => Promise<void>} open
 */
export async function openWithSign(place, open) {
  const givingUp = new AbortController();
  const over = new AbortController();
  const giveUp = button("Cancel", () => givingUp.abort(), { kind: "quiet" });
  const sign = el("div.wait-sign", {}, makeWaitSign("Opening…", over.signal), giveUp);
  const timer = setTimeout(() => place.append(sign), 300);
  try {
    await open(givingUp.signal);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    clearTimeout(timer);
    over.abort();
    sign.remove();
  }
}
