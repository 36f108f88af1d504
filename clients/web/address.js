/** `#/`, `#/orders`, `#/orders/KEY`; null for any other. */
export function parseAddress() {
  const [path, viewModel, key] = /^(?:#?|#\/|#\/([^/]+)(?:\/([^/]+))?\/?)$/.exec(location.hash) ?? [];
  if (path === undefined) return null;
  try {
    return { viewModel: viewModel && decodeURIComponent(viewModel), key: key && decodeURIComponent(key) };
  } catch {
    return null;
  }
}

/** Beside the page, wherever a proxy may have put it. */
export function webSocketAddress() {
  const address = new URL("ws", new URL(".", location.href));
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}
