import { el } from "../dom.js";
import { divided, marked, partsOf } from "./matched-text.js";

/** As much of a line as can be seen, with some of what is before the first match. */
const mostShown = 400;
const mostBefore = 40;

/**
 * The rows of a finder, as options of its field: the focus stays there.
 *
 * @param {string} id of the list; its options have this one with their index
 * @param {() => boolean} areLines whether rows have a line beside their path
 */
export function makeFinderRows(id, areLines) {
  return {
    get height() {
      return areLines() ? 3.25 : 2.25;
    },
    makeList: (label) => el("div.rows", { role: "listbox", "aria-label": label, id }),
    makeRow: () => el("div.row", { role: "option" }),
    target: (row) => row,
    place(row, index, count) {
      row.id = `${id}-${index}`;
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-setsize", count);
    },
    mark: (row, isActive) => row.setAttribute("aria-selected", isActive),
  };
}

/** Writes a row's content; it is undefined until it comes. */
export function fillFinderRow(element, row) {
  element.classList.toggle("is-coming", row === undefined);
  element.classList.toggle("is-line", row?.text !== undefined);
  if (row === undefined) {
    element.setAttribute("aria-label", "Not here yet");
    return element.replaceChildren("…");
  }
  const { path, line, text, matches } = row;
  const place = line === undefined ? path : `${path}:${line}`;
  element.title = place;
  // In one piece, which the parts below aren't.
  element.setAttribute("aria-label", text === undefined ? place : `${text.trim().slice(0, mostShown)}, ${place}`);
  if (text === undefined) return element.replaceChildren(...pathOf(path, partsOf(path, matches)));
  element.replaceChildren(
    el("span.found-line", {}, marked(excerpt(text, matches))),
    el("span.place", {}, ...pathOf(path, partsOf(path)), el("span.line-number", {}, `:${line}`)),
  );
}

/** Where there is little room, a name is worth more than its folder. */
function pathOf(path, parts) {
  const [folder, name] = divided(parts, path.lastIndexOf("/") + 1);
  return [folder.length > 0 && el("span.folder", {}, marked(folder)), el("span.name", {}, marked(name))].filter(Boolean);
}

/** Without what it is indented by, and from shortly before the first match on. */
function excerpt(text, matches) {
  const parts = partsOf(text, matches);
  const first = parts[0]?.isMatch === false && parts.length > 1 ? parts[0].text.length : 0;
  const indent = text.length - text.trimStart().length;
  const start = first - mostBefore > indent ? first - mostBefore : Math.min(indent, first || indent);
  const [, rest] = divided(parts, start);
  const [shown] = divided(rest, mostShown);
  return start > indent ? [{ text: "…", isMatch: false }, ...shown] : shown;
}
