import { button, el } from "./dom.js";
import { copyText } from "./inspector.js";

/** Shows the link to a session, and copies it. */
export function showShareDialog(link) {
  const input = el("input", { type: "text", readonly: true, "aria-label": "Link", id: "share-link" });
  input.value = link;
  const status = el("p.quiet-text", { role: "status" });
  const copy = button("Copy link", async () => {
    input.select();
    status.textContent = (await copyText(link)) ? "Copied." : "The browser doesn’t let this page copy: it is selected, press Ctrl+C.";
  }, { kind: "primary" });
  const dialog = el(
    "dialog.small",
    { "aria-labelledby": "share-title" },
    el(
      "div.sheet",
      {},
      el("h2", { id: "share-title" }, "Share this session"),
      el("p", {}, "Whoever opens this link sees the same session as you, and can act in it. The key in it is all that is asked for."),
      input,
      status,
      el("div.actions.end", {}, button("Done", () => dialog.close()), copy),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  copy.focus();
}

/** Asks for the server's token; resolves with null when the user doesn't have one. */
export function askForToken(wasWrong) {
  const input = el("input", { type: "password", id: "token", autocomplete: "off" });
  const form = el(
    "form.sheet",
    {},
    el("h2", { id: "token-title" }, "This server wants a token"),
    el(
      "p",
      {},
      wasWrong ? "It didn’t take that one. " : "",
      "It stands in the file that the server was started with (--token-file). This tab keeps it until it is closed.",
    ),
    el("div.field", {}, el("label", { for: "token" }, "Token"), input),
    el("div.actions.end", {}, button("Not now", () => dialog.close("")), el("button.primary", { type: "submit" }, "Connect")),
  );
  const dialog = el("dialog.small", { "aria-labelledby": "token-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    let token = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      token = input.value;
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(token);
    });
  });
}
