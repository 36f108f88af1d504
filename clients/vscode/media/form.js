// From a view event's JSON Schema to the fields of a form, and from what was filled in to an event.

/** One for each kind of view event: `{ kind, fields: [{ name, type, isRequired, options? }] }`. */
export function forms({ viewEvent, $defs = {} }) {
  const root = resolved(viewEvent, $defs);
  const cases = (root.oneOf ?? root.anyOf ?? [root]).map((one) => resolved(one, $defs));
  return cases.flatMap((one) => {
    const kinds = one.properties?.kind ? constants(resolved(one.properties.kind, $defs)) : [];
    return kinds.map((kind) => ({ kind, fields: fields(one, $defs) }));
  });
}

function fields({ properties = {}, required = [] }, definitions) {
  return Object.entries(properties)
    .filter(([name]) => name !== 'kind')
    .map(([name, schema]) => ({ name, isRequired: required.includes(name), ...field(schema, definitions) }));
}

/** A value that no simple input can hold is written as JSON. */
function field(schema, definitions) {
  const plain = withoutNull(resolved(schema, definitions), definitions);
  const options = constants(plain);
  if (options.length > 0) return { type: 'choice', options };
  const type = plain.format ? 'string' : plain.type;
  if (['string', 'boolean', 'number', 'integer'].includes(type)) return { type };
  return { type: 'json' };
}

function resolved(schema, definitions) {
  const name = /^#\/\$defs\/(.*)$/.exec(schema?.$ref ?? '')?.[1];
  return name === undefined ? (schema ?? {}) : resolved(definitions[name] ?? {}, definitions);
}

function constants(schema) {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? [];
}

function withoutNull(schema, definitions) {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : undefined };
  }
  const choices = (schema.anyOf ?? schema.oneOf)?.map((one) => resolved(one, definitions));
  const others = choices?.filter(({ type }) => type !== 'null') ?? [];
  return choices && others.length === 1 && choices.length === 2 ? others[0] : schema;
}

/**
 * @param texts what was filled in, by the fields' names; of a check box 'true' or ''
 * @throws an error that names the field
 */
export function event({ kind, fields }, texts) {
  const result = { kind };
  for (const field of fields) {
    const text = texts[field.name] ?? '';
    if (text === '' && !field.isRequired) continue;
    result[field.name] = value(field, text);
  }
  return result;
}

function value({ name, type, options }, text) {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return text === 'true';
    case 'choice':
      return options[Number(text)];
    case 'json':
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new Error(`${name} is no JSON: ${error.message}`);
      }
  }
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`${name} is no number: ${text || 'empty'}`);
  if (type === 'integer' && !Number.isSafeInteger(number)) throw new Error(`${name} is no whole number: ${text}`);
  return number;
}
