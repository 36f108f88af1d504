// A panel's page in a real browser: what it posts goes to the extension, and what the extension posts to the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Relay, serverAddress, startServer } from '../../javascript/tests/support.mjs';
import { Browser } from './browser.mjs';
import { servePanel } from './panel-page.mjs';
import { open, ownList, user } from './user.mjs';

test('a panel is used in a browser', async (context) => {
  const browser = await Browser.start(context);
  if (!browser) return context.skip('chromedriver is not installed');
  const relay = await Relay.start(context, serverAddress);
  const me = await user(context, { address: relay.address });
  const { shows } = await servePanel(context, browser, await open(me, 'todos', ownList()));

  await shows('the name', 'h1', /^todos$/);
  await shows('a form for each event', '#forms', /^add\ntitle\nSend\n/);
  await shows('what came first', '#values', /^changed\n\{[^]*"items": \[\]/);
  await browser.type('#forms input[name=title]', 'Milk <b>');
  await browser.click('#forms button');
  await shows('a new value', '#values', /"title": "Milk <b>"/);
  await shows('the events, the newest first', '#events', /^2 +\{"kind":"changed".*Milk <b>.*\n1 +\{"kind":"changed"/);
  const toggle = '#forms fieldset:nth-child(2)';
  await browser.type(`${toggle} input[name=id]`, 'x');
  await browser.click(`${toggle} button`);
  await shows('what is wrong in a form', `${toggle} [role=alert]`, /^id is no number: x$/);
  // After the x.
  await browser.type(`${toggle} input[name=id]`, '\ue00399');
  await browser.click(`${toggle} button`);
  await shows('what the server refuses', `${toggle} [role=alert]`, /^there is nothing to do with id 99$/);
  await browser.type(`${toggle} input[name=id]`, '\ue003\ue0031');
  await browser.click(`${toggle} button`);
  await shows('what the server took', '#values', /"isDone": true/);
  await shows('nothing wrong any more', toggle, /^toggle\nid\nSend$/);
  relay.isOpen = false;
  relay.cut();
  await shows('that it may be old', '#notice', /^The connection is lost: this may be old\.$/);
  assert.equal(await browser.run('return getComputedStyle(document.getElementById("values")).opacity'), '0.6');
  await browser.type('#forms input[name=title]', 's');
  await browser.click('#forms button');
  await shows('what waits', '#notice', /Waits to be sent: add Milk <b>s\.$/);
  // Another server at the same address, which knows no session.
  relay.target = (await startServer(context, '--tcp', '0')).address;
  relay.isOpen = true;
  await me.run('viewModels.reconnect');
  await shows('what was lost', '#notice', /^Closed: the session ended .* Not sent:\s+add Milk <b>s$/);
  assert.equal(await browser.run('return getComputedStyle(document.getElementById("values")).opacity'), '1');
  assert.deepEqual(await browser.problems(), []);
});
