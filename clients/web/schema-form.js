import { button, el, readable } from "./dom.js";
import { FieldError, Row } from "./field-row.js";

/** The value of an optional field that is left out. */
const absent = Symbol("absent");

/**
 * A field for whatever a JSON Schema asks for.
 *
 * Fields are made for strings, numbers, booleans, `enum` and `const`, optionals (`anyOf` or `type` with null), arrays,
 * objects, `oneOf` and `$ref`. Anything else is asked for as JSON.
 *
 * @param {object} schema
 * @param {object} definitions what `$ref` leads to: the contract's `$defs`
 * @param {string} label
 * @returns {{ element: HTMLElement, value: () => unknown }} `value` throws `FieldError`
 */
export function makeField(schema, definitions = {}, label = "Value") {
  return new FieldMaker(definitions).field(schema, label, true);
}

/**
 * The members of an object as fields, without its `kind`: a form's content.
 *
 * @returns {{ element: HTMLElement, value: () => object, isEmpty: boolean,
 *   fail: (path: string[], message: string) => boolean,
 *   fill: (name: string, type: string, value: string, before?: string) => boolean }} `fail` shows what the server says is
 *   wrong with a member. `fill` writes a member of this type, and says whether it did; with `before`, only in place of
 *   that text
 */
export function makeMembers(schema, definitions = {}) {
  const maker = new FieldMaker(definitions);
  const resolved = maker.resolve(schema);
  if (resolved.properties || isPlainObject(resolved)) return maker.members(resolved);
  return { ...maker.field(resolved, "value", true), isEmpty: false, fill: () => false };
}

