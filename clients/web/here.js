/** How many names are shown. */
const most = 5;

/**
 * Who else has a view of a session, in words; empty where nobody has.
 *
 * @param {readonly object[]} views as the client's view has them
 */
export function wordsOfHere(views, count = views.length) {
  const names = [...new Set(views.filter(({ you }) => !you).map(nameOf))];
  if (names.length === 0) return "";
  const shown = names.slice(0, most);
  const rest = names.length - shown.length + Math.max(0, count - views.length);
  return `Here: ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function nameOf({ principal, program, access }) {
  const name = principal && program ? `${principal} (${program})` : (principal ?? program ?? "somebody");
  return access === "read" ? `${name}, looking` : name;
}
