// The panel's page: builds the forms, and shows what comes.
import { event, forms } from './form.js';
import { OwnView } from './own-view.js';

const host = acquireVsCodeApi();
const notice = document.getElementById('notice');
const sections = document.getElementById('forms');
const values = document.getElementById('values');
const events = document.getElementById('events');
const longest = 500;
const newest = new Map();
const answers = new Map();
const toggle = document.getElementById('toggle');
let lastID = 0;
/** The user's own view; null where there is none. */
let own = null;

const messages = {
  description({ description, own: given }) {
    if (given) showOwn(given);
    if (description.error) return say(description.error, true);
    sections.replaceChildren(...forms(description).map(section));
  },
  here({ text, looksOnly }) {
    const words = [text, looksOnly && 'You may only look at this session.'].filter(Boolean);
    document.getElementById('here').textContent = words.join(' ');
    sections.hidden = looksOnly;
    document.getElementById('own').inert = looksOnly;
  },
  snapshot() {
    newest.clear();
    values.replaceChildren();
    add('— starts anew —');
    own?.reset();
  },
  event({ event, seq }) {
    newest.set(event.kind, event);
    showValues();
    add(`${seq}  ${JSON.stringify(event)}`);
    own?.take(event);
  },
  navigation({ navigation }) {
    add(`${navigation.action}  ${navigation.viewModel ?? ''}`);
  },
  away({ text, isOld }) {
    document.body.classList.toggle('away', isOld);
    say(text ?? '');
  },
  closed({ message, unsent }) {
    document.body.classList.remove('away');
    say(`Closed: ${message}.`, true);
    if (unsent.length > 0) notice.append(' Not sent:', listOf(unsent));
    for (const button of document.querySelectorAll('button')) button.disabled = true;
  },
  answer({ id, error }) {
    answers.get(id)(error);
    answers.delete(id);
  },
};

window.addEventListener('message', ({ data }) => messages[data.type]?.(data));
host.postMessage({ type: 'ready' });

function showOwn(given) {
  const place = document.getElementById('own');
  const context = {
    send: async (event) => {
      const error = await new Promise((resolve) => send(event, resolve));
      if (error) say(error, true);
      return !error;
    },
    isAway: () => document.body.classList.contains('away'),
    setTitle: (text) => (document.querySelector('h1').textContent = text),
    notice: (text) => say(text, true),
    announce: (text) => say(text),
  };
  own = new OwnView(given, place, context, (error) => {
    own = null;
    toggle.hidden = true;
    place.replaceChildren();
    document.body.classList.remove('has-own');
    say(`The view of this view model fails, so its events are shown: ${error.message}`, true);
  });
  document.body.classList.add('has-own');
  toggle.hidden = false;
  toggle.addEventListener('click', () => document.body.classList.toggle('has-own'));
}

function say(text, isError) {
  notice.textContent = text;
  notice.className = isError ? 'error' : '';
}

function listOf(unsent) {
  const list = document.createElement('ul');
  for (const { words, isSent } of unsent) {
    const item = document.createElement('li');
    item.textContent = isSent ? `${words} (perhaps handled)` : words;
    list.append(item);
  }
  return list;
}

function section(form) {
  const fieldset = document.createElement('fieldset');
  const legend = document.createElement('legend');
  legend.textContent = form.kind;
  const element = document.createElement('form');
  const inputs = form.fields.map((field) => input(field));
  const button = document.createElement('button');
  button.textContent = 'Send';
  const failure = document.createElement('p');
  failure.className = 'error';
  failure.setAttribute('role', 'alert');
  element.append(...inputs.map(({ label }) => label), button, failure);
  element.addEventListener('submit', (submission) => {
    submission.preventDefault();
    failure.textContent = '';
    const texts = Object.fromEntries(inputs.map(({ name, text }) => [name, text()]));
    try {
      send(event(form, texts), (error) => (failure.textContent = error ?? ''));
    } catch (error) {
      failure.textContent = error.message;
    }
  });
  fieldset.append(legend, element);
  return fieldset;
}

function input({ name, type, isRequired, options }) {
  const label = document.createElement('label');
  const caption = document.createElement('span');
  caption.textContent = isRequired ? name : `${name} (may be left out)`;
  const element = document.createElement(type === 'choice' ? 'select' : type === 'json' ? 'textarea' : 'input');
  element.name = name;
  if (type === 'boolean') element.type = 'checkbox';
  if (type === 'json') element.placeholder = 'JSON';
  if (type === 'choice') {
    if (!isRequired) element.append(new Option('', ''));
    options.forEach((option, index) => element.append(new Option(String(option), String(index))));
  }
  label.append(caption, element);
  // An unchecked box says no only where something must be said.
  const text = () => (type === 'boolean' ? (element.checked ? 'true' : '') : element.value);
  return { label, name, text };
}

function send(event, answered) {
  const id = ++lastID;
  answers.set(id, answered);
  host.postMessage({ type: 'send', id, event });
}

function showValues() {
  const list = document.createElement('dl');
  for (const [kind, event] of newest) {
    const { kind: _, ...members } = event;
    const term = document.createElement('dt');
    term.textContent = kind;
    const value = document.createElement('dd');
    const isSingle = 'value' in members && Object.keys(members).length === 1;
    value.textContent = shortened(JSON.stringify(isSingle ? members.value : members, null, 1));
    list.append(term, value);
  }
  values.replaceChildren(list);
}

function add(text) {
  const item = document.createElement('li');
  item.textContent = shortened(text);
  events.prepend(item);
  while (events.childElementCount > longest) events.lastElementChild.remove();
}

function shortened(text) {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}
