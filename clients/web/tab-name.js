const item = "view-model-tab";

/**
 * The name of this tab as a client: the same over reloads, so that a session knows the tab again.
 *
 * A page takes the name with it while it is shown, since a tab that is duplicated has a copy of what is stored. Where
 * the tab is killed, the next page has another name.
 */
export function nameOfTab() {
  const name = sessionStorage.getItem(item) ?? `tab-${crypto.getRandomValues(new Uint32Array(3)).join("-")}`;
  const take = () => sessionStorage.removeItem(item);
  take();
  window.addEventListener("pagehide", () => sessionStorage.setItem(item, name));
  window.addEventListener("pageshow", take);
  return name;
}
