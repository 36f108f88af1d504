// What isn't answered: while it waits, when a session took it along, and after the end of VS Code, in words and in an editor.
'use strict';

const vscode = require('vscode');
const { checked } = require('./storage.js');

const item = 'viewModels.unanswered';
/** `{ title, view }` of all that are shown. */
const shown = new Set();
/** By views, how many of those that they have dropped were given back. */
const given = new WeakMap();
/** Whether VS Code ends, and what isn't answered is kept for the next start, which tells it. */
let isKept = false;

/** "add Milk", "increment 2", "reset" */
function words({ kind, ...members }) {
  const values = Object.values(members);
  if (values.length === 0) return kind;
  const text = values.length === 1 && typeof values[0] !== 'object' ? String(values[0]) : JSON.stringify(members);
  return `${kind} ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
}

/** Whether what is sent waits longer than for an answer. */
function isHeld(view) {
  return !view.closed && (!view.isAttached || view.stall !== undefined);
}

/** Undefined where the view's events come, and what is sent is done. */
function away(client, view) {
  if (!isHeld(view)) return undefined;
  const waiting = view.pending.map(({ event }) => words(event));
  const rest = waiting.length > 0 ? ` Waits to be sent: ${waiting.join(', ')}.` : '';
  if (view.stall !== undefined && !client.isSilent) return `The ${stalled(view.stall)}; what was sent waits for it.${rest}`;
  return `${client.isSilent ? "The server doesn't answer" : 'The connection is lost'}: this may be old.${rest}`;
}

/** @param stall the reason that the server gives */
function stalled(stall) {
  return `server can't store anything now (${stall})`;
}

/** What a view has dropped since it was asked last: each is told once. */
function takeDropped(view) {
  const dropped = view.dropped.slice(given.get(view));
  given.set(view, view.dropped.length);
  return dropped;
}

/**
 * Says why a session ended, names what was lost with it, and gives that back in an editor.
 *
 * @param view one that is closed
 * @param dropped of `takeDropped`
 */
async function tellEnd(title, view, dropped) {
  const text = `${title}: ${view.closed.message}.`;
  if (dropped.length === 0) return void vscode.window.showErrorMessage(text);
  if (!isKept) await giveBack(text, dropped);
}

/** What isn't answered in this view when VS Code is closed will be told. */
function track(title, view) {
  const entry = { title, view };
  shown.add(entry);
  view.onClosed(() => shown.delete(entry));
}

/**
 * Gives back what a view that goes on can't send again, since nobody knows whether it was handled; and what is answered
 * with the end of its session after that was told.
 */
function giveBackFrom(title, view) {
  view.onDelivery(({ state }) => {
    if (state !== 'dropped') return;
    // Together what is given back together. What goes with its session is told as its end before this is called.
    queueMicrotask(() => {
      const dropped = takeDropped(view);
      if (dropped.length === 0 || isKept) return;
      if (view.closed) tellEnd(title, view, dropped);
      else giveBack(`${title}: the server has forgotten what it took from here.`, dropped);
    });
  });
}

/** `{ title, event, isSent }` of each event that isn't answered now. */
function unanswered() {
  return [...shown].flatMap(({ title, view }) => view.pending.map((event) => ({ title, ...event })));
}

/**
 * Closes the connections as VS Code ends, when no message is seen any more: what isn't answered by then is told at the next
 * start. It is kept before it is waited for, since VS Code may not wait as long.
 *
 * @param close waits for the answers, a second at most, and for the end of all connections
 */
async function keepUnanswered(storage, log, close) {
  const views = [...shown].map((entry) => ({ ...entry, before: entry.view.dropped.length }));
  const waiting = unanswered();
  if (waiting.length === 0) return close();
  isKept = keep(() => storage.keepMost(waiting, beginning), log);
  await close();
  const lost = views.flatMap(({ title, view, before }) => {
    return [...view.dropped.slice(before), ...view.pending].map((event) => ({ title, ...event }));
  });
  for (const { title, event } of lost) log.warn(`${title}: VS Code was closed before an answer came: ${words(event)}`);
  // Not again where a window that starts tells it already.
  keep(() => (lost.length === 0 ? storage.drop() : storage.isKept && storage.keep(lost)), log);
}

/** A full disk doesn't keep the connection from being closed. Whether it could be done. */
function keep(run, log) {
  try {
    run();
    return true;
  } catch (error) {
    log.error(`What isn't answered can't be kept: ${error.message}`);
    return false;
  }
}

/** What is kept of an entry that there is no room for. */
function beginning({ title, event, isSent }) {
  return { title, event: { kind: event.kind }, isSent, beginning: words(event) };
}

/** Says, once, what wasn't answered when VS Code was closed. */
async function tellUnanswered(storage, secrets) {
  const { entries, broken } = storage.take();
  for (const path of broken) {
    vscode.window.showErrorMessage(`What wasn't answered when VS Code was closed can't be read. It is left in ${path}.`);
  }
  if (entries.length > 0) tellKept(entries);
  // Where older versions kept it.
  if ((await secrets.get(item)) === undefined) return;
  const old = await storage.alone(async () => {
    const text = await secrets.get(item);
    await secrets.delete(item);
    return text;
  });
  if (old === undefined) return;
  const oldEntries = checked(JSON.parse(old));
  if (oldEntries.length > 0) await tellKept(oldEntries);
}

async function tellKept(entries) {
  const titles = [...new Set(entries.map(({ title }) => title))].join(', ');
  await giveBack(`${titles}: VS Code was closed before the server had answered.`, entries);
}

async function giveBack(text, dropped) {
  const names = dropped.map(({ event, isSent, beginning }) => {
    const name = beginning === undefined ? words(event) : `${beginning} (there was no room to keep all of it)`;
    return `${name}${isSent ? ' (perhaps handled)' : ''}`;
  });
  const events = dropped.filter(({ beginning }) => beginning === undefined).map(({ event }) => event);
  const button = 'Open in Editor';
  const buttons = events.length > 0 ? [button] : [];
  if ((await vscode.window.showErrorMessage(`${text} Not sent: ${names.join(', ')}.`, ...buttons)) !== button) return;
  const content = `${JSON.stringify(events, null, 2)}\n`;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content }));
}

module.exports = { away, giveBackFrom, isHeld, keepUnanswered, stalled, takeDropped, tellEnd, tellUnanswered, track, words };
