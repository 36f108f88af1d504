import { ofTab } from "./kept.js";

const item = "view-model-tab";

/**
 * The name of this tab as a client: the same over reloads, so that a session knows the tab again.
 *
 * A page takes the name with it while it is shown, and leaves it to the page that a reload puts in its place, and to no
 * other: what is stored may have been copied, with the tab that is duplicated or with the profile of a browser that was
 * closed, and two pages with one name would take each other's events for their own. A page that has another name loses
 * nothing by it.
 */
export function nameOfTab() {
  const name = takeLeft() ?? `tab-${crypto.getRandomValues(new Uint32Array(3)).join("-")}`;
  window.addEventListener("pagehide", () => {
    ofTab.write(item, `${performance.timeOrigin + performance.now()} ${name}`);
  });
  window.addEventListener("pageshow", take);
  return name;
}

function take() {
  const left = ofTab.read(item);
  ofTab.remove(item);
  return left;
}

/**
 * What the page left that this one is a reload of.
 *
 * A page is shown until the one that replaces it is there, so it leaves after the load of that one began. A reload of what
 * failed to load, as of a tab that a browser has restored, comes later.
 */
function takeLeft() {
  const left = take();
  if (left === null || performance.getEntriesByType("navigation")[0]?.type !== "reload") return undefined;
  const [leftAt, name] = left.split(" ");
  return Number(leftAt) >= performance.timeOrigin ? name : undefined;
}
