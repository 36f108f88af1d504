// Whether each view of an example stays as it is when events come that it doesn't know: [[name, isSame], …].
const done = arguments[0];

async function main() {
  const { viewMaker } = await import("./views.js");
  const context = { send: async () => true, isAway: () => false, setTitle() {}, notice() {}, announce() {} };
  context.list = async () => undefined;
  const examples = ["hello", "counter", "stopwatch", "todos", "orders", "orderDetails", "confirmCancel"];
  const names = [...examples, "finder", "finderPreview"];
  return names.map((name) => {
    const view = viewMaker(name)(context);
    document.body.append(view.element);
    view.reset();
    const before = view.element.innerHTML;
    for (const kind of ["weather", "constructor", "toString"]) view.onEvent({ kind, value: "rain", id: 1 });
    const isSame = view.element.innerHTML === before;
    view.element.remove();
    return [name, isSame];
  });
}

main().then(done, (error) => done(String(error.stack)));
