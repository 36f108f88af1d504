/**
 * Keeps the browser's history as deep as what is on screen, so that its back button leaves the topmost view.
 *
 * All entries of one session have the same address; `history.state.depth` tells them apart.
 */
export class HistoryDepth {
  #at = 0;
  /** The deepest entry of this session that is there to go forward to. */
  #top = 0;
  #want = 0;
  #isMoving = false;

  /** Begins with the entry that is current: after a reload it may be a deep one. */
  reset() {
    this.#at = history.state?.depth ?? 0;
    this.#top = this.#at;
    this.#want = this.#at;
    this.#isMoving = false;
  }

  /** What is on screen has this many views over its root. */
  set(depth) {
    this.#want = depth;
    this.#settle();
  }

  /**
   * Call for each `popstate` that stays on the session's address.
   *
   * @returns {number} how many views the user wants to leave
   */
  didMove(state) {
    const wasOurs = this.#isMoving;
    this.#isMoving = false;
    this.#at = state?.depth ?? 0;
    if (wasOurs || this.#at >= this.#want) {
      this.#settle();
      return 0;
    }
    return this.#want - this.#at;
  }

  /** Goes back to where the screen is, after the user's wish to leave was refused, or was done. */
  settle() {
    this.#settle();
  }

  #settle() {
    if (this.#isMoving) return;
    if (this.#want > this.#at && this.#top > this.#at) return this.#go(Math.min(this.#want, this.#top));
    while (this.#want > this.#at) {
      this.#at += 1;
      this.#top = this.#at;
      history.pushState({ depth: this.#at }, "");
    }
    if (this.#want < this.#at) this.#go(this.#want);
  }

  #go(depth) {
    this.#isMoving = true;
    history.go(depth - this.#at);
  }
}
