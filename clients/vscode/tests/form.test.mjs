import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connect } from '../../javascript/view-model-client.js';
import { serverAddress } from '../../javascript/tests/support.mjs';

// A page's script is a module by its element; Node goes by the name.
const folder = await mkdtemp(join(tmpdir(), 'view-models-form-'));
after(() => rm(folder, { recursive: true }));
await cp(fileURLToPath(new URL('../media/form.js', import.meta.url)), join(folder, 'form.mjs'));
const { event, forms } = await import(pathToFileURL(join(folder, 'form.mjs')).href);

const integer = { type: 'integer', minimum: 0 };
const description = {
  viewEvent: {
    oneOf: [
      { type: 'object', required: ['kind'], properties: { kind: { const: 'reset' } } },
      {
        type: 'object',
        required: ['kind', 'text', 'count', 'on', 'color', 'place'],
        properties: {
          kind: { const: 'all' },
          text: { type: 'string' },
          count: { $ref: '#/$defs/Int' },
          ratio: { type: ['number', 'null'] },
          on: { type: 'boolean' },
          color: { $ref: '#/$defs/Color' },
          mood: { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
          place: { type: 'object', properties: { x: integer } },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      { type: 'object', required: ['kind'], properties: { kind: { enum: ['left', 'right'] } } },
    ],
  },
  $defs: { Int: integer, Color: { enum: ['red', 'green'] } },
};

test('a form has a field for each member', () => {
  const made = forms(description);
  assert.deepEqual(made.map(({ kind }) => kind), ['reset', 'all', 'left', 'right']);
  const types = made[1].fields.map(({ name, type, isRequired }) => `${name}${isRequired ? '' : '?'} ${type}`);
  assert.deepEqual(types, [
    'text string', 'count integer', 'ratio? number', 'on boolean', 'color choice', 'mood? choice', 'place json', 'tags? json',
  ]);
  assert.deepEqual(made[1].fields[4].options, ['red', 'green']);
  assert.deepEqual(made[2].fields, []);
  assert.deepEqual(forms({ viewEvent: false }), []);
  assert.deepEqual(forms({}), []);
});

test('what is filled in becomes an event, and what is left out is', () => {
  const [reset, all] = forms(description);
  assert.deepEqual(event(reset, {}), { kind: 'reset' });
  const filled = { text: 'a', count: '3', ratio: '0.5', on: 'true', color: '1', mood: '0', place: '{"x":1}', tags: '["b"]' };
  assert.deepEqual(event(all, filled), {
    kind: 'all', text: 'a', count: 3, ratio: 0.5, on: true, color: 'green', mood: 'red', place: { x: 1 }, tags: ['b'],
  });
  const least = { text: '', count: '0', ratio: '', on: '', color: '0', mood: '', place: '{}', tags: '' };
  assert.deepEqual(event(all, least), { kind: 'all', text: '', count: 0, on: false, color: 'red', place: {} });
});

test('what makes no sense is said with the name of its field', () => {
  const [, all] = forms(description);
  const filled = { text: '', count: '1', on: '', color: '0', place: '{}' };
  for (const [wrong, message] of [
    [{ count: '' }, 'count is no number: empty'],
    [{ count: 'x' }, 'count is no number: x'],
    [{ count: '1.5' }, 'count is no whole number: 1.5'],
    [{ count: '1e400' }, 'count is no number: 1e400'],
    [{ place: '' }, /^place is no JSON: /],
    [{ place: '{' }, /^place is no JSON: /],
  ]) {
    assert.throws(() => event(all, { ...filled, ...wrong }), { message });
  }
});

test('every view model of the server has its forms', async (context) => {
  const client = await connect({ tcp: serverAddress });
  context.after(() => client.close());
  assert.ok(client.viewModels.length >= 5);
  for (const { name } of client.viewModels) {
    const description = await client.describe(name);
    const kinds = forms(description).map(({ kind }) => kind);
    const known = { orders: ['loadOrders', 'selectOrder'], confirmCancel: ['confirm', 'keep'] }[name];
    if (known) assert.deepEqual(kinds, known);
    else assert.ok(kinds.length > 0, name);
  }
});
