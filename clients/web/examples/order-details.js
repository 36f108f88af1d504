import { button, el, newID, setText } from "../dom.js";

export function makeOrderDetails(context) {
  const chip = el("span.chip", {});
  const note = el("textarea", { rows: 4, id: newID("note") });
  const saved = el("span.quiet-text", { role: "status" });
  const save = button("Save note", () => saveNote(), { kind: "primary", disabled: true });
  const cancel = button("Cancel order…", () => context.send({ kind: "cancelOrder" }, { mark: cancel }), {
    kind: "danger",
  });
  const done = button("Done", () => context.send({ kind: "done" }, { mark: done }));
  /** How many edits aren't answered. */
  let editing = 0;
  let newestEdit = null;
  let isChanged = false;
  let told = { value: "", isSaved: true };

  /** One edit is on its way at a time, and the newest text after it: what is typed fast isn't sent letter by letter. */
  function edit() {
    isChanged = true;
    if (editing === 0) sendEdit();
    // One that waits gives way to a newer one.
    else if (context.isAway()) newestEdit.abort();
    showNote();
  }

  async function sendEdit() {
    isChanged = false;
    editing += 1;
    newestEdit = new AbortController();
    await context.send({ kind: "editNote", value: note.value }, { signal: newestEdit.signal, mark: note });
    editing -= 1;
    if (isChanged && editing === 0) sendEdit();
    // What came meanwhile was an echo of this text, or another view's: the newest one counts.
    showNote();
  }

  function saveNote() {
    if (isChanged) sendEdit();
    context.send({ kind: "saveNote" }, { mark: save });
  }

  function showNote() {
    if (editing === 0 && note.value !== told.value) note.value = told.value;
    save.disabled = told.isSaved && editing === 0;
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
    field: {
      kind: "editNote",
      draft: () => (isChanged ? { kind: "editNote", value: note.value } : null),
      restore: ({ value }) => {
        if (note.value !== "") return false;
        note.value = value;
        edit();
        return true;
      },
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
