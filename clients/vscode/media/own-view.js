// A view of the user's own in the panel's page: what comes before it is loaded waits, and its errors end it.

export class OwnView {
  #view = null;
  #hasFailed = false;
  /** What came before it was loaded. */
  #missed = [];
  #didFail;

  /**
   * @param {{ script: string, name: string }} given the module, and the name of the view in what it exports
   * @param {HTMLElement} place
   * @param {object} context for the view
   * @param {(error: Error) => void} didFail
   */
  constructor({ script, name }, place, context, didFail) {
    this.#didFail = didFail;
    this.#load(script, name, place, context);
  }

  async #load(script, name, place, context) {
    try {
      const { default: views } = await import(script);
      if (typeof views?.[name] !== 'function') throw new TypeError(`${script} has no function for ${name}`);
      const view = views[name](context);
      if (!(view?.element instanceof Element) || typeof view.onEvent !== 'function') {
        throw new TypeError('it is no object with an element and a function onEvent');
      }
      this.#view = view;
      view.reset?.();
      for (const event of this.#missed.splice(0)) view.onEvent(event);
      place.replaceChildren(view.element);
    } catch (error) {
      this.#fail(error);
    }
  }

  take(event) {
    if (this.#view) this.#guard(() => this.#view.onEvent(event));
    else this.#missed.push(event);
  }

  reset() {
    this.#missed = [];
    if (this.#view) this.#guard(() => this.#view.reset?.());
  }

  #guard(act) {
    if (this.#hasFailed) return;
    try {
      act();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    this.#hasFailed = true;
    console.warn(error);
    this.#didFail(error);
  }
}
