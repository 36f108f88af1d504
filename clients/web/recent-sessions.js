import { ofBrowser, ofTab } from "./kept.js";

const item = "view-model-sessions";
const most = 100;
let isKeptByBrowser = true;

/**
 * The newest sessions, `{ viewModel, key, isKept }`, newest first: those of this tab, and those that any tab of this
 * browser has shown and that the server may keep, as it does with durable ones.
 */
export function recentSessions() {
  const own = read(ofTab);
  const others = read(ofBrowser).filter(({ key }) => !own.some((one) => one.key === key));
  return [...own, ...others].slice(0, most);
}

export function remember({ viewModel, key, isKept }) {
  const add = (storage) => {
    const others = read(storage).filter((other) => other.key !== key);
    return write(storage, [{ viewModel, key, isKept }, ...others].slice(0, most));
  };
  add(ofTab);
  if (isKept) isKeptByBrowser = add(ofBrowser);
}

/** Whether other tabs will have what this one has shown and the server may keep. */
export function isListKept() {
  return isKeptByBrowser;
}

export function forget(gone) {
  for (const storage of [ofTab, ofBrowser]) {
    const all = read(storage);
    if (all.some(({ key }) => key === gone)) write(storage, all.filter(({ key }) => key !== gone));
  }
}

/** Whether a server that stores sessions had it. */
export function isKept(key) {
  return [ofTab, ofBrowser].some((storage) => read(storage).some((one) => one.key === key && one.isKept));
}

function read(storage) {
  try {
    return JSON.parse(storage.read(item)) ?? [];
  } catch {
    return [];
  }
}

function write(storage, sessions) {
  return storage.write(item, JSON.stringify(sessions));
}
