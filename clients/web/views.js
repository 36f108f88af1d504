import { el, readable, sentence } from "./dom.js";

/**
 * The modules of views, in the order in which they are asked: of the folder that the server brings, and of the examples, in
 * whose executable alone there are any. View models without a view have the generic one.
 *
 * The default export of a module has a function for each view model, by its type: a name alone may be that of another
 * server's view model, and goes behind. It may export `gallery`, what is said of a view model that doesn't describe itself,
 * by types, in the order in which they are best looked at; and `palettes`, a list of what `Palette` takes.
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
const modules = ["./own/views.js", "./examples/views.js"];

/** The views of each module, by types or names of view models. */
let sets = [];

/** What is said of view models, by their types. */
let abouts = new Map();

/** The type of a view model; undefined where the server doesn't tell it. */
let typeOf = () => undefined;

/** @param {(viewModel: string) => string | undefined} types as the server tells them */
export function chooseBy(types) {
  typeOf = types;
}

/**
 * Loads the views. The page goes on without those that can't be used.
 *
 * @param {(error: Error) => void} note takes the error of those
 * @returns `failure`, an element that says so and is hidden otherwise, and `loaded`, a promise of the palettes that is never
 *   rejected
 */
export function loadViews(note) {
  const failure = el("p.failure", { role: "alert", hidden: true });
  const fail = (error) => {
    note(error);
    failure.textContent = sentence(`This server’s own views can’t be used: ${error.message}`);
    failure.hidden = false;
    return {};
  };
  return { failure, loaded: load(fail) };
}

async function load(fail) {
  const loaded = await Promise.all(modules.map((path) => read(path).catch(fail)));
  sets = loaded.map(({ views = {} }) => new Map(Object.entries(views)));
  abouts = new Map(loaded.flatMap(({ gallery = {} }) => Object.entries(gallery)));
  return loaded.flatMap(({ palettes = [] }) => palettes);
}

async function read(path) {
  const { default: views, gallery, palettes } = await import(path);
  for (const [name, make] of Object.entries(views)) {
    if (typeof make !== "function") throw new TypeError(`the view of ${name} is no function`);
  }
  return { views, gallery, palettes };
}

/** What makes the view of a view model; undefined where there is none of its own. */
export function viewMaker(viewModel) {
  const type = typeOf(viewModel);
  for (const views of sets) {
    const make = views.get(type) ?? views.get(viewModel);
    if (make) return make;
  }
  return undefined;
}

export function titleOf(viewModel) {
  return readable(viewModel);
}

/** The description in the contract, or what is said here; empty where there is nothing. */
export function aboutOf(viewModel, contract) {
  return contract?.description ?? abouts.get(typeOf(viewModel)) ?? "";
}

/** Those with an order in that, then all others by name. */
export function sorted(viewModels) {
  const order = [...abouts.keys()];
  const place = (name) => (order.includes(typeOf(name)) ? order.indexOf(typeOf(name)) : order.length);
  return [...viewModels].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}
