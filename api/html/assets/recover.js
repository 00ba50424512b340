// Runs on the pages of `/recover`. The script removes the token after the # of the mailed link from the URL, and
// posts the token to the server.
import { element, find } from './dom.js';

function openLink() {
  const [, token] = /^#token=([\w.-]+)$/.exec(location.hash) ?? [];
  if (!token) return;
  const action = location.pathname + location.search;
  history.replaceState(null, '', action);
  const field = element('input', { type: 'hidden', name: 'token', value: token });
  const form = element('form', { method: 'post', action }, field);
  document.body.append(form);
  form.submit();
}

/** Adds the token to the links to the page in other languages, so that a change of language keeps the token. */
function keepToken({ value }) {
  for (const link of document.querySelectorAll('a.language')) link.hash = `token=${value}`;
}

const given = find('[type=hidden][name=token]');
if (given) keepToken(given);
// If the page is already open, the mailed link changes only the # part of the URL and loads no page.
window.addEventListener('hashchange', openLink);
openLink();
