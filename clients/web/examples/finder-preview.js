import { el, setText } from "../dom.js";
import { VirtualList } from "../virtual-list.js";

/** The lines of a file. Nothing can be done with them, so none has the focus. */
const codeLines = {
  height: 1.375,
  makeList: () => el("div.rows.code"),
  makeRow: () => el("div.line", {}, el("span.line-number", { "aria-hidden": "true" }), el("span.line-text")),
  target: (row) => row,
  place: (row, index) => setText(row.firstChild, String(index + 1)),
  mark: () => {},
};

/** A file with one of its lines marked. Of any length: the lines that are seen are asked for. */
export function makeFinderPreview(context) {
  let list = null;
  let file = { path: "", line: undefined };
  /** The line that is to be scrolled to once it is known to be there. */
  let wanted = null;
  const note = el("p.quiet-text", { role: "status", hidden: true });
  const lines = new VirtualList("Lines", (row, index) => fill(row, index), null, {
    kind: codeLines,
    didShow: (first, count) => list?.show(first, count),
  });
  const scroller = lines.element;
  scroller.setAttribute("role", "region");
  scroller.setAttribute("tabindex", "0");

  function fill(row, index) {
    const line = list?.row(index);
    const place = `${index} ${file.path}`;
    // A file of which more is known has the same lines: they stay until they are here again.
    if (line === undefined && row.dataset.place === place) return;
    row.dataset.place = line === undefined ? "" : place;
    row.classList.toggle("is-found", index + 1 === file.line);
    setText(row.lastChild, line?.text ?? "");
    row.lastChild.title = line?.text.length > 40 ? line.text : "";
  }

  function didChange() {
    scroller.hidden = list.count === 0;
    lines.setCount(list.count);
    goToLine();
  }

  function goToLine() {
    if (wanted === null || !list || wanted > list.count) return;
    lines.reveal(wanted - 1, true);
    wanted = null;
  }

  function showFile({ path, line }) {
    const isSame = path === file.path && line === file.line;
    file = { path, line };
    if (isSame) return;
    wanted = line ?? 1;
    context.setTitle(line === undefined ? path : `${path}:${line}`);
    scroller.setAttribute("aria-label", `Lines of ${path}`);
    lines.refresh();
    goToLine();
  }

  async function start() {
    list = (await context.list("lines")) ?? null;
    if (!list) return;
    list.on("change", didChange);
    list.on("error", (error) => showNote(`The lines can’t be shown: ${error.message}`));
    didChange();
  }

  function showNote(message) {
    note.hidden = !message;
    setText(note, message ?? "");
  }

  scroller.setAttribute("aria-label", "Lines");
  scroller.hidden = true;
  start();
  return {
    element: el("div.file-lines", {}, note, scroller),
    // What is shown stays until the snapshot says otherwise: most often it is the same file.
    reset: () => showNote(null),
    shown: () => lines.shown(),
    words: ({ kind }) => (kind === "close" ? "Close the preview" : undefined),
    onEvent: (event) => {
      if (event.kind === "file") showFile({ path: event.path, line: event.line ?? undefined });
      if (event.kind === "note") showNote(event.message);
    },
  };
}
