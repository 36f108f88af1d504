import { button, el } from "../dom.js";

export function makeConfirmCancel(context) {
  const keep = button("Keep order", () => context.send({ kind: "keep" }, { mark: keep }));
  const confirm = button("Cancel order", () => context.send({ kind: "confirm" }, { mark: confirm }), {
    kind: "danger.filled",
  });
  return {
    element: el("div.actions.end", {}, keep, confirm),
    // The safe choice has the focus.
    focus: () => keep.focus(),
    reset: () => {},
    onEvent: (event) => {
      if (event.kind === "question") context.setTitle(event.value);
    },
  };
}
