// What waits while the connection is lost, and what a session took with it, in words and in an editor.
'use strict';

const vscode = require('vscode');

/** "add Milk", "increment 2", "reset" */
function words({ kind, ...members }) {
  const values = Object.values(members);
  if (values.length === 0) return kind;
  const text = values.length === 1 && typeof values[0] !== 'object' ? String(values[0]) : JSON.stringify(members);
  return `${kind} ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
}

/** Undefined where the view's events come. */
function away(client, view) {
  if (view.closed || view.isAttached) return undefined;
  const waiting = view.pending.map(({ event }) => words(event));
  const rest = waiting.length > 0 ? ` Waits to be sent: ${waiting.join(', ')}.` : '';
  return `${client.isSilent ? "The server doesn't answer" : 'The connection is lost'}: this may be old.${rest}`;
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

module.exports = { away, giveBackFrom, tellEnd, words };
