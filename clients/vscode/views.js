// Which view a view model gets: one of the user's, the tree of orders, or its events.
'use strict';

const { isAbsolute } = require('node:path');
const vscode = require('vscode');

/** By the type of the view model: a name alone may be that of another server's view model. */
const inTree = new Map([
  ['Examples.OrdersViewModel', 'orders'],
  ['Examples.OrderDetailsViewModel', 'orderDetails'],
  ['Examples.ConfirmCancelViewModel', 'confirmCancel'],
]);

/** What a view model is in the tree of orders; undefined for all others. */
function treeRole(client, viewModel) {
  return inTree.get(client.typeOf(viewModel));
}

/** The name under which the server hosts the orders of the examples; undefined where it doesn't. */
function ordersName(client) {
  return client.viewModels.find(({ name }) => treeRole(client, name) === 'orders')?.name;
}

/**
 * The script that has a view for this view model, by its type or else its name, and under which of these: from the settings,
 * or from an extension that contributes it. Undefined where there is none.
 */
function ownView(client, viewModel) {
  const names = [client.typeOf(viewModel), viewModel].filter((name) => name !== undefined);
  for (const scripts of [fromSettings(), ...fromExtensions()]) {
    const name = names.find((name) => Object.hasOwn(scripts, name));
    if (name !== undefined) return { name, script: scripts[name]() };
  }
  return undefined;
}

function fromSettings() {
  const settings = vscode.workspace.getConfiguration('viewModels');
  return mapped(settings.get('views', {}), (path) => {
    if (!isAbsolute(path)) throw new Error(`The setting viewModels.views needs absolute paths, not ${path}.`);
    return vscode.Uri.file(path);
  });
}

function fromExtensions() {
  return vscode.extensions.all.map(({ packageJSON, extensionUri }) => {
    return mapped(packageJSON.contributes?.viewModelViews ?? {}, (path) => vscode.Uri.joinPath(extensionUri, path));
  });
}

function mapped(paths, uri) {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => uri(path)]));
}

module.exports = { ordersName, ownView, treeRole };
