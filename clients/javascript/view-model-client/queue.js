/** First in, first out. An array's `shift` moves all that is behind it, which takes long where many wait. */
export class Queue {
  #items = [];
  #start = 0;

  get length() {
    return this.#items.length - this.#start;
  }

  push(item) {
    this.#items.push(item);
  }

  shift() {
    const item = this.#items[this.#start];
    this.#items[this.#start] = undefined;
    this.#start += 1;
    if (this.#start * 2 > this.#items.length) this.#items = this.take();
    return item;
  }

  get items() {
    return this.#items.slice(this.#start);
  }

  /** Everything, after which it is empty. */
  take() {
    const items = this.items;
    this.#items = [];
    this.#start = 0;
    return items;
  }

  remove(item) {
    this.#items = this.take().filter((other) => other !== item);
  }
}
