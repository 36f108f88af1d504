import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverAddress, until } from '../../javascript/tests/support.mjs';
import { User } from './vscode-stub.mjs';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
const { contributes } = manifest;
const contributed = contributes.commands.map(({ command }) => command).sort();

test('every command that is contributed is registered, and the other way around', async (context) => {
  const user = new User({});
  await user.activate();
  context.after(() => user.deactivate());
  assert.deepEqual([...user.commands.keys()].sort(), contributed);
  assert.deepEqual(user.violations, []);
});

test('the extension starts when its commands and its tree are used', () => {
  // Since 1.74 that follows from what is contributed.
  const [, major, minor] = /^\^(\d+)\.(\d+)\.\d+$/.exec(manifest.engines.vscode);
  assert.ok(Number(major) > 1 || Number(minor) >= 74);
  // It says at the next start what wasn't answered at the end.
  assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
});

test('menus and links name commands that are there, and views too', () => {
  const items = Object.values(contributes.menus).flat();
  const links = contributes.viewsWelcome.flatMap(({ contents }) => {
    return [...contents.matchAll(/\(command:([^)]*)\)/g)].map(([, command]) => ({ command }));
  });
  assert.ok(items.length > 10 && links.length === 4);
  for (const { command } of [...items, ...links]) assert.ok(contributed.includes(command), command);
  const containers = contributes.viewsContainers.activitybar.map(({ id }) => id);
  assert.deepEqual(Object.keys(contributes.views), containers);
  const views = Object.values(contributes.views).flat().map(({ id }) => id);
  for (const { view } of contributes.viewsWelcome) assert.ok(views.includes(view));
  for (const { when = '' } of [...items, ...contributes.viewsWelcome]) {
    for (const [, view] of when.matchAll(/view == (\S+)/g)) assert.ok(views.includes(view), when);
    for (const [, front] of when.matchAll(/viewModels\.front == '(\w+)'/g)) {
      assert.ok(['orders', 'orderDetails'].includes(front), when);
    }
    assert.doesNotMatch(when.replace(/view == viewModels\.(orders|kept)/g, ''), /viewModels\.(?!front|hasAsked)/);
  }
  // A command that is a button in a title has a picture.
  const icons = new Map(contributes.commands.map(({ command, icon }) => [command, icon]));
  for (const { command } of contributes.menus['view/title']) assert.match(icons.get(command), /^\$\([a-z-]+\)$/);
});

test('the settings that are read are those that are declared', async () => {
  const texts = ['server.js', 'views.js'].map((name) => readFile(join(folder, name), 'utf8'));
  const text = (await Promise.all(texts)).join('');
  const read = [...text.matchAll(/settings\.get\('(\w+)'/g)].map(([, name]) => `viewModels.${name}`);
  const declared = Object.entries(contributes.configuration.properties);
  assert.deepEqual(read.sort(), declared.map(([name]) => name).sort());
  // A workspace must not name a program that runs, nor where a token is sent.
  for (const [, { scope }] of declared) assert.equal(scope, 'machine');
});

test('files that the manifest names are there', async () => {
  const files = [manifest.main, ...contributes.viewsContainers.activitybar.map(({ icon }) => icon)];
  for (const file of files) await access(join(folder, file));
});

/** Whether a package can be made and opened. */
const hasZip = await Promise.all([run('zip', ['-v']), run('unzip', ['-v'])]).then(() => true, () => false);

const skip = !hasZip && 'zip and unzip are not installed';

test('the package holds all files, and works without the checkout', { skip }, async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'view-models-pack-'));
  context.after(() => rm(place, { recursive: true }));
  const { stdout } = await run(join(folder, 'pack'), [place]);
  assert.equal(stdout.trim(), join(place, 'view-models.vsix'));
  await run('unzip', ['-q', stdout.trim(), '-d', join(place, 'unpacked')]);
  const top = await readdir(join(place, 'unpacked'));
  assert.deepEqual(top.sort(), ['[Content_Types].xml', 'extension', 'extension.vsixmanifest']);
  const xml = await readFile(join(place, 'unpacked/extension.vsixmanifest'), 'utf8');
  const { name, version, publisher, displayName, description, engines } = manifest;
  for (const part of [
    `Id="${name}" Version="${version}" Publisher="${publisher}"`,
    `<DisplayName>${displayName}</DisplayName>`,
    `>${description}</Description>`,
    `Value="${engines.vscode}"`,
  ]) {
    assert.ok(xml.includes(part), part);
  }
  for (const [, path] of xml.matchAll(/Path="([^"]*)"/g)) await access(join(place, 'unpacked', path));
  const types = await readFile(join(place, 'unpacked/[Content_Types].xml'), 'utf8');
  const extension = join(place, 'unpacked/extension');
  const files = (await readdir(extension, { recursive: true })).filter((path) => path.includes('.'));
  const media = await readdir(join(extension, 'media'));
  for (const path of [...files, ...media]) assert.ok(types.includes(`Extension="${/\.\w+$/.exec(path)}"`), path);
  assert.deepEqual(media.sort(), (await readdir(join(folder, 'media'))).sort());

  const user = new User({ address: serverAddress });
  await user.activate(extension);
  context.after(() => user.deactivate());
  const opening = user.run('viewModels.openOrders');
  await until(() => user.tree.endsWith('Order #99'), 'the list of orders');
  await opening;
  assert.deepEqual([user.violations, user.notices], [[], []]);
});
