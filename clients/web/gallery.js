import { button, el, sentence } from "./dom.js";
import { FieldError } from "./field-row.js";
import { isDictionary, makeMembers } from "./schema-form.js";
import { aboutOf, sorted, titleOf } from "./views.js";
import { openWithSign } from "./wait-sign.js";

/** How many of the sessions of before are shown at once. */
const shown = 6;

/**
 * All view models that the server hosts.
 *
 * @param {{ viewModels: string[], describe: (name: string) => Promise<object>,
 *   open: (name: string, given: object | undefined, signal: AbortSignal) => Promise<void>,
 *   recent: { viewModel: string, key: string, isKept: boolean }[], isListKept: boolean, yours?: Element }} page
 *   `isListKept`: other tabs of this browser will have the recent ones, too
 */
export function makeGallery({ viewModels, describe, open, recent, isListKept, yours }) {
  return el(
    "div.gallery",
    {},
    el("h1", { tabindex: "-1" }, "View models"),
    el("p.lead", {}, "Hosted by this server. Each opens in a session, which you can share as a link."),
    yours,
    viewModels.length
      ? el("ul.cards", {}, sorted(viewModels).map((name) => makeCard(name, describe(name), open)))
      : el("p.empty", {}, "This server hosts no view models."),
    recent.length > 0 &&
      el(
        "section.recent",
        {},
        el("h2", {}, "Opened before"),
        recent.some(({ isKept }) => isKept) &&
          el("p.quiet-text", {}, "The server keeps those of durable view models, also when every page is closed."),
        !isListKept && el("p.quiet-text", {}, "The browser doesn’t keep this list: it is gone when this tab is closed."),
        makeSessions(recent.slice(0, shown)),
        recent.length > shown &&
          el("details", {}, el("summary", {}, `${recent.length - shown} more`), makeSessions(recent.slice(shown))),
      ),
  );
}

function makeSessions(sessions) {
  return el(
    "ul",
    {},
    sessions.map(({ viewModel, key }) =>
      el("li", {}, el("a", { href: addressOf(viewModel, key) }, titleOf(viewModel)), el("code", {}, `${key.slice(0, 8)}…`)),
    ),
  );
}

export function addressOf(viewModel, key) {
  return `#/${encodeURIComponent(viewModel)}${key ? `/${encodeURIComponent(key)}` : ""}`;
}

function makeCard(name, contract, open) {
  const about = el("p", {}, aboutOf(name));
  const failure = el("p.failure", { role: "alert", hidden: true });
  const openButton = button("Open", async () => {
    openButton.disabled = true;
    failure.hidden = true;
    try {
      await openWithSign(card, (signal) => open(name, undefined, signal));
    } catch (error) {
      failure.textContent = sentence(error.message);
      failure.hidden = false;
    }
    openButton.disabled = false;
  }, { "aria-label": `Open ${titleOf(name)}` });
  const label = `Open ${titleOf(name)} with arguments`;
  const options = el("a", { href: addressOf(name), hidden: true, "aria-label": label }, "With arguments…");
  contract.then(
    (contract) => {
      about.textContent = aboutOf(name, contract);
      const { hasArguments, needsArguments } = argumentsOf(contract);
      options.hidden = !hasArguments;
      // Without its arguments it can't be opened.
      openButton.hidden = needsArguments;
    },
    () => {},
  );
  const actions = el("div.actions", {}, openButton, options);
  const card = el("li.card", {}, el("h2", {}, titleOf(name)), about, actions, failure);
  card.dataset.viewModel = name;
  return card;
}

function argumentsOf(contract) {
  const schema = resolve(contract);
  const isObject = schema.type === "object";
  const hasMembers = Object.keys(schema.properties ?? {}).length > 0 || isDictionary(schema);
  return {
    hasArguments: !isObject || hasMembers,
    needsArguments: !isObject || (schema.required?.length ?? 0) > 0,
  };
}

function resolve({ arguments: schema, $defs }) {
  return $defs?.[schema?.$ref?.replace("#/$defs/", "")] ?? schema ?? { type: "object" };
}

/** The form in which a view model's arguments are given. */
export function makeOpening(name, contract, open) {
  const members = makeMembers(contract.arguments, contract.$defs);
  const status = el("p.failure", { role: "alert", hidden: true });
  const submit = el("button.primary", { type: "submit" }, "Open");
  const form = el(
    "form.opening",
    { novalidate: true },
    members.isEmpty ? el("p.quiet-text", {}, "It takes no arguments.") : members.element,
    status,
    el("div.actions", {}, submit, el("a", { href: "#/" }, "All view models")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    status.hidden = true;
    submit.disabled = true;
    try {
      const given = members.value();
      await openWithSign(form, (signal) => open(name, given, signal));
    } catch (error) {
      if (error instanceof FieldError) error.field.focus();
      else if (!failField(members, error)) {
        status.textContent = error.message;
        status.hidden = false;
      }
    }
    submit.disabled = false;
  });
  const about = aboutOf(name, contract);
  const heading = el("h1", { tabindex: "-1" }, titleOf(name));
  return el("div.opening-page", {}, heading, about && el("p.lead", {}, about), form);
}

/** Whether the field was found of which the server says that it is wrong. */
function failField(members, error) {
  const path = error.data?.path?.split("/").slice(2);
  return path?.length ? members.fail(path, error.data.reason ?? error.message) : false;
}
