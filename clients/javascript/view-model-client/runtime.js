// What a page and Node have each in their own way: timers, and waiting by them, random numbers, Node's modules.

export const systemTimers = {
  setTimeout: (call, delay) => globalThis.setTimeout(call, delay),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => Date.now(),
  random: () => Math.random(),
};

/** Resolves with the promise, or without it when the time is over. */
export function within(timers, delay, promise) {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(resolve, delay);
    promise.then((value) => {
      timers.clearTimeout(timer);
      resolve(value);
    });
  });
}

/** Settles as the promise does; or, as soon as the signal is aborted, rejects with its reason. */
export function unlessAborted(signal, promise) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** By a name that bundlers for pages don't follow. */
export async function nodeModule(name) {
  try {
    return await import(name);
  } catch (cause) {
    throw new Error('only Node can spawn servers and open sockets; a page connects by { webSocket: url }', { cause });
  }
}

let randomSource = globalThis.crypto;

/** Node 18 has it in a module only. */
export async function findRandomSource() {
  if (!randomSource) randomSource = (await nodeModule('node:crypto')).webcrypto;
}

export function randomText() {
  return Math.random().toString(36).slice(2);
}

/** 24 characters that nobody guesses. */
export function secretText() {
  const bytes = randomSource.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes)).replace(/[+]/g, '-').replace(/[/]/g, '_');
}
