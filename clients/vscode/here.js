// Who else has a view of a session, in words.
'use strict';

/** How many names are shown. */
const most = 5;

/** Empty where nobody else has one. */
function wordsOfHere(views) {
  const names = [...new Set(views.filter(({ you }) => !you).map(nameOf))];
  if (names.length === 0) return '';
  const rest = names.length - most;
  return `Here: ${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function nameOf({ principal, program, access }) {
  const name = principal && program ? `${principal} (${program})` : (principal ?? program ?? 'somebody');
  return access === 'read' ? `${name}, looking` : name;
}

module.exports = { wordsOfHere };
