// How texts are cut by ranges of UTF-8 bytes: what isn't as it should be.
const done = arguments[0];

/** [text, ranges, the text with its matches in brackets] */
const cases = [
  ["main.swift", [[0, 1], [5, 7]], "[m]ain.[sw]ift"],
  ["main.swift", [], "main.swift"],
  ["", [[0, 3]], ""],
  ["abc", [[0, 3]], "[abc]"],
  // Two, three and four bytes; the last is two units of UTF-16.
  ["äbc", [[2, 3]], "ä[b]c"],
  ["€bc", [[3, 4]], "€[b]c"],
  ["𝒳bc", [[4, 5]], "𝒳[b]c"],
  ["a𝒳b", [[1, 5]], "a[𝒳]b"],
  ["👩‍🚀x", [[11, 12]], "👩‍🚀[x]"],
  ["e\u0301x", [[3, 4]], "e\u0301[x]"],
  // In the midst of a character: the whole of it.
  ["a€b", [[2, 3]], "a[€]b"],
  ["a€b", [[0, 2]], "[a€]b"],
  ["a𝒳b", [[4, 5]], "a[𝒳]b"],
  // In any order, twice, side by side, within each other, empty, and beyond the text.
  ["abcdef", [[4, 5], [0, 1]], "[a]bcd[e]f"],
  ["abcdef", [[1, 3], [1, 3]], "a[bc]def"],
  ["abcdef", [[1, 3], [3, 4]], "a[bcd]ef"],
  ["abcdef", [[0, 5], [1, 2]], "[abcde]f"],
  ["abcdef", [[2, 2]], "abcdef"],
  ["abcdef", [[3, 2]], "abcdef"],
  ["abcdef", [[5, 90], [70, 80]], "abcde[f]"],
  // Half a character, which is sent as U+FFFD.
  ["\ud835b", [[3, 4]], "\ud835[b]"],
];

function brackets(parts) {
  return parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");
}

async function main() {
  const { divided, partsOf } = await import("./examples/matched-text.js");
  const wrong = [];
  const expect = (seen, expected) => seen === expected || wrong.push(`expected ${expected}, seen ${seen}`);
  for (const [text, ranges, expected] of cases) {
    const parts = partsOf(text, ranges.map(([start, end]) => ({ start, end })));
    expect(brackets(parts), expected);
    for (let place = -1; place <= text.length + 1; place++) {
      const sides = divided(parts, place);
      expect(sides.map((side) => side.map(({ text }) => text).join("")).join(""), text);
      expect(sides[0].reduce((length, { text }) => length + text.length, 0), Math.max(0, Math.min(place, text.length)));
      expect(sides.flat().some(({ text }) => text === ""), false);
    }
  }
  const [folder, name] = divided(partsOf("a/bc/de.md", [{ start: 3, end: 6 }]), 5);
  expect(`${brackets(folder)}|${brackets(name)}`, "a/b[c/]|[d]e.md");
  return wrong;
}

main().then(done, (error) => done([`${error.stack}`]));
