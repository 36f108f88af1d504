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
  /** Leaves the history alone, while the screen is brought to where the user went in it. */
  #isHeld = false;

  /** Begins with the entry that is current: after a reload it may be a deep one. */
  reset() {
    this.#at = history.state?.depth ?? 0;
    this.#top = this.#at;
    this.#want = this.#at;
    this.#isMoving = false;
    this.#isHeld = false;
  }

  /** How many views the user has left in the browser's history, and not on screen. */
  get excess() {
    return Math.max(0, this.#want - this.#at);
  }

  hold() {
    this.#isHeld = true;
  }

  /** Brings the history to where the screen is: the user's wish to leave was done, or refused. */
  release() {
    this.#isHeld = false;
    this.#settle();
  }

  /** The screen has this many views over its root. */
  set(depth) {
    this.#want = depth;
    this.#settle();
  }

  /**
   * Call for each `popstate` that stays on the session's address.
   *
   * @returns {boolean} whether the user went back, and there is something to leave
   */
  didMove(state) {
    const wasOurs = this.#isMoving;
    this.#isMoving = false;
    this.#at = state?.depth ?? 0;
    if (wasOurs || this.#at >= this.#want) {
      this.#settle();
      return false;
    }
    return true;
  }

  #settle() {
    if (this.#isMoving || this.#isHeld) return;
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
