import { button, el, setText } from "../dom.js";

export function makeHello(context) {
  const text = el("output.greeting", { "aria-live": "polite" });
  const say = button("Say hello", () => context.send({ kind: "sayHello" }, { mark: say }), { kind: "primary" });
  return {
    element: el("div.stage", {}, text, say),
    reset: () => setText(text, "…"),
    onEvent: (event) => {
      if (event.kind === "helloText") setText(text, event.value || "…");
    },
  };
}
