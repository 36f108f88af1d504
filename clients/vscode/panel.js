// A panel for a view model: the user's own view of it, or a form for each of its view events and what it says.
'use strict';

const { randomBytes } = require('node:crypto');
const vscode = require('vscode');
const { wordsOfHere } = require('./here.js');
const { leave } = require('./sessions.js');
const { away, giveBackFrom, isHeld, takeDropped, tellEnd, track, words } = require('./unsent.js');
const { ownView } = require('./views.js');

/** Shows a view, and whatever is shown over it or on top of it in panels beside. */
async function openPanel(context, client, view, tell, isChild = false) {
  // Listened to at once: what comes before the panel is ready waits here.
  const waiting = [];
  let post = (message) => waiting.push(message);
  const media = vscode.Uri.joinPath(context.extensionUri, 'media');
  const own = ownViewOrTell(client, view.viewModel, tell);
  const roots = own ? [media, vscode.Uri.joinPath(own.script, '..')] : [media];
  const options = { enableScripts: true, localResourceRoots: roots, retainContextWhenHidden: true };
  const panel = vscode.window.createWebviewPanel('viewModels.panel', view.viewModel, vscode.ViewColumn.Active, options);
  let isDisposed = false;
  const shown = new Set();
  const show = (child) => {
    // After a snapshot it may be there already.
    if (shown.has(child.key)) return;
    shown.add(child.key);
    client.attach(child.key).then((view) => openPanel(context, client, view, tell, true), (error) => {
      // It may be gone again before it was shown.
      if (error.name !== 'UnknownSession') tell(error);
    });
  };
  view.onSnapshot((_, { navigation }) => {
    post({ type: 'snapshot' });
    for (const child of [...navigation.stack, navigation.presented]) if (child) show(child);
  });
  view.onAny((event, { seq }) => post({ type: 'event', event, seq }));
  view.onNavigation((navigation) => {
    post({ type: 'navigation', navigation });
    if (navigation.action === 'push' || navigation.action === 'present') show(navigation);
  });
  const showAway = () => post({ type: 'away', text: away(client, view), isOld: !view.isAttached });
  let here = { type: 'here', text: '', looksOnly: false };
  const showHere = () => {
    const before = here;
    here = { ...before, text: wordsOfHere(view.views), looksOnly: view.access === 'read' };
    if (here.text !== before.text || here.looksOnly !== before.looksOnly) post(here);
  };
  view.onViews(showHere);
  showHere();
  view.onAttached(showAway);
  view.onStall(showAway);
  view.onDelivery(() => isHeld(view) && showAway());
  giveBackFrom(view.viewModel, view);
  track(view.viewModel, view);
  view.onClosed(({ reason, message }) => {
    const dropped = takeDropped(view);
    post({ type: 'closed', message, unsent: dropped.map(({ event, isSent }) => ({ words: words(event), isSent })) });
    if (dropped.length > 0) tellEnd(view.viewModel, view, dropped);
    // Where the user or the view model ended it, nothing is left to read.
    if (['closed', 'popped', 'dismissed'].includes(reason) && !isDisposed) panel.dispose();
  });
  panel.webview.onDidReceiveMessage(async (message) => {
    if (message.type === 'ready') {
      post = (news) => void panel.webview.postMessage(news);
      for (const news of waiting.splice(0)) post(news);
    } else if (message.type === 'send') {
      post({ type: 'answer', id: message.id, ...(await sent(view, message.event)) });
    }
  });
  panel.onDidDispose(() => {
    isDisposed = true;
    if (!view.closed) didClose(context, client, view, tell, isChild);
  });
  const description = await client.describe(view.viewModel).catch((error) => ({ error: error.message }));
  const given = own && { name: own.name, script: String(panel.webview.asWebviewUri(own.script)) };
  waiting.unshift({ type: 'description', description, key: view.key, own: given });
  if (!isDisposed) panel.webview.html = page(panel.webview, media, view.viewModel);
}

/** A setting that is wrong is told, and the events are shown. */
function ownViewOrTell(client, viewModel, tell) {
  try {
    return ownView(client, viewModel);
  } catch (error) {
    tell(error);
  }
}

async function sent(view, event) {
  try {
    await view.send(event);
    return {};
  } catch (error) {
    return { error: error.message };
  }
}

/** A closed panel can't be kept open: where the view model of a child stays, it is opened again. */
async function didClose(context, client, view, tell, isChild) {
  try {
    // Who may only look can't go back, but may see enough of a child.
    if (isChild && view.access === 'read') await view.detach();
    else await (isChild ? view.back() : leave(client, view));
  } catch (error) {
    if (view.closed) return;
    tell(error);
    const { key } = view;
    await view.detach();
    await openPanel(context, client, await client.attach(key), tell, isChild);
  }
}

function page(webview, media, name) {
  const file = (path) => webview.asWebviewUri(vscode.Uri.joinPath(media, path));
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    // The script that has the nonce imports another.
    `script-src 'nonce-${nonce}' ${webview.cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <link rel="stylesheet" href="${file('panel.css')}">
    <title>${escaped(name)}</title>
  </head>
  <body>
    <h1>${escaped(name)}</h1>
    <p id="here"></p>
    <p id="notice" role="status"></p>
    <button id="toggle" type="button" hidden>Generic view</button>
    <section id="own"></section>
    <main>
      <section aria-label="What can be sent" id="forms"></section>
      <section aria-label="What came" id="values"></section>
    </main>
    <h2>Events</h2>
    <ol id="events"></ol>
    <script type="module" nonce="${nonce}" src="${file('panel.js')}"></script>
  </body>
</html>`;
}

function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

module.exports = { openPanel };
