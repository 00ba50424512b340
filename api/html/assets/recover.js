// Runs on the pages of `/recover`. What follows the # of the mailed link stays in the browser: it leaves the
// address, and is posted.
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

/** Lets the page in another language keep the token. */
function keepToken({ value }) {
  for (const link of document.querySelectorAll('a.language')) link.hash = `token=${value}`;
}

const given = find('[type=hidden][name=token]');
if (given) keepToken(given);
// A page that is open already is not loaded again.
window.addEventListener('hashchange', openLink);
openLink();
