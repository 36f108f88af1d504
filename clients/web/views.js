import { readable } from "./dom.js";
import { makeConfirmCancel } from "./views/confirm-cancel.js";
import { makeCounter } from "./views/counter.js";
import { makeHello } from "./views/hello.js";
import { makeOrderDetails } from "./views/order-details.js";
import { makeOrders } from "./views/orders.js";
import { makeStopwatch } from "./views/stopwatch.js";
import { makeTodos } from "./views/todos.js";

/**
 * The view models that have a view of their own. All others are shown by the generic view.
 *
 * `make(context)` returns {element, onEvent(event), reset(), focus?(), shown?(), words?(event), field?}:
 * - `reset` comes before a snapshot, when what was known counts no more,
 * - `words` names one of its view events to the user; undefined does for those that name themselves,
 * - `field` is {kind, draft(), restore(event)}: where the text of this kind of view event is typed. `draft` returns the
 *   event of a text that isn't sent, or null; `restore` puts one back, unless another text is there (false).
 *
 * `context` has
 * - `send(event, options)`, which resolves with whether it was done, and shows the user why where it wasn't (or the
 *   option `onRefused` in its stead). The option `mark` is the element that shows that the event waits,
 * - `isAway`, whether the connection is lost,
 * - `setTitle`, `notice` for what went wrong, and `announce` for assistive technology.
 */
const views = {
  hello: { about: "A button, and a label that becomes “Hello”.", make: makeHello },
  counter: { about: "A number that goes up and down, and a hundred rows to load.", make: makeCounter },
  stopwatch: { about: "Time that runs on the server, with laps.", make: makeStopwatch },
  todos: { about: "A list of things to do.", make: makeTodos },
  orders: { about: "A long list that loads slowly, with details to go to and a question to answer.", make: makeOrders },
  orderDetails: { about: "One order, with a note to write.", make: makeOrderDetails },
  confirmCancel: { about: "Asks whether an order shall really be cancelled.", make: makeConfirmCancel },
};

const order = Object.keys(views);

/** Undefined where there is none. */
export function viewMaker(viewModel) {
  return Object.hasOwn(views, viewModel) ? views[viewModel].make : undefined;
}

export function titleOf(viewModel) {
  return readable(viewModel);
}

/** The description in the contract, or that of an example; empty where there is none. */
export function aboutOf(viewModel, contract) {
  return contract?.description ?? (Object.hasOwn(views, viewModel) ? views[viewModel].about : "");
}

/** The examples in the order in which they are best looked at, then all others by name. */
export function sorted(viewModels) {
  const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...viewModels].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}
