// The declarations, as TypeScript's compiler sees them together with those that the server writes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as module from '../view-model-client.js';
import { serverPath } from './support.mjs';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const hasCompiler = await run('tsc', ['--version']).then(() => true, () => false);

const skip = !hasCompiler && 'tsc is not installed';

test('a program with both types is right, and what is wrong is refused', { skip }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'view-model-types-'));
  context.after(() => rm(folder, { recursive: true }));
  await run(serverPath, ['contract', '--typescript', folder], { cwd: folder });
  for (const file of ['../view-model-client.d.ts', 'types/right.ts', 'types/wrong.ts']) {
    await copyFile(here(file), join(folder, file.replace(/.*\//, '')));
  }
  const options = ['--strict', '--noEmit', '--target', 'es2018', '--module', 'node16'];
  const lines = (await readFile(here('types/wrong.ts'), 'utf8')).split('\n');
  const marked = lines.flatMap((line, index) => (line.endsWith('// error') ? [`wrong.ts(${index + 1}`] : []));
  assert.equal(marked.length, 14);
  const { stdout } = await run('tsc', [...options, 'right.ts', 'wrong.ts'], { cwd: folder }).catch((error) => error);
  // Without a place, it is the options that a compiler of another version doesn't take.
  if (/^error TS/m.test(stdout)) return context.skip(`this tsc is another than we know: ${stdout}`);
  const refused = stdout.split('\n').flatMap((line) => /^\S+\([0-9]+/.exec(line) ?? []);
  assert.deepEqual(refused, marked, stdout);
});

test('what is declared is what is there', async () => {
  const text = await readFile(here('../view-model-client.d.ts'), 'utf8');
  const declared = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  for (const name of declared) assert.equal(typeof module[name], 'function', name);
  for (const type of ['Client', 'View', 'List']) {
    const body = new RegExp(`^export interface ${type}<[^]*?\\n}\\n`, 'm').exec(text)[0];
    const members = [...body.matchAll(/^  (?:readonly )?(\w+)[?(<:]/gm)].map(([, name]) => name);
    const own = Object.getOwnPropertyNames(module[type].prototype).filter((name) => name !== 'constructor');
    assert.deepEqual([...new Set(members)].sort(), own.sort());
  }
});
