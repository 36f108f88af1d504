const item = "view-model-sessions";
const most = 6;

/**
 * The newest sessions, `{ viewModel, key, isKept }`, newest first: those of this tab, and those that any tab of this
 * browser has shown and that the server may keep, as it does with durable ones.
 */
export function recentSessions() {
  const own = read(sessionStorage);
  const others = read(localStorage).filter(({ key }) => !own.some((one) => one.key === key));
  return [...own, ...others].slice(0, most);
}

export function remember({ viewModel, key, isKept }) {
  for (const storage of isKept ? [sessionStorage, localStorage] : [sessionStorage]) {
    const others = read(storage).filter((other) => other.key !== key);
    write(storage, [{ viewModel, key, isKept }, ...others].slice(0, most));
  }
}

export function forget(gone) {
  for (const storage of [sessionStorage, localStorage]) {
    const all = read(storage);
    if (all.some(({ key }) => key === gone)) write(storage, all.filter(({ key }) => key !== gone));
  }
}

/** Whether a server that stores sessions had it. */
export function isKept(key) {
  return [sessionStorage, localStorage].some((storage) => read(storage).some((one) => one.key === key && one.isKept));
}

function read(storage) {
  try {
    return JSON.parse(storage.getItem(item)) ?? [];
  } catch {
    return [];
  }
}

function write(storage, sessions) {
  storage.setItem(item, JSON.stringify(sessions));
}
