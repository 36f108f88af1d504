// A headless Chromium, driven by W3C WebDriver with nothing but requests.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../javascript/tests/support.mjs';

const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

export class Browser {
  #base;
  #hasSession = false;

  /** Null where there is none. Ends with the test. */
  static async start(context) {
    if (spawnSync('chromedriver', ['--version']).error) return null;
    // As root, Chromium takes the processors from everything that runs beside it, by a nice value of -8.
    const asAUser = process.getuid() === 0 ? ['setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice'] : [];
    const [program, ...words] = [...asAUser, 'chromedriver', '--port=0'];
    const driver = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    const browser = new Browser();
    context.after(async () => {
      if (browser.#hasSession) await browser.#request('DELETE', '');
      driver.kill();
      if (driver.exitCode === null && driver.signalCode === null) await once(driver, 'exit');
    });
    let text = '';
    driver.stdout.on('data', (chunk) => (text += chunk));
    const [, port] = await until(() => /started successfully on port (\d+)/.exec(text), 'chromedriver');
    browser.#base = `http://127.0.0.1:${port}`;
    const options = { args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] };
    const capabilities = { alwaysMatch: { 'goog:chromeOptions': options, 'goog:loggingPrefs': { browser: 'ALL' } } };
    const { sessionId } = await browser.#request('POST', '/session', { capabilities });
    browser.#base += `/session/${sessionId}`;
    browser.#hasSession = true;
    return browser;
  }

  async #request(method, path, body) {
    const options = { method, headers: { 'Content-Type': 'application/json' }, signal: AbortSignal.timeout(120_000) };
    const response = await fetch(this.#base + path, body ? { ...options, body: JSON.stringify(body) } : options);
    const { value } = await response.json();
    assert.ok(!value?.error, `${path}: ${value?.error}: ${value?.message}`);
    return value;
  }

  go(url) {
    return this.#request('POST', '/url', { url });
  }

  run(script, ...given) {
    return this.#request('POST', '/execute/sync', { script, args: given });
  }

  async #find(selector) {
    const element = await this.#request('POST', '/element', { using: 'css selector', value: selector });
    return `/element/${element[elementKey]}`;
  }

  async click(selector) {
    await this.#request('POST', `${await this.#find(selector)}/click`, {});
  }

  async type(selector, text) {
    await this.#request('POST', `${await this.#find(selector)}/value`, { text });
  }

  /** The text that one can read there. */
  async text(selector) {
    return this.#request('GET', `${await this.#find(selector)}/text`);
  }

  /** The page's errors since the last call. */
  async problems() {
    const entries = await this.#request('POST', '/se/log', { type: 'browser' });
    return entries.map(({ message }) => message);
  }
}
