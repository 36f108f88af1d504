import { button, el, sentence } from "./dom.js";
import { copyText } from "./inspector.js";

/**
 * Shows a link to a session, and copies it.
 *
 * @param {string} link to the session as this page has it
 * @param {(() => Promise<string>) | undefined} makeReadLink makes one with which others only look; undefined where this page
 *   only looks itself
 */
export function showShareDialog(link, makeReadLink) {
  const input = el("input", { type: "text", readonly: true, "aria-label": "Link", id: "share-link" });
  input.value = link;
  const edits = "Anyone with this link sees the same session as you, and can act in it.";
  const looks = "Anyone with this link sees the same session as you, and can do nothing in it.";
  const meaning = el("p", {}, makeReadLink ? edits : looks);
  const choose = (isReading) => async () => {
    status.textContent = "";
    try {
      const chosen = isReading ? await makeReadLink() : link;
      // Another one may have been chosen meanwhile.
      if (choices.querySelector(":checked")?.value !== (isReading ? "read" : "edit")) return;
      input.value = chosen;
      meaning.textContent = isReading ? looks : edits;
    } catch (error) {
      status.textContent = sentence(error.message);
      choices.querySelector("[value=edit]").checked = true;
    }
  };
  const choice = (value, words, isReading) => {
    const radio = el("input", { type: "radio", name: "share-access", value, checked: !isReading });
    radio.addEventListener("change", choose(isReading));
    return el("label", {}, radio, words);
  };
  const choices = el(
    "div.choices",
    { role: "radiogroup", "aria-label": "Whoever has the link", hidden: !makeReadLink },
    choice("edit", "can edit", false),
    choice("read", "can look", true),
  );
  const status = el("p.quiet-text", { role: "status" });
  const copy = button("Copy link", async () => {
    input.select();
    const isCopied = await copyText(input.value);
    status.textContent = isCopied ? "Copied." : "The browser doesn’t let this page copy. It is selected: press Ctrl+C.";
  }, { kind: "primary" });
  const dialog = el(
    "dialog.small",
    { "aria-labelledby": "share-title" },
    el(
      "div.sheet",
      {},
      el("h2", { id: "share-title" }, "Share this session"),
      choices,
      meaning,
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

/**
 * Asks whether a session shall end that others see as well, or that the server may keep.
 *
 * @param {number} others how many other views it has
 * @param {boolean} isKept
 * @returns {Promise<boolean>}
 */
export function askToEnd(others, isKept) {
  const views = others > 0 && `It has ${others === 1 ? "another view" : `${others} other views`}, which will end with it.`;
  const loss = isKept && "What the server has stored of it is removed. To come back to it later, just leave it.";
  const keep = button("Keep it", () => dialog.close());
  const dialog = el(
    "dialog.small",
    { "aria-labelledby": "end-title" },
    el(
      "div.sheet",
      {},
      el("h2", { id: "end-title" }, others > 0 ? "End this session for everyone?" : "End this session?"),
      views && el("p", {}, views),
      loss && el("p", {}, loss),
      el("div.actions.end", {}, keep, button("End it", () => dialog.close("end"), { kind: "danger.filled" })),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  keep.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "end");
    });
  });
}

/** Asks for the server's token; resolves with null when the user doesn't have one. */
export function askForToken(wasWrong) {
  const input = el("input", {
    type: "password",
    id: "token",
    autocomplete: "off",
    required: true,
    "aria-invalid": wasWrong && "true",
    "aria-describedby": "token-error",
  });
  const wrong = el("small.error", { id: "token-error" }, wasWrong ? "The server didn’t take this token." : "");
  const form = el(
    "form.sheet",
    {},
    el("h2", { id: "token-title" }, "This server wants a token"),
    el(
      "p",
      {},
      "Whoever started the server knows it: it was given in a file (",
      el("code", {}, "--token-file"),
      ") or in the variable ",
      el("code", {}, "VIEW_MODEL_SERVER_TOKEN"),
      ". This tab keeps it until it is closed.",
    ),
    el("div.field", {}, el("label", { for: "token" }, "Token"), input, wrong),
    el(
      "div.actions.end",
      {},
      button("Not now", () => dialog.close("")),
      el("button.primary", { type: "submit" }, "Connect"),
    ),
  );
  const dialog = el("dialog.small", { "aria-labelledby": "token-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    let token = null;
    input.addEventListener("input", () => {
      input.removeAttribute("aria-invalid");
      wrong.textContent = "";
    });
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
