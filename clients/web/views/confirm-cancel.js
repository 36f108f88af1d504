import { button, el } from "../dom.js";

export function makeConfirmCancel(context) {
  const keep = button("Keep order", () => context.send({ kind: "keep" }));
  return {
    element: el(
      "div.actions.end",
      {},
      keep,
      button("Cancel order", () => context.send({ kind: "confirm" }), { kind: "danger.filled" }),
    ),
    // The safe choice has the focus.
    focus: () => keep.focus(),
    reset: () => {},
    onEvent: (event) => {
      if (event.kind === "question") context.setTitle(event.value);
    },
  };
}
