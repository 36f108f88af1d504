// Controls that have no name for assistive technology.
const controls = "button, a, input, select, textarea, [role], dialog, progress, section.pane";
// Parts of a table are read as what they contain.
const needless = ["status", "alert", "rowgroup", "row", "columnheader", "gridcell"];

function name(element) {
  const labelledBy = document.getElementById(element.getAttribute("aria-labelledby"))?.textContent;
  const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
  const content = ["BUTTON", "A"].includes(element.tagName) ? element.textContent : "";
  return element.getAttribute("aria-label") || labelledBy || labels || content;
}

return [...document.querySelectorAll(controls)]
  .filter((one) => one.checkVisibility() && !needless.includes(one.getAttribute("role")))
  .filter((one) => !name(one).trim())
  .map((one) => one.outerHTML.slice(0, 120));
