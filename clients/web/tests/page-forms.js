// Makes a form from a schema with everything that forms know, fills it, and gives back what it held on the way.
const done = arguments[0];

function objectOf(properties, required = Object.keys(properties)) {
  return { type: "object", required, properties };
}

const definitions = {
  Tree: objectOf({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }, ["name"]),
  Color: { enum: ["red", "green"] },
};
const required = {
  text: { type: "string" },
  flag: { type: "boolean" },
  color: { $ref: "#/$defs/Color" },
  when: { type: "string", format: "date-time", pattern: "^[0-9]{4}-" },
  list: { type: "array", items: { type: "integer" } },
  level: { oneOf: [{ const: 1, description: "low" }, { const: 2 }] },
  shape: {
    oneOf: [
      { ...objectOf({ circle: objectOf({ radius: { type: "number" } }) }), additionalProperties: false },
      objectOf({ kind: { const: "square" }, side: { type: "integer", minimum: 1 } }),
    ],
  },
  tree: { $ref: "#/$defs/Tree" },
  free: {},
};
const optional = {
  maybe: { type: ["number", "null"] },
  perhaps: { anyOf: [{ $ref: "#/$defs/Color" }, { type: "null" }] },
  word: { type: ["string", "null"] },
  yes: { type: ["boolean", "null"] },
  table: { type: "object", additionalProperties: { type: "integer" } },
};
const schema = objectOf({ ...required, ...optional }, Object.keys(required));

async function fill() {
  const { makeField } = await import("./schema-form.js");
  const { FieldError } = await import("./field-row.js");
  const field = makeField(schema, definitions, "value");
  document.body.append(field.element);
  const told = {};

  function control(label, index) {
    const labels = [...field.element.querySelectorAll("label")];
    const found = labels.filter((one) => one.textContent.trim().replace(/ optional$/, "") === label)[index];
    if (!found) throw new Error(`there is no field ${label}`);
    return found.control;
  }

  function set(label, value, index = 0) {
    const input = control(label, index);
    if (input.type === "checkbox") input.checked = value;
    else input.value = value;
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
  }

  function press(text) {
    [...field.element.querySelectorAll("button")].find((one) => one.textContent === text).click();
  }

  function refusal() {
    try {
      return `taken: ${JSON.stringify(field.value())}`;
    } catch (error) {
      return error instanceof FieldError ? error.message : `${error.stack}`;
    }
  }

  told.first = refusal();
  set("Text", "");
  set("Flag", true);
  set("Color", "1");
  set("When", "2001-02-03T04:05:06Z");
  set("Radius", "0.5");
  set("Name", "root");
  set("Level", "1");
  set("Free", '{"a":[1,null]}');
  press("Add to list");
  press("Add to list");
  set("List 1", "1");
  set("List 2", "x");
  told.item = refusal();
  set("List 2", "-2");
  told.least = field.value();

  set("Maybe", "1e3");
  set("Perhaps", "0");
  set("Yes", "1");
  set("Give word", true);
  set("Word", "");
  set("Shape", "1");
  set("Side", "0");
  told.side = refusal();
  set("Side", "3");
  set("Give children", true);
  press("Add to children");
  set("Name", "leaf", 1);
  set("Give table", true);
  set("Table", "{");
  told.json = refusal();
  set("Table", '{"one":1}');
  told.most = field.value();
  field.element.remove();
  return told;
}

fill().then(done, (error) => done(`${error.stack}`));
