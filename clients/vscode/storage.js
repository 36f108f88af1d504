// What all windows of VS Code share: a folder, in which each window has files of its own, and turns at what they have together.
'use strict';

const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const { join } = require('node:path');

/** Synchronous where it counts: VS Code may end the extension in the middle of its `deactivate`. */
class Storage {
  #folder;
  #name = `unanswered-${randomBytes(16).toString('hex')}.json`;

  /** @param folder only its owner sees into it */
  constructor(folder) {
    this.#folder = folder;
  }

  /** Keeps this window's entries for the next start: all of them, or what was kept before. */
  keep(entries) {
    const path = this.#make(this.#name);
    try {
      const descriptor = fs.openSync(`${path}.new`, 'w', 0o600);
      try {
        fs.writeFileSync(descriptor, JSON.stringify(entries));
        fs.fsyncSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
      fs.renameSync(`${path}.new`, path);
    } catch (error) {
      // On a full disk the part that was written would take the room of others.
      fs.rmSync(`${path}.new`, { force: true });
      throw error;
    }
  }

  /**
   * Keeps all entries; where that can't be done, as on a full disk, the short ones as they are and the others shortened.
   * Throws where not even that can be done.
   */
  keepMost(entries, shorten) {
    try {
      return this.keep(entries);
    } catch {
      // With less it may go.
    }
    const size = new Map(entries.map((entry) => [entry, JSON.stringify(entry).length]));
    const byLength = [...entries].sort((one, other) => size.get(one) - size.get(other));
    const keep = (count) => {
      const whole = new Set(byLength.slice(0, count));
      this.keep(entries.map((entry) => (whole.has(entry) ? entry : shorten(entry))));
    };
    keep(0);
    // As many whole ones as go, between a number that did and one that didn't.
    let [kept, refused] = [0, entries.length];
    while (refused - kept > 1) {
      const count = (kept + refused) >> 1;
      try {
        keep(count);
        kept = count;
      } catch {
        refused = count;
      }
    }
  }

  /** What this window kept; no longer where another window that starts has taken it. */
  get isKept() {
    return fs.existsSync(join(this.#folder, this.#name));
  }

  drop() {
    fs.rmSync(join(this.#folder, this.#name), { force: true });
  }

  /** Takes what windows have kept, each entry once: only one window can rename a file. What can't be read is left. */
  take() {
    const entries = [];
    const broken = [];
    const names = fs.existsSync(this.#folder) ? fs.readdirSync(this.#folder) : [];
    for (const name of names.filter((name) => /^unanswered-\w+\.json$/.test(name))) {
      const [given, path] = [join(this.#folder, name), join(this.#folder, `${name}.taken`)];
      try {
        fs.renameSync(given, path);
      } catch (error) {
        // Those of other windows are told all the same.
        if (error.code !== 'ENOENT') broken.push(given);
        continue;
      }
      try {
        entries.push(...checked(JSON.parse(fs.readFileSync(path, 'utf8'))));
      } catch {
        broken.push(path);
        continue;
      }
      try {
        fs.rmSync(path, { force: true });
      } catch {
        // Nobody takes it again.
      }
    }
    return { entries, broken };
  }

  /** Runs this while no other window does: a secret can only be read, and then written. */
  async alone(run) {
    const path = this.#make('turn');
    for (;;) {
      try {
        fs.mkdirSync(path);
        break;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      // A window was ended in its turn.
      const since = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > 5_000) fs.rmSync(path, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
    try {
      return await run();
    } finally {
      fs.rmSync(path, { recursive: true, force: true });
    }
  }

  #make(name) {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return join(this.#folder, name);
  }
}

/** What an editor has made of it can't be told. */
function checked(entries) {
  if (!Array.isArray(entries) || !entries.every((entry) => entry?.event instanceof Object)) throw new Error('no entries');
  return entries;
}

module.exports = { Storage, checked };
