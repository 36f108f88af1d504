// Text whose contrast is below WCAG 2 AA, against the nearest background that isn't transparent. Disabled controls and
// what only assistive technology reads are exempt.
const exempt = ":disabled, .visually-hidden, script, [aria-hidden=true]";

function parse(color) {
  const numbers = color.match(/[\d.]+/g).map(Number);
  const scale = color.startsWith("color(srgb") ? 255 : 1;
  return { rgb: numbers.slice(0, 3).map((part) => part * scale), alpha: numbers[3] ?? 1 };
}

function linear(value) {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function background(element) {
  for (let one = element; one; one = one.parentElement) {
    const { rgb, alpha } = parse(getComputedStyle(one).backgroundColor);
    if (alpha === 1) return rgb;
  }
  return [255, 255, 255];
}

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const pale = [];
let count = 0;
while (walker.nextNode()) {
  const text = walker.currentNode.data.trim();
  const element = walker.currentNode.parentElement;
  if (!text || !element.checkVisibility() || element.closest(exempt)) continue;
  const front = luminance(parse(getComputedStyle(element).color).rgb);
  const back = luminance(background(element));
  const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  count += 1;
  if (contrast < 4.5) pale.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
}
// A page without text is no proof.
if (count < 4) pale.push(`only ${count} texts were found`);
return pale;
