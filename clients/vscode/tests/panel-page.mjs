// A panel's page in a browser, with what VS Code puts into it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { until } from '../../javascript/tests/support.mjs';

const media = fileURLToPath(new URL('../media', import.meta.url));
const types = { css: 'text/css', js: 'text/javascript' };
const host = 'window.posted = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => posted.push(message) });';

/** Opens the page of a panel of the stub's. Only files of the panel's folders are served. */
export async function servePanel(context, browser, panel) {
  await until(() => panel.webview.html, 'the page');
  const folders = new Map(panel.roots.map((root) => [root, root === '/extension/media' ? media : root]));
  const text = async (url, origin) => {
    if (url === '/host.js') return host;
    const root = panel.roots.find((root) => url.startsWith(`${root}/`));
    if (root) return readFile(folders.get(root) + url.slice(root.length));
    const page = panel.webview.html.replaceAll('https://webview.example', origin);
    return page.replace('<link', `<script src="${origin}/host.js"></script><link`);
  };
  const server = http.createServer(async ({ url }, response) => {
    response.setHeader('Content-Type', types[url.split('.')[1]] ?? 'text/html');
    response.end(await text(url, origin));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => (server.closeAllConnections?.(), server.close()));
  const origin = `http://127.0.0.1:${server.address().port}`;
  await browser.go(origin);
  return {
    /** Carries messages between the page and the extension until it reads as expected. */
    async shows(what, selector, expected) {
      let seen;
      try {
        await until(async () => {
          // Not awaited: what is sent while the connection is lost is answered later.
          for (const message of await browser.run('return window.posted.splice(0)')) void panel.send(message);
          for (const message of panel.messages.splice(0)) {
            const text = JSON.stringify(message).replaceAll('https://webview.example', origin);
            await browser.run('window.postMessage(arguments[0])', JSON.parse(text));
          }
          seen = await browser.text(selector);
          return expected.test(seen);
        }, what);
      } catch (error) {
        assert.fail(`${what}: expected ${expected} and saw ${seen} (${error.message})`);
      }
      console.log(`shown: ${what}`);
    },
  };
}
