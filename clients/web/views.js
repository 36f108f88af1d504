import { el, readable, sentence } from "./dom.js";
import { makeConfirmCancel } from "./views/confirm-cancel.js";
import { makeCounter } from "./views/counter.js";
import { makeFinder } from "./views/finder.js";
import { makeFinderPreview } from "./views/finder-preview.js";
import { makeHello } from "./views/hello.js";
import { makeOrderDetails } from "./views/order-details.js";
import { makeOrders } from "./views/orders.js";
import { makeStopwatch } from "./views/stopwatch.js";
import { makeTodos } from "./views/todos.js";

/**
 * The examples, by their types: a name alone may be that of another server's view model. Those without `make` and all
 * other view models are shown by the generic view. `ownViews` are looked up first.
 *
 * `make(context)` returns {element, onEvent(event), reset?(), focus?(), shown?(), left?(), beside?(viewModel),
 * words?(event), field?}:
 * - `onEvent` leaves kinds alone that it doesn't know: a newer server may send more,
 * - `reset` comes before a snapshot, when what was known counts no more,
 * - `left` comes when the user has closed what it is in, which is kept to be shown again,
 * - `beside` returns the element of the view in which such a child is shown when it is pushed, and null for those that
 *   take the view's place,
 * - `words` names one of its view events to the user; undefined does for those that name themselves,
 * - `field` is {kind, draft(), restore(event)}: where the text of this kind of view event is typed. `draft` returns the
 *   event of a text that isn't sent, or null; `restore` puts one back, unless another text is there (false).
 *
 * `context` has
 * - `send(event, options)`, which resolves with whether it was done, and shows the user why where it wasn't (or the
 *   option `onRefused` in its stead). The option `mark` is the element that shows that the event waits, and `isQuiet` is
 *   for one that nobody would miss: the browser doesn't ask before the page is left with it,
 * - `isAway`, whether the connection is lost,
 * - `list(name)`, which resolves with a list of the view model, or undefined where there is no session (not in the
 *   extension for VS Code),
 * - `setTitle`, `notice` for what went wrong, and `announce` for assistive technology.
 */
const views = new Map(
  Object.entries({
    Hello: { about: "A button, and a label that becomes “Hello”.", make: makeHello },
    Counter: { about: "A number that goes up and down, and a hundred rows to load.", make: makeCounter },
    Stopwatch: { about: "Time that runs on the server, with laps.", make: makeStopwatch },
    Todos: { about: "A list of things to do.", make: makeTodos },
    Orders: {
      about: "A long list that loads slowly, with details to go to and a question to answer.",
      make: makeOrders,
    },
    OrderDetails: { about: "One order, with a note to write.", make: makeOrderDetails },
    ConfirmCancel: { about: "Asks whether an order shall really be cancelled.", make: makeConfirmCancel },
    Numbers: { about: "Numbers with their squares, a million if you like, of which some can be chosen." },
    Finder: { about: "Files below the server’s folder, and lines in them.", make: makeFinder },
    FinderPreview: { about: "The lines of a file that was found.", make: makeFinderPreview },
  }).map(([name, view]) => [`Examples.${name}ViewModel`, view]),
);

const order = [...views.keys()];

/** Those that the server brings, by types or names of view models. */
let ownViews = new Map();

/** The type of a view model; undefined where the server doesn't tell it. */
let typeOf = () => undefined;

/** @param {(viewModel: string) => string | undefined} types as the server tells them */
export function chooseBy(types) {
  typeOf = types;
}

/**
 * Loads the server's own views. The page goes on without them.
 *
 * @param {(error: Error) => void} note takes the error where they can't be used
 * @returns `failure`, an element that says so and is hidden otherwise, and `loaded`, a promise that is never rejected
 */
export function loadOwnViews(note) {
  const failure = el("p.failure", { role: "alert", hidden: true });
  return { failure, loaded: load(note, failure) };
}

async function load(note, failure) {
  try {
    const { default: given } = await import("./own/views.js");
    for (const [name, make] of Object.entries(given)) {
      if (typeof make !== "function") throw new TypeError(`the view of ${name} is no function`);
    }
    ownViews = new Map(Object.entries(given));
  } catch (error) {
    note(error);
    failure.textContent = sentence(`This server’s own views can’t be used: ${error.message}`);
    failure.hidden = false;
  }
}

/** What makes the view of a view model; undefined where there is none of its own. */
export function viewMaker(viewModel) {
  const type = typeOf(viewModel);
  return ownViews.get(type) ?? ownViews.get(viewModel) ?? views.get(type)?.make;
}

export function titleOf(viewModel) {
  return readable(viewModel);
}

/** The description in the contract, or that of an example; empty where there is none. */
export function aboutOf(viewModel, contract) {
  return contract?.description ?? views.get(typeOf(viewModel))?.about ?? "";
}

/** The examples in the order in which they are best looked at, then all others by name. */
export function sorted(viewModels) {
  const place = (name) => (order.includes(typeOf(name)) ? order.indexOf(typeOf(name)) : order.length);
  return [...viewModels].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}
