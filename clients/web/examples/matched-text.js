import { el } from "../dom.js";

/**
 * Cuts a text where ranges of its UTF-8 bytes begin and end, which is how servers count: JavaScript counts in UTF-16.
 *
 * A range that begins or ends in the middle of a character is taken to have the whole of it. Ranges may overlap, have any
 * order, and reach beyond the text.
 *
 * @param {string} text
 * @param {{ start: number, end: number }[]} ranges in bytes
 * @returns {{ text: string, isMatch: boolean }[]} the text in parts, none of which is empty
 */
export function partsOf(text, ranges = []) {
  const sorted = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const parts = [];
  let next = 0;
  /** The end of the ranges that have begun, in bytes. */
  let until = 0;
  let bytes = 0;
  for (const character of text) {
    const after = bytes + byteCount(character.codePointAt(0));
    while (next < sorted.length && sorted[next].start < after) {
      until = Math.max(until, sorted[next].end);
      next += 1;
    }
    const isMatch = until > bytes;
    if (parts.at(-1)?.isMatch === isMatch) parts.at(-1).text += character;
    else parts.push({ text: character, isMatch });
    bytes = after;
  }
  return parts;
}

/** A lone surrogate counts as U+FFFD, as which it is sent. */
function byteCount(codePoint) {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** What is put into an element to show the parts. */
export function marked(parts) {
  return parts.map(({ text, isMatch }) => (isMatch ? el("mark", {}, text) : text));
}

/** The parts on both sides of a place in their text, in UTF-16. */
export function divided(parts, place) {
  const sides = [[], []];
  let start = 0;
  for (const { text, isMatch } of parts) {
    const cut = Math.max(0, Math.min(text.length, place - start));
    if (cut > 0) sides[0].push({ text: text.slice(0, cut), isMatch });
    if (cut < text.length) sides[1].push({ text: text.slice(cut), isMatch });
    start += text.length;
  }
  return sides;
}