/** Follows references, and keeps the nearest description. */
function resolve(schema, definitions) {
  let result = schema === null || typeof schema !== "object" ? {} : schema;
  const seen = new Set();
  while (result && typeof result.$ref === "string") {
    const name = decodeURIComponent(result.$ref.replace(/^#\/\$defs\//, "")).replace(/~1/g, "/").replace(/~0/g, "~");
    if (seen.has(name) || !definitions[name]) return {};
    seen.add(name);
    result = { description: result.description, ...definitions[name] };
    if (schema.description) result.description = schema.description;
  }
  return result;
}

/** The schema of what isn't null, without references; `isNullable` says whether null would do. */
export function withoutNull(schema, definitions) {
  const resolved = resolve(schema, definitions);
  if (Array.isArray(resolved.type) && resolved.type.includes("null")) {
    const types = resolved.type.filter((type) => type !== "null");
    return { schema: { ...resolved, type: types.length === 1 ? types[0] : types }, isNullable: true };
  }
  const choices = resolved.anyOf;
  if (Array.isArray(choices) && choices.length === 2 && choices.some((choice) => choice.type === "null")) {
    const plain = resolve(choices.find((choice) => choice.type !== "null"), definitions);
    return { schema: { ...plain, description: resolved.description ?? plain.description }, isNullable: true };
  }
  return { schema: resolved, isNullable: false };
}

class FieldMaker {
  #definitions;

  constructor(definitions) {
    this.#definitions = definitions;
  }

  resolve(schema) {
    return resolve(schema, this.#definitions);
  }

  field(schema, label, isRequired) {
    const { schema: plain, isNullable } = withoutNull(schema, this.#definitions);
    const isOptional = isNullable || !isRequired;
    if ("const" in plain) return { element: el("span", { hidden: true }), value: () => plain.const };
    const values = Array.isArray(plain.enum) && plain.enum.map((value) => ({ value }));
    if (values) return this.#choice(plain, label, isOptional, values);
    if (isConstants(plain.oneOf)) return this.#choice(plain, label, isOptional, constants(plain.oneOf));
    if (plain.type === "boolean") return this.#boolean(plain, label, isOptional);
    if (plain.type === "integer" || plain.type === "number") return this.#number(plain, label, isOptional);
    if (isOptional) return this.#optional(plain, label);
    return this.#required(plain, label);
  }

  #required(plain, label) {
    if (plain.type === "string") return this.#string(plain, label);
    if (plain.type === "array" && plain.items && !plain.prefixItems) return this.#array(plain, label);
    if (isPlainObject(plain)) return this.#object(plain, label);
    if (isVariants(plain.oneOf)) return this.#variants(plain, label);
    return this.#json(plain, label);
  }

  #string(schema, label) {
    const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    const hint = schema.format === "date-time" ? "2001-02-03T04:05:06Z" : schema.contentEncoding ?? schema.format;
    if (hint) input.placeholder = hint;
    const row = new Row(label, schema.description, input);
    return {
      element: row.element,
      value: () => {
        if (schema.pattern && !matches(schema.pattern, input.value)) {
          throw row.error(hint ? `This must look like: ${hint}.` : `This must match ${schema.pattern}.`);
        }
        return row.accept(input.value);
      },
      fail: (path, message) => row.fail(message),
      fill: (type, text, before) => type === "string" && fill(input, row, text, before),
    };
  }

  #number(schema, label, isOptional) {
    const isInteger = schema.type === "integer";
    const input = el("input", { type: "text", inputmode: isInteger ? "numeric" : "decimal", autocomplete: "off" });
    const row = new Row(label, schema.description, input, isOptional);
    return {
      element: row.element,
      value: () => {
        const text = input.value.trim();
        if (text === "" && isOptional) return row.accept(absent);
        const problem = numberProblem(text, isInteger, schema);
        if (problem) throw row.error(problem);
        return row.accept(Number(text));
      },
      fail: (path, message) => row.fail(message),
      fill: (type, text, before) => type === "number" && fill(input, row, text, before),
    };
  }

  #boolean(schema, label, isOptional) {
    if (isOptional) {
      return this.#choice(schema, label, true, [{ value: true, label: "Yes" }, { value: false, label: "No" }]);
    }
    const input = el("input", { type: "checkbox" });
    const row = new Row(label, schema.description, input);
    return { element: row.element, value: () => row.accept(input.checked), fail: (path, message) => row.fail(message) };
  }

  #choice(schema, label, isOptional, choices) {
    const input = el(
      "select",
      {},
      isOptional && el("option", { value: "" }, "—"),
      choices.map((choice, index) => el("option", { value: index }, choice.label ?? String(choice.value))),
    );
    const row = new Row(label, schema.description, input, isOptional);
    return {
      element: row.element,
      value: () => row.accept(input.value === "" ? absent : choices[Number(input.value)].value),
      fail: (path, message) => row.fail(message),
    };
  }

  /** A box to tick; the field is made when it is, so that a type that holds itself has an end. */
  #optional(schema, label) {
    const { description, ...undescribed } = schema;
    const box = el("input", { type: "checkbox" });
    const body = el("div.optional-body", { hidden: true });
    let inner = null;
    box.addEventListener("change", () => {
      if (!inner) body.append((inner = this.#required(undescribed, label)).element);
      body.hidden = !box.checked;
    });
    const row = new Row(`Give ${label}`, description, box, true);
    return {
      element: el("div.optional", {}, row.element, body),
      fill: (type, text, before) => {
        if (schema.type !== type || (before !== undefined && !box.checked)) return false;
        if (!box.checked) box.click();
        return inner.fill(type, text, before);
      },
      value: () => (box.checked ? inner.value() : absent),
      fail: (path, message) => (box.checked ? inner.fail(path, message) : row.fail(message)),
    };
  }

  #array(schema, label) {
    const items = [];
    const list = el("ol.items");
    const add = button(`Add to ${label}`, () => {
      const item = this.field(schema.items, `${label} ${items.length + 1}`, true);
      const line = el("li", {}, item.element);
      const remove = button("Remove", () => {
        items.splice(items.indexOf(item), 1);
        line.remove();
        add.focus();
      }, { kind: "quiet", "aria-label": `Remove ${label} ${items.length + 1}` });
      line.append(remove);
      items.push(item);
      list.append(line);
      line.querySelector("input, select, textarea, button")?.focus();
    }, { kind: "quiet" });
    return {
      element: group(label, schema.description, list, add),
      value: () => items.map((item) => withNull(item.value())),
      fail: (path, message) => items[Number(path[0])]?.fail?.(path.slice(1), message) ?? false,
    };
  }

  #object(schema, label) {
    const members = this.members(schema);
    return {
      element: group(label, schema.description, members.element),
      value: members.value,
      fail: members.fail,
    };
  }

  members(schema) {
    const required = schema.required ?? [];
    const fields = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
      name,
      field: this.field(member, name, required.includes(name)),
      isConstant: "const" in this.resolve(member),
    }));
    return {
      element: el("div.fields", {}, fields.map(({ field }) => field.element)),
      isEmpty: fields.every(({ isConstant }) => isConstant),
      value: () => {
        // All are asked, so that every message shows; the first one counts.
        const problems = [];
        const entries = [];
        for (const { name, field } of fields) {
          try {
            const value = field.value();
            if (value !== absent) entries.push([name, value]);
          } catch (error) {
            if (!(error instanceof FieldError)) throw error;
            problems.push(error);
          }
        }
        if (problems.length) throw problems[0];
        return Object.fromEntries(entries);
      },
      fail: (path, message) =>
        fields.find(({ name }) => name === path[0])?.field.fail?.(path.slice(1), message) ?? false,
      fill: (name, ...given) => fields.find((field) => field.name === name)?.field.fill?.(...given) ?? false,
    };
  }

  #variants(schema, label) {
    const body = el("div");
    const variants = schema.oneOf.map((variant) => {
      const resolved = this.resolve(variant);
      return { resolved, name: variantName(resolved), description: resolved.description };
    });
    const select = el("select", {}, variants.map(({ name }, index) => el("option", { value: index }, name)));
    const row = new Row(label, schema.description, select);
    let inner = null;
    const choose = () => {
      inner = this.members(variants[Number(select.value)].resolved);
      body.replaceChildren(inner.element);
    };
    select.addEventListener("change", choose);
    choose();
    return {
      element: el("div.variants", {}, row.element, body),
      value: () => inner.value(),
      fail: (path, message) => inner.fail(path, message) || row.fail(message),
    };
  }

  #json(schema, label) {
    const input = el("textarea", { rows: 3, spellcheck: "false", placeholder: "JSON" });
    const row = new Row(label, schema.description, input);
    return {
      element: row.element,
      value: () => {
        try {
          return row.accept(JSON.parse(input.value));
        } catch (error) {
          if (error instanceof FieldError) throw error;
          throw row.error(input.value.trim() ? `This isn't JSON: ${error.message}` : "JSON is missing here.");
        }
      },
      fail: (path, message) => row.fail(path.length ? `${path.join("/")}: ${message}` : message),
    };
  }
}

