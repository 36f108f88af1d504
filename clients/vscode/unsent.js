// What waits while the connection is lost or the server's store can't be used, and what a session took with it, in words and in an editor.
'use strict';

const vscode = require('vscode');

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

/**
 * Says why a session ended, names what was lost with it, and gives that back in an editor.
 *
 * @param view one that is closed
 */
async function tellEnd(title, view) {
  const { dropped, closed } = view;
  const text = `${title}: ${closed.message}.`;
  if (dropped.length === 0) return void vscode.window.showErrorMessage(text);
  await giveBack(text, dropped);
}

/** Gives back what a view that goes on can't send again: nobody knows whether it was handled. */
function giveBackFrom(title, view) {
  let count = 0;
  view.onDelivery(({ state }) => {
    // With its session: that is told as its end.
    if (state !== 'dropped' || view.closed) return;
    const given = count === 0;
    count += 1;
    // Together what is given back together.
    if (given) {
      queueMicrotask(() => {
        giveBack(`${title}: the server has forgotten what it took from here.`, view.dropped.slice(-count));
        count = 0;
      });
    }
  });
}

async function giveBack(text, dropped) {
  const names = dropped.map(({ event, isSent }) => `${words(event)}${isSent ? ' (perhaps handled)' : ''}`);
  const button = 'Open in Editor';
  if ((await vscode.window.showErrorMessage(`${text} Not sent: ${names.join(', ')}.`, button)) !== button) return;
  const content = `${JSON.stringify(dropped.map(({ event }) => event), null, 2)}\n`;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content }));
}

module.exports = { away, giveBackFrom, isHeld, stalled, tellEnd, words };
