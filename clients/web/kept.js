/**
 * What the browser keeps for the page. It may have no room, and where it may keep nothing, as in some private modes,
 * even looking for it throws: the page goes on without.
 */
class Kept {
  #find;
  #here;

  /**
   * @param {() => Storage} find
   * @param {Map<string, string>} here has what the browser didn't take, as long as the page is there
   */
  constructor(find, here) {
    this.#find = find;
    this.#here = here;
  }

  /** @returns {string | null} */
  read(item) {
    if (this.#here?.has(item)) return this.#here.get(item);
    try {
      return this.#find().getItem(item);
    } catch {
      return null;
    }
  }

  /** @returns {boolean} whether the browser keeps it; what it kept before stays where it doesn't */
  write(item, text) {
    try {
      this.#find().setItem(item, text);
    } catch {
      this.#here?.set(item, text);
      return false;
    }
    this.#here?.delete(item);
    return true;
  }

  remove(item) {
    this.#here?.delete(item);
    try {
      this.#find().removeItem(item);
    } catch {
      // Nothing was kept.
    }
  }
}

export const ofTab = new Kept(() => sessionStorage, new Map());
/** Other tabs write it, too, so the page has nothing of its own in place of it. */
export const ofBrowser = new Kept(() => localStorage);
