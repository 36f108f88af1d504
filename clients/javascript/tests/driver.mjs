// Does with this client what `view-model-server conform` says, and tells what a user would see.
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { connect } from '../view-model-client.js';

let client;
/** By their names: each has its `view` once there is one. */
const views = new Map();

const actions = {
  connect: async ({ address }) => void (client = await connect({ tcp: address })),
  open: ({ view, viewModel, arguments: given }) => void show(view, client.open(viewModel, given)),
  attach: ({ view, key }) => void show(view, client.attach(key)),
  send: ({ view, event }) => void tell(views.get(view), (view) => view.send(event)),
  back: ({ view }) => void tell(views.get(view), (view) => view.back()),
  detach: ({ view }) => void tell(views.get(view), (view) => view.detach()),
  close: ({ view }) => void tell(views.get(view), (view) => view.endSession()),
  leave: () => void client.close(),
  show: ({ view, list, first, count }) => {
    views.get(view).windows[list] = { first, count };
    views.get(view).view.list(list).show(first, count);
  },
  select: ({ view, list, index }) => views.get(view).view.list(list).select(index),
  look: () => ({ views: Object.fromEntries([...views].map(([name, shown]) => [name, look(shown)])) }),
};

async function show(name, opening) {
  const shown = { events: [], errors: [], windows: {} };
  views.set(name, shown);
  try {
    shown.view = await opening;
  } catch (error) {
    shown.problem = error.message;
    return;
  }
  const showChildren = () => {
    for (const key of over(shown.view)) if (!views.has(key)) show(key, client.attach(key));
  };
  shown.view.onSnapshot(() => (shown.events = []));
  shown.view.onAny((event) => shown.events.push(event));
  shown.view.onNavigation(showChildren);
  shown.view.onAttached(showChildren);
  showChildren();
}

/** `dropped` has the events of a view that has ended, or whose session has forgotten them. */
async function tell({ view, errors }, action) {
  try {
    await action(view);
  } catch (error) {
    if (error.name !== 'UnknownSession' && error.code !== 0) errors.push(error.data?.refused ?? error.message);
  }
}

function over({ navigation: { stack, presented } }) {
  return [...stack, presented].filter(Boolean).map(({ key }) => key);
}

function look({ view, events, errors, problem, windows }) {
  if (!view) return { state: problem === undefined ? 'opening' : 'ended', reason: problem, events };
  return {
    state: view.closed ? 'ended' : view.isAttached ? 'shown' : 'old',
    reason: view.closed?.message,
    key: view.key,
    seq: view.seq,
    events,
    errors,
    waiting: view.pending.map(({ event }) => event),
    dropped: view.dropped.map(({ event, isSent }) => ({ event, wasSent: isSent })),
    stall: view.stall,
    over: over(view),
    lists: Object.fromEntries(Object.entries(windows).map(([name, window]) => [name, rows(view.list(name), window)])),
  };
}

function rows(list, { first, count }) {
  const shown = Array.from({ length: count }, (_, offset) => list.row(first + offset) ?? null);
  return { count: list.count, first, rows: shown, selected: list.selected };
}

const [, host, port] = /^(.*):([0-9]+)$/.exec(process.argv[2]);
const socket = createConnection({ host, port });
for await (const line of createInterface({ input: socket })) {
  const command = JSON.parse(line);
  const action = actions[command.do];
  const answer = action ? ((await action(command)) ?? {}) : { lacks: command.do };
  socket.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
