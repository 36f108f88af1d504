import { button, el, newID, readable } from "./dom.js";
import { FieldError } from "./field-row.js";
import { oneLine, shorten } from "./json.js";
import { ListTable } from "./list-table.js";
import { makeField, makeMembers, variantName } from "./schema-form.js";
import { makeWaitSign } from "./wait-sign.js";

export const mostEvents = 200;

/**
 * A view for any view model, made from its contract: the newest value of each kind, a table for each list, a form for
 * each view event, and the events as they come.
 *
 * @param {{ newest: Iterable<object>, lines: { kind: string, text: string, seq: number }[] }} past what came before:
 *   the newest event of each kind, and what `lineOf` makes of the latest
 */
export function makeGenericView(context, past) {
  const newest = new Map();
  /** The kinds of events that tables show. */
  const shownByTables = new Set();
  const tables = el("div.tables", { hidden: true });
  const values = el("dl.newest", { "aria-label": "Newest values" });
  const noValues = el("p.quiet-text", {}, "No event has come yet.");
  const now = el("section", {}, el("h2", {}, "Now"), noValues, values);
  const loaded = new AbortController();
  const forms = el("div.forms", {}, makeWaitSign("Loading the contract…", loaded.signal));
  const log = el("ol.events", { "aria-label": "Events, newest first" });
  const scroller = el("div.scroller", { tabindex: "0", role: "region", "aria-label": "Events" }, log);
  const failure = (error) => el("p.failure", { role: "alert" }, `The contract can't be read: ${error.message}`);

  context.contract
    .then(
      (contract) => {
        const made = makeForms(contract, context);
        forms.replaceChildren(...made.map(({ element }) => element));
        const filler = makeFiller(made, context);
        for (const [name, list] of Object.entries(contract.lists ?? {})) showList(name, list, contract.$defs, filler);
      },
      (error) => forms.replaceChildren(failure(error)),
    )
    .finally(() => loaded.abort());

  function showList(name, { row, id }, definitions = {}, filler) {
    const table = new ListTable(name, row, definitions, filler(id));
    shownByTables.add(name);
    newest.get(name)?.parentElement.remove();
    newest.delete(name);
    tables.append(table.element);
    tables.hidden = false;
    now.hidden = newest.size === 0;
    context.list(name, { id: id ?? null }).then((list) => list && table.show(list));
  }

  function showNewest(event) {
    const { kind, ...members } = event;
    noValues.hidden = true;
    if (shownByTables.has(kind)) return;
    let entry = newest.get(kind);
    if (!entry) {
      entry = el("dd");
      newest.set(kind, entry);
      now.hidden = false;
      values.append(el("div", {}, el("dt", {}, readable(kind)), entry));
    }
    entry.replaceChildren(shownValue(members));
  }

  function showLine({ kind, text, seq }) {
    log.prepend(el("li", {}, el("span.seq", {}, seq), el("strong", {}, kind), el("code", {}, text)));
    if (log.childElementCount > mostEvents) log.lastElementChild.remove();
  }

  for (const event of past.newest) showNewest(event);
  for (const line of past.lines) showLine(line);
  return {
    element: el(
      "div.generic",
      {},
      now,
      tables,
      el("section.sends", {}, el("h2", {}, "Send"), forms),
      el("section", {}, el("h2", {}, "Events"), scroller),
    ),
    reset: () => {
      newest.clear();
      values.replaceChildren();
      noValues.hidden = false;
      now.hidden = shownByTables.size > 0;
    },
    onEvent: (event, line) => {
      showNewest(event);
      showLine(line);
    },
  };
}

/** An event as the list shows it. It holds nothing of the event, which may be large. */
export function lineOf({ kind, ...members }, seq) {
  return { kind, seq, text: Object.keys(members).length ? oneLine(members) : "" };
}

/** A single value for itself, several as a small table; what is long is cut. */
function shownValue(members) {
  const entries = Object.entries(members);
  if (entries.length === 0) return el("span.quiet-text", {}, "happened");
  if (entries.length === 1 && isShort(entries[0][1])) {
    return el("span.value", {}, plain(entries[0][1]));
  }
  const only = entries.length === 1 ? entries[0][1] : members;
  return isSmall(only) ? memberList(only) : folded(only);
}

/** An object of which each member has a line. */
function isSmall(value) {
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value).length <= 8;
}

function memberList(members) {
  return el(
    "dl.members",
    {},
    Object.entries(members).map(([name, value]) =>
      el("div", {}, el("dt", {}, readable(name)), el("dd", {}, isShort(value) ? plain(value) : folded(value))),
    ),
  );
}

function folded(value) {
  const short = shorten(value);
  return el(
    "details",
    {},
    el("summary", {}, Array.isArray(value) ? countOf(value) : el("code", {}, oneLine(value, 90))),
    el("pre", { tabindex: "0" }, typeof value === "string" ? short.value : JSON.stringify(short.value, null, 2)),
    short.cut && el("small.hint", {}, "Shortened."),
  );
}

function countOf(array) {
  return `${array.length.toLocaleString("en")} ${array.length === 1 ? "item" : "items"}`;
}

function isShort(value) {
  return typeof value === "string" ? value.length <= 200 : typeof value !== "object" || value === null;
}

