const controls = "button, input, select, textarea";

/**
 * Keeps the controls of a view from being used, by a user who may only look. Views make and enable them as they like, so it is
 * done again whenever something changes. What scrolls, opens or is selected goes on.
 *
 * @param {Element} element of the view
 */
export function keepFromSending(element) {
  const disable = () => {
    for (const control of element.querySelectorAll(controls)) if (!control.disabled) control.disabled = true;
    for (const one of element.querySelectorAll("[draggable=true]")) one.draggable = false;
  };
  disable();
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "draggable"] };
  new MutationObserver(disable).observe(element, options);
}
