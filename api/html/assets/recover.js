// Runs on the pages of `/recover`. The script removes the token after the # of the mailed link from the address,
// and posts the token.
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
// A mailed link to a page that is already open does not load the page again.
window.addEventListener('hashchange', openLink);
openLink();
