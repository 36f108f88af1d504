import { button, el, newID, setText } from "../dom.js";

export function makeOrderDetails(context) {
  const chip = el("span.chip", {});
  const note = el("textarea", { rows: 4, id: newID("note") });
  const saved = el("span.quiet-text", { role: "status" });
  const save = button("Save note", () => saveNote(), { kind: "primary", disabled: true });
  const cancel = button("Cancel order…", () => context.send({ kind: "cancelOrder" }), { kind: "danger" });
  const done = button("Done", () => context.send({ kind: "done" }));
  let sending = null;
  let isChanged = false;
  let told = { value: "", isSaved: true };

  /** One edit is on its way at a time, and the newest text after it: what is typed fast isn't sent letter by letter. */
  async function sendEdits() {
    while (isChanged) {
      isChanged = false;
      await context.send({ kind: "editNote", value: note.value });
    }
    sending = null;
    // What came meanwhile was an echo of this text, or another view's: the newest one counts.
    showNote();
  }

  function edit() {
    isChanged = true;
    sending ??= sendEdits();
  }

  async function saveNote() {
    await sending;
    await context.send({ kind: "saveNote" });
  }

  function showNote() {
    if (sending === null && note.value !== told.value) note.value = told.value;
    save.disabled = told.isSaved && sending === null;
    setText(saved, told.isSaved ? (told.value ? "Saved" : "") : "Not saved yet");
  }

  note.addEventListener("input", edit);
  return {
    element: el(
      "div.details",
      {},
      el("p", { role: "status" }, chip),
      el("div.field", {}, el("label", { for: note.id }, "Note"), note),
      el("div.actions", {}, save, saved),
      el("div.actions.spread.foot", {}, done, cancel),
    ),
    reset: () => {
      told = { value: "", isSaved: true };
    },
    onEvent: (event) => {
      if (event.kind === "title") context.setTitle(event.value);
      if (event.kind === "cancelled") {
        setText(chip, event.value ? "Cancelled" : "Open");
        chip.className = event.value ? "chip bad" : "chip good";
        cancel.disabled = event.value;
      }
      if (event.kind === "note") {
        told = { value: event.value, isSaved: event.isSaved };
        showNote();
      }
    },
  };
}
