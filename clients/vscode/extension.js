// Where the extension begins: its commands, and what they do to the orders' tree, the panels and the connection.
'use strict';

const vscode = require('vscode');
const { KeptTree } = require('./kept-tree.js');
const { OrdersTree } = require('./orders-tree.js');
const { openPanel } = require('./panel.js');
const { Server } = require('./server.js');
const { end, onDidChange } = require('./sessions.js');
const { Storage } = require('./storage.js');
const { tellUnanswered } = require('./unsent.js');
const { ownView, treeRole } = require('./views.js');

let server = null;

function activate(context) {
  const log = vscode.window.createOutputChannel('View Models', { log: true });
  const storage = new Storage(context.globalStorageUri.fsPath);
  server = new Server(context.secrets, storage, log);
  const openChild = (client, view) => openPanel(context, client, view, tell, true);
  const orders = new OrdersTree(server, (error) => tell(error), openChild);
  const tree = vscode.window.createTreeView('viewModels.orders', { treeDataProvider: orders });
  orders.tree = tree;
  const kept = new KeptTree(server);
  const keptTree = vscode.window.createTreeView('viewModels.kept', { treeDataProvider: kept });
  onDidChange(() => kept.didChange());
  const commands = {
    'viewModels.open': () => open(context),
    'viewModels.attach': () => attach(context, orders),
    'viewModels.refreshKept': () => kept.refresh(),
    'viewModels.openKept': (key) => show(context, orders, key),
    'viewModels.endKept': (item) => kept.end(item),
    'viewModels.share': () => share(),
    'viewModels.endSession': () => endSession(),
    'viewModels.openOrders': (given) => orders.open(given),
    'viewModels.loadOrders': () => orders.load(),
    'viewModels.selectOrder': (index) => orders.select(index),
    'viewModels.cancelOrder': () => orders.send({ kind: 'cancelOrder' }),
    'viewModels.editNote': () => orders.editNote(),
    'viewModels.saveNote': () => orders.send({ kind: 'saveNote' }),
    'viewModels.back': () => orders.back(),
    'viewModels.closeOrders': () => orders.close(),
    'viewModels.reconnect': () => server.reconnect(),
    'viewModels.setToken': () => server.askForToken(),
  };
  for (const [name, run] of Object.entries(commands)) {
    const command = async (...given) => {
      try {
        await run(...given);
      } catch (error) {
        tell(error);
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(name, command));
  }
  const configuration = vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('viewModels')) server.close();
  });
  const toggles = [
    tree.onDidExpandElement(({ element }) => orders.didToggle(element, true)),
    tree.onDidCollapseElement(({ element }) => orders.didToggle(element, false)),
  ];
  context.subscriptions.push(tree, keptTree, configuration, ...toggles);
  tellUnanswered(storage, context.secrets).catch(tell);
}

/** VS Code disposes of the subscriptions before this is over: what is needed to the end, the server disposes of. */
async function deactivate() {
  await server?.end();
  server = null;
}

/** Lets the user choose a view model, and shows it in a panel; the orders of the examples have their tree. */
async function open(context) {
  const client = await server.client();
  const names = client.viewModels.map(({ name }) => name).sort();
  const name = await vscode.window.showQuickPick(names, { placeHolder: 'Which view model?' });
  if (name === undefined) return;
  const isTree = treeRole(client, name) === 'orders' && !ownView(client, name);
  if (isTree) return vscode.commands.executeCommand('viewModels.openOrders');
  const description = await client.describe(name);
  const given = await askForArguments(description);
  if (given === undefined) return;
  const view = await server.open(name, given);
  if (view) openPanel(context, client, view, tell);
}

/** Comes back to a session, or shows that of somebody else, as its kind is shown. */
async function attach(context, orders) {
  // Also for the types of its view models.
  await server.client();
  const key = await server.sessions.chooseKey();
  if (key !== undefined) await show(context, orders, key);
}

async function show(context, orders, key) {
  const client = await server.client();
  const view = await server.attach(key);
  const isTree = treeRole(client, view.viewModel) === 'orders' && !ownView(client, view.viewModel);
  // The tree has commands that send.
  const canSend = view.access !== 'read';
  if (!(isTree && canSend && orders.adopt(client, view))) await openPanel(context, client, view, tell);
}

/** With it any client can attach to the session: to use it, or only to look. */
async function share() {
  const chosen = await server.sessions.choose();
  if (!chosen) return;
  const { view } = chosen;
  const edit = { label: 'Can edit', detail: 'Whoever has the key can use the session.' };
  const look = { label: 'Can look', detail: 'Whoever has the key sees what is in the session, and can do nothing in it.' };
  // Who may only look has no other key to give.
  const items = view.access === 'read' ? [look] : [edit, look];
  const access = await vscode.window.showQuickPick(items, { placeHolder: 'What may others do?' });
  if (!access) return;
  const key = access.label === look.label ? await view.readKey() : view.key;
  await vscode.env.clipboard.writeText(key);
  vscode.window.showInformationMessage(`The key of ${view.viewModel} is in the clipboard: ${key}. ${access.detail}`);
}

async function endSession() {
  const chosen = await server.sessions.choose();
  if (!chosen) return;
  await end(chosen.client, chosen.view);
  if (chosen.view.closed) server.sessions.forget(chosen.view.key);
}

/** Undefined when the user gives up. */
async function askForArguments({ name, arguments: schema, $defs = {} }) {
  const plain = schema?.$ref ? $defs[schema.$ref.replace('#/$defs/', '')] : schema;
  const members = Object.keys(plain?.properties ?? {});
  if (members.length === 0) return {};
  const text = await vscode.window.showInputBox({
    prompt: `What ${name} is opened with, as JSON: ${members.join(', ')}`,
    value: '{}',
    validateInput: (text) => {
      try {
        return JSON.parse(text) instanceof Object ? undefined : 'an object is needed';
      } catch (error) {
        return error.message;
      }
    },
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** A refusal is no failure: it is said, and one goes on. What ended with its session is told with that. */
function tell(error) {
  if (['AbortError', 'RequestCancelled'].includes(error.name)) return;
  if (error.name === 'UnknownSession' && error.data?.reason) return;
  if (error.data?.refused) vscode.window.showWarningMessage(`You can't go back yet: ${error.data.refused}.`);
  else vscode.window.showErrorMessage(error.message);
}

module.exports = { activate, deactivate };
