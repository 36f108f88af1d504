const item = "view-model-sessions";

/** The newest sessions of this tab, `{ viewModel, key }`, newest first. */
export function recentSessions() {
  try {
    return JSON.parse(sessionStorage.getItem(item)) ?? [];
  } catch {
    return [];
  }
}

export function remember(session) {
  const others = recentSessions().filter(({ key }) => key !== session.key);
  sessionStorage.setItem(item, JSON.stringify([session, ...others].slice(0, 6)));
}

export function forget(gone) {
  sessionStorage.setItem(item, JSON.stringify(recentSessions().filter(({ key }) => key !== gone)));
}
