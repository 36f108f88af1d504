// The elements that don't fit a page 320 pixels wide.
const page = document.scrollingElement;
const sideways = [...document.querySelectorAll("body *")].filter((one) =>
  ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1);
if (sideways.length) return sideways.map((one) => `scrolls sideways: ${one.outerHTML.slice(0, 100)}`);
if (page.scrollWidth <= 320) return [];
const wide = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > 321);
return [`the page is ${page.scrollWidth} wide`, ...wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 100))];