function plain(value) {
  if (value === "") return "“”";
  return typeof value === "string" ? value : String(value);
}

function makeForms(contract, context) {
  const { viewEvent, $defs: definitions = {} } = contract;
  const variants = variantsOf(viewEvent, definitions);
  if (variants.length === 0) return [{ element: el("p.quiet-text", {}, "This view model takes no events.") }];
  return variants.map((variant) => makeForm(variant, definitions, context));
}

/** Each case of the event; null where the contract is too much for forms, and JSON is asked for. */
function variantsOf(viewEvent, definitions) {
  const schema = viewEvent?.$ref ? definitions[viewEvent.$ref.replace("#/$defs/", "")] : viewEvent;
  if (schema === false || schema?.not) return [];
  if (Array.isArray(schema?.oneOf)) {
    return schema.oneOf.every((variant) => variant.properties?.kind) ? schema.oneOf : [null];
  }
  return schema?.properties?.kind ? [schema] : [null];
}

function makeForm(variant, definitions, context) {
  const members = variant ? makeMembers(variant, definitions) : wholeEvent();
  const name = variant ? variantName(variant) : "event";
  const submit = el("button", { type: "submit" }, "Send");
  const status = el("small.hint", { role: "status" });
  const failure = el("small.error", { role: "alert", hidden: true });
  const stop = button("Cancel", () => running?.abort(), { kind: "quiet", hidden: true });
  const title = el("h3", { id: newID("form") }, readable(name));
  let running = null;
  let latest = null;

  const form = el(
    members.isEmpty ? "form.event-form.is-plain" : "form.event-form",
    { novalidate: true, "aria-labelledby": title.id },
    el("div.head", {}, title, variant?.description && el("small.hint", {}, variant.description)),
    members.isEmpty ? null : members.element,
    el("div.actions", {}, submit, stop, status),
    failure,
  );
  form.dataset.kind = name;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = read(members);
    if (value === undefined) return;
    running = new AbortController();
    submit.disabled = true;
    failure.hidden = true;
    status.textContent = "";
    // Work that goes on after the answer says so until its end, or until the form is sent again.
    let goesOn = false;
    // Only what takes long is worth a button.
    const timer = setTimeout(() => {
      stop.hidden = false;
      if (!goesOn) status.textContent = context.isAway() ? "Waits for the connection" : "Running…";
    }, 300);
    const { signal } = (latest = running);
    const onProgress = (progress) => {
      goesOn = progress.kind !== "end";
      if (latest.signal === signal) status.textContent = goesOn ? progressText(progress) : "Done";
    };
    const isDone = await context.send(value, {
      signal,
      mark: form,
      onProgress,
      onInvalid: (path, message) => members.fail(path, message),
      // Beside what was asked for: the top of the page may be far away.
      onRefused: (text) => {
        failure.textContent = text;
        failure.hidden = false;
      },
    });
    clearTimeout(timer);
    const wasCancelled = running.signal.aborted && !isDone;
    running = null;
    submit.disabled = false;
    stop.hidden = true;
    if (!goesOn) status.textContent = isDone ? "Done" : wasCancelled ? "Cancelled" : "Not done";
  });
  form.addEventListener("input", () => {
    status.textContent = "";
    failure.hidden = true;
  });
  return { element: form, title: readable(name), fill: members.fill };
}

/**
 * Writes the row that was chosen in a list into the forms that ask for an `index`, or for what identifies a row.
 *
 * @returns makes what a list needs from the member that identifies its rows (undefined where none does):
 *   `choose(index, row)`, and `follow(index, row)` for when the chosen row has moved, gone (null) or come. What the user
 *   has written since stays
 */
function makeFiller(forms, context) {
  const fillable = forms.filter(({ fill }) => fill);
  /** The list whose row was chosen last; the others write nothing. */
  let owner = null;
  let written = "";
  let hasIDs = true;

  /** @returns the forms that took it */
  function fillIDs(id, row) {
    hasIDs = id === undefined || row !== undefined;
    const value = row?.[id];
    return fillable.filter(({ fill }) => value !== undefined && fill(id, typeof value, String(value)));
  }

  return (id) => {
    const list = {
      choose(index, row) {
        owner = list;
        written = String(index);
        const filled = [...fillable.filter(({ fill }) => fill("index", "number", written)), ...fillIDs(id, row)];
        const titles = [...new Set(filled.map(({ title }) => title))];
        if (titles.length > 0) context.announce(`Row ${index + 1} is filled in: ${titles.join(", ")}`);
      },
      follow(index, row) {
        if (owner !== list) return;
        const text = index === null ? "" : String(index);
        if (text !== written) for (const { fill } of fillable) fill("index", "number", text, written);
        written = text;
        if (!hasIDs && row !== undefined) fillIDs(id, row);
      },
    };
    return list;
  };
}

/** The value of the fields; undefined where one is wrong, which is then shown. */
function read(members) {
  try {
    return members.value();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    error.field.focus();
    return undefined;
  }
}

function wholeEvent() {
  const field = makeField({}, {}, "Event as JSON");
  return { ...field, isEmpty: false };
}

function progressText({ message, title, percentage }) {
  const text = message ?? title ?? "Running…";
  return percentage === undefined ? text : `${text} (${percentage} %)`;
}