/** Whether the text stands in the field now. */
function fill(input, row, text, before) {
  if (before !== undefined && input.value.trim() !== before) return false;
  input.value = text;
  row.accept();
  return true;
}

function group(label, description, ...content) {
  const hint = description && el("small.hint", {}, description);
  return el("fieldset", {}, el("legend", {}, readable(label)), hint, ...content);
}

/** In an array, an item without a value is null. */
function withNull(value) {
  return value === absent ? null : value;
}

function numberProblem(text, isInteger, schema) {
  if (text === "") return "A number is missing here.";
  const value = Number(text);
  if (!Number.isFinite(value) || /^[+-]?0[xob]/i.test(text)) return `"${text}" isn't a number.`;
  if (isInteger && !Number.isInteger(value)) return "This must be a whole number.";
  if (isInteger && !Number.isSafeInteger(value)) return "A web page can't send whole numbers beyond 2⁵³ exactly.";
  if (value < schema.minimum) return `This must be at least ${schema.minimum}.`;
  if (value > schema.maximum) return `This must be at most ${schema.maximum}.`;
  return null;
}

function matches(pattern, text) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function isPlainObject(schema) {
  return schema.type === "object" && !schema.oneOf && !isDictionary(schema);
}

/** Whether it may have members that aren't named. */
export function isDictionary({ additionalProperties = false, propertyNames }) {
  return additionalProperties !== false || propertyNames !== undefined;
}

function isConstants(choices) {
  return Array.isArray(choices) && choices.length > 0 && choices.every((choice) => "const" in choice);
}

function constants(choices) {
  return choices.map((choice) => ({
    value: choice.const,
    label: choice.description ? `${choice.const}: ${choice.description}` : String(choice.const),
  }));
}

function isVariants(choices) {
  return Array.isArray(choices) && choices.length > 0 && choices.every((choice) => choice.type === "object");
}

/** The `kind` of an event, or the one member in which Swift keeps a case's values. */
export function variantName(schema) {
  const kind = schema.properties?.kind;
  if (kind && "const" in kind) return String(kind.const);
  return schema.required?.[0] ?? schema.title ?? "{}";
}
