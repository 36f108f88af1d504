import { button, el, setText } from "../dom.js";

export function makeHello(context) {
  const text = el("output.greeting", { "aria-live": "polite" });
  return {
    element: el(
      "div.stage",
      {},
      text,
      button("Say hello", () => context.send({ kind: "sayHello" }), { kind: "primary" }),
    ),
    reset: () => setText(text, "…"),
    onEvent: (event) => {
      if (event.kind === "helloText") setText(text, event.value || "…");
    },
  };
}
