const mostItems = 50;
const mostCharacters = 4000;

/**
 * A copy in which long arrays and strings are cut, so that keeping and showing it costs little whatever it was.
 * `cut` in the result says whether something was left out.
 */
export function shorten(value) {
  const state = { left: 5000, cut: false };
  return { value: copy(value, state), cut: state.cut };
}

function copy(value, state) {
  if (typeof value === "string") return copyString(value, state);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return copyArray(value, state);
  const result = {};
  for (const [name, member] of Object.entries(value)) {
    if (--state.left < 0) {
      state.cut = true;
      break;
    }
    result[name] = copy(member, state);
  }
  return result;
}

function copyString(value, state) {
  if (value.length <= mostCharacters) return value;
  state.cut = true;
  return `${value.slice(0, mostCharacters)}… (${value.length - mostCharacters} more characters)`;
}

function copyArray(value, state) {
  const result = [];
  for (const item of value) {
    if (result.length === mostItems || --state.left < 0) {
      state.cut = true;
      result.push(`… ${value.length - result.length} more`);
      break;
    }
    result.push(copy(item, state));
  }
  return result;
}

/** One line of at most `length` characters. */
export function oneLine(value, length = 160) {
  const text = JSON.stringify(shorten(value).value) ?? "";
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
