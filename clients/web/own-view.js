import { viewMaker } from "./views.js";

/**
 * Makes the view that a view model has of its own, and passes its errors on: it may be the user's. From the first error on
 * it does nothing, and is off the screen.
 *
 * @param {(error: Error) => void} didFail
 * @returns the view, or null where there is none or it can't be made
 */
export function makeOwnView(viewModel, context, didFail) {
  const make = viewMaker(viewModel);
  if (!make) return null;
  let view = null;
  let hasFailed = false;
  const guard = (act) => (...given) => {
    if (hasFailed) return undefined;
    try {
      return act(...given);
    } catch (error) {
      hasFailed = true;
      console.warn(error);
      view?.element.remove();
      didFail(error);
      return undefined;
    }
  };
  guard(() => {
    const made = make(context);
    if (!(made?.element instanceof Element) || typeof made.onEvent !== "function") {
      throw new TypeError("it is no object with an element and a function onEvent");
    }
    view = made;
    view.reset?.();
  })();
  if (hasFailed) return null;
  const { element, field, focus } = view;
  return {
    element,
    onEvent: guard((event) => view.onEvent(event)),
    reset: guard(() => view.reset?.()),
    shown: guard(() => view.shown?.()),
    begin: guard(() => view.begin?.()),
    left: guard(() => view.left?.()),
    beside: guard((viewModel) => view.beside?.(viewModel) ?? null),
    words: guard((event) => view.words?.(event)),
    focus: focus && guard(() => view.focus()),
    field: field && {
      kind: field.kind,
      draft: guard(() => field.draft()),
      restore: guard((event) => field.restore(event)),
    },
  };
}
