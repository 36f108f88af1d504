// Does with the extension what `view-model-server conform` says, by its commands and panels, and tells what a user sees
// there and in message boxes.
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { User } from './vscode-stub.mjs';

let user;
/** What the newest command that asks something is answered. */
let wanted;
/** Why views weren't opened, by their names; undefined until that is known. */
const problems = new Map();
/** The name of the view that the user left last: a message box doesn't say whose way back was refused. */
let left;
/** What was given back, as the message boxes say it. The editors that they open have the events. */
const givenBack = [];

/** What the user says to each kind of question. */
const answers = {
  pick: ({ items }) => items.find((item) => {
    return item === wanted.viewModel || item.label === 'Another Key…' || (item.view && item.view.key === wanted.key);
  }),
  input: () => wanted.key ?? JSON.stringify(wanted.members ?? {}),
  modal: () => 'End Session',
  notice: ({ text }) => (givenBack.push(text), 'Open in Editor'),
};

const actions = {
  connect: ({ address }) => (user = new User({ address })).activate(),
  open: ({ view, viewModel, arguments: members }) => void show(view, 'viewModels.open', { viewModel, members }),
  attach: ({ view, key }) => void show(view, 'viewModels.attach', { key }),
  send: ({ view, event }) => {
    const { sent = [] } = panel(view);
    panel(view).sent = [...sent, event];
    panel(view).send({ type: 'send', id: sent.length, event });
  },
  back: ({ view }) => {
    left = view;
    panel(view).close();
  },
  detach: ({ view }) => panel(view).close(),
  close: ({ view }) => {
    wanted = { key: key(panel(view)) };
    user.run('viewModels.endSession');
  },
  leave: () => void user.deactivate(),
  show: () => ({ lacks: 'lists' }),
  look: () => {
    const asked = [...problems].map(([name, reason]) => [name, { state: reason ? 'ended' : 'opening', reason }]);
    // A panel that was opened again takes the place of the one before.
    const shown = user.panels.filter(key).map((panel) => [name(panel), look(panel)]);
    return { views: Object.fromEntries([...asked, ...shown]) };
  },
};

/** @param given what the user answers */
async function show(view, command, given) {
  wanted = given;
  problems.set(view);
  const before = user.panels.length;
  await user.run(command);
  if (user.panels.length === before) problems.set(view, user.notices.at(-1)[1]);
  else user.panels[before].name ??= view;
}

const key = ({ messages }) => messages.find(({ type }) => type === 'description')?.key;
const name = (panel) => panel.name ?? key(panel);
const panel = (wantedName) => user.panels.findLast((panel) => name(panel) === wantedName);

/** The children whose panels are open: those that it has told of, and after a snapshot those of which nobody has. */
function over({ messages }) {
  const children = user.panels.filter((panel) => !panel.name && !panel.isDisposed && !closed(panel));
  const tells = (messages, child) => messages.some(({ navigation }) => navigation?.key === child);
  const isTold = (child) => user.panels.some(({ messages }) => tells(messages, child));
  const hasSnapshot = messages.some(({ type }) => type === 'snapshot');
  return children.map(key).filter((child) => tells(messages, child) || (hasSnapshot && !isTold(child)));
}

const closed = ({ messages }) => messages.find(({ type }) => type === 'closed');

function look(panel) {
  const { messages, sent = [], isDisposed, title } = panel;
  const since = messages.findLastIndex(({ type }) => type === 'snapshot') + 1;
  const events = messages.slice(since).filter(({ type }) => type === 'event');
  const { text = '', isOld } = messages.findLast(({ type }) => type === 'away') ?? {};
  const dropped = givenBack.flatMap((text, index) => (text.startsWith(`${title}: `) ? unsent(text, index) : []));
  const isDropped = (id) => dropped.some(({ event }) => JSON.stringify(event) === JSON.stringify(sent[id]));
  const notices = user.notices.map(([, text]) => text);
  const answered = messages.filter(({ type }) => type === 'answer');
  return {
    state: isDisposed || closed(panel) ? 'ended' : isOld ? 'old' : 'shown',
    reason: closed(panel)?.message ?? (isDisposed ? 'the panel is closed' : undefined),
    key: key(panel),
    seq: events.at(-1)?.seq,
    events: events.map(({ event }) => event),
    waiting: sent.filter((_, id) => !answered.some((answer) => answer.id === id)),
    dropped,
    errors: [
      ...answered.filter(({ id, error }) => error && !isDropped(id)).map(({ error }) => error),
      ...notices.filter((text) => left === name(panel) && text.startsWith("You can't go back")),
    ],
    stall: /^The server can't store anything now \((.*)\)/.exec(text)?.[1],
    over: over(panel),
  };
}

/** The editor that this box has opened has the events, and the box which of them were sent. */
function unsent(text, index) {
  const words = text.split(' Not sent: ')[1].split(', ');
  const events = JSON.parse(user.documents[index]?.content ?? '[]');
  return events.map((event, place) => ({ event, wasSent: words[place].includes(' (perhaps handled)') }));
}

/** What VS Code and the user do by themselves: a page is loaded, and questions are answered. */
function act() {
  for (const panel of user?.panels ?? []) {
    if (panel.isLoaded || !panel.webview.html) continue;
    panel.isLoaded = true;
    panel.send({ type: 'ready' });
  }
  for (const [kind, answer] of Object.entries(answers)) {
    const dialog = user?.dialog(kind);
    dialog?.answer(answer(dialog));
  }
}

setInterval(act, 5);
const [, host, port] = /^(.*):([0-9]+)$/.exec(process.argv[2]);
const socket = createConnection({ host, port });
for await (const line of createInterface({ input: socket })) {
  const command = JSON.parse(line);
  const action = actions[command.do];
  const answer = action ? ((await action(command)) ?? {}) : { lacks: command.do };
  socket.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
