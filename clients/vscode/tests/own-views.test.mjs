// Views of the user's own, and servers with names of the examples and contracts of their own.
import assert from 'node:assert/strict';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { FakeServer, serverPath, startProgram, until } from '../../javascript/tests/support.mjs';
import { connect } from '../../javascript/view-model-client.js';
import { Browser } from './browser.mjs';
import { servePanel } from './panel-page.mjs';
import { open, ready, user } from './user.mjs';

/** A server with other view models under the names of examples, which is built beside the one that is tested. */
async function startShop(context) {
  const shop = join(dirname(serverPath), 'Shop');
  await access(shop).catch(() => assert.fail(`${shop}: 'swift build --product Shop' makes it`));
  return startProgram(context, shop, '--tcp', '0');
}

async function example() {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  return /```js\n([^]*?)```/.exec(readme)[1];
}

/** Writes a script with views, and returns its path. */
async function script(context, text) {
  const folder = await mkdtemp(join(tmpdir(), 'own-views-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'views.js'), text);
  return join(folder, 'views.js');
}

const given = ({ messages }) => messages.find(({ type }) => type === 'description')?.own;

test("another server's orders and counter are shown by their events", async (context) => {
  const { address } = await startShop(context);
  const me = await user(context, { address, views: { 'Examples.CounterViewModel': '/nowhere/views.js' } });
  for (const name of ['orders', 'counter']) {
    const panel = await open(me, name);
    await until(() => panel.messages.length >= 2, 'its description and an event');
    assert.deepEqual([given(panel), panel.messages[1].type, me.tree], [undefined, 'event', '[Orders]']);
  }
  await me.run('viewModels.openOrders');
  const said = "This server doesn't have the orders of the examples. “Open…” has all that it has.";
  assert.deepEqual(me.notices, [['error', said]]);
});

test('a server that tells no types gets panels', async (context) => {
  // The fake one tells none of its counter's.
  const server = new FakeServer();
  const client = await connect(server.target);
  context.after(() => client.close());
  const me = await user(context, { views: { counter: '/home/me/views.js' } });
  const opening = client.open('counter');
  await server.connection.reply('session/open', { session: 1, key: 'k', viewModel: 'counter' });
  const shown = me.openPanel(client, await opening);
  await server.connection.reply('viewModel/describe', { name: 'counter' });
  await shown;
  const panel = await ready(me);
  await until(() => panel.messages.length, 'the description');
  assert.deepEqual(given(panel), { name: 'counter', script: 'https://webview.example/home/me/views.js' });
  assert.deepEqual(panel.roots, ['/extension/media', '/home/me']);
});

test("a user's view is found by type or name, in the settings before extensions", async (context) => {
  const me = await user(context, { views: { 'Examples.HelloViewModel': '/home/me/views.js' } });
  me.extensions.push(
    { packageJSON: {}, extensionUri: { path: '/other' } },
    {
      packageJSON: { contributes: { viewModelViews: { hello: './views.js', todos: './a/views.js', orders: 'o.js' } } },
      extensionUri: { path: '/extensions/shop' },
    },
  );
  const expected = {
    hello: { name: 'Examples.HelloViewModel', script: 'https://webview.example/home/me/views.js' },
    todos: { name: 'todos', script: 'https://webview.example/extensions/shop/a/views.js' },
    // It goes before the tree.
    orders: { name: 'orders', script: 'https://webview.example/extensions/shop/o.js' },
    counter: undefined,
  };
  for (const [name, own] of Object.entries(expected)) {
    const panel = await open(me, name);
    await until(() => panel.messages.length, 'the description');
    assert.deepEqual(given(panel), own, name);
  }
  me.changeSettings({ views: { hello: 'views.js' } });
  await open(me, 'hello');
  assert.deepEqual(me.notices, [['error', 'The setting viewModels.views needs absolute paths, not views.js.']]);
});

test('the example of the README is used in a browser', async (context) => {
  const browser = await Browser.start(context);
  if (!browser) return context.skip('chromedriver is not installed');
  const text = await example();
  const pages = [
    [text, 'h1', /^counter$/],
    [text, '#own', /^Count: 0\nOne more$/],
    ['export default {};', '#notice', /fails, so its events are shown: .* has no function for Examples\.CounterViewModel$/],
    [text.replace('if (event', 'throw new Error("no such thing"); if (event'), '#notice', /shown: no such thing$/],
  ];
  for (const [views, selector, pattern] of pages) {
    const path = await script(context, views);
    const me = await user(context, { views: { 'Examples.CounterViewModel': path } });
    const page = await servePanel(context, browser, await open(me, 'counter'));
    await page.shows(`${selector} ${pattern}`, selector, pattern);
    if (selector === '#own') {
      await browser.click('#own button');
      await page.shows('one more', '#own', /^Count: 1\n/);
      await browser.click('#toggle');
      await page.shows('the events, too', '#events', /^2 +\{"kind":"count","value":1\}\n1 /);
      await browser.click('#toggle');
    }
    if (selector === '#notice') await page.shows('the events instead', '#events', /^1 +\{"kind":"count","value":0\}$/);
    assert.deepEqual((await browser.problems()).filter((problem) => !/no function|no such thing/.test(problem)), []);
  }
});
