/**
 * Makes an element: `el("p.note", { id: "hint" }, "Text")`. The name may carry classes. An attribute that begins with
 * "on" is a listener; true makes an attribute without a value; false, null and undefined leave it out.
 */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(label, onclick, attributes = {}) {
  const { kind, ...rest } = attributes;
  return el(kind ? `button.${kind}` : "button", { type: "button", onclick, ...rest }, label);
}

let count = 0;

/** An id that nothing else on the page has. */
export function newID(prefix) {
  count += 1;
  return `${prefix}-${count}`;
}

/** Sets the text only where it differs, so that a live region isn't read again for nothing. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** "the note isn't saved" → "The note isn't saved." */
export function sentence(text) {
  const words = String(text).trim();
  if (!words) return "";
  const first = words[0].toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** "orderDetails" → "Order details" */
export function readable(name) {
  const words = String(name)
    .replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`);
  return words ? words[0].toUpperCase() + words.slice(1) : words;
}
