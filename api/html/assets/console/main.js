// Runs on the pages `/console` and `/companies/<ref>`: signs a visitor in and out.
import { element, find } from '../dom.js';
import { loadAlerts } from './alerts.js';
import { openCompany } from './company.js';
import { loadEvents } from './events.js';
import { call, hasToken, onSubmit, report, secretOf, setToken } from './kit.js';
import { onView, route } from './route.js';
import { startSearch } from './search.js';
import { loadTokens, setMasterRef } from './tokens.js';
import { loadPackages, loadWallet } from './wallet.js';
import { loadWatched } from './watched.js';

/** Whether the visitor's token is the Master Token, since only the Master Token manages tokens. */
let isMaster = false;

/** Shows the account only after all its data is loaded, so that the visitor cannot save a form without its data. */
async function open(given) {
  setToken(given);
  isMaster = given.startsWith('sk_live_');
  for (const node of document.querySelectorAll('[href="/console#tokens"]')) {
    node.hidden = !isMaster;
  }
  try {
    const { data } = await call('POST', '/tokens/verify');
    setMasterRef(data.token_ref);
    find('#who').textContent =
      `${data.user_name} (${data.user_ref}), by the token ${data.token_name}`;
    await loadAll();
  } catch (error) {
    setToken(undefined);
    throw error;
  }
  find('#entrance').hidden = true;
  find('#account').hidden = false;
  await route();
}

async function loadAll() {
  const tables = [loadWatched(1), loadEvents(1), isMaster && loadTokens(1)];
  await Promise.all([loadWallet(), loadPackages(), loadAlerts(), ...tables]);
}

onSubmit('token', async (fields, form) => {
  await open(fields.token.trim());
  form.reset();
});

onSubmit('register', async (fields, form) => {
  const body = { ...fields, password_confirmation: fields.password };
  const { message } = await call('POST', '/auth/register', body);
  form.reset();
  return message;
});

const output = find('#init-form output');

onSubmit('init', async (fields, form) => {
  const { master_token, message } = await call('POST', '/auth/init', {
    token: fields.token.trim(),
  });
  form.reset();
  find('#token-form [name=token]').value = master_token;
  const go = element('button', { type: 'button', textContent: 'It is stored: open the account' });
  go.addEventListener('click', () => report(output, () => open(master_token)));
  return [...secretOf(message, master_token), go];
});

onSubmit('recover', async (fields, form) => {
  const { message } = await call('POST', '/auth/recover', fields);
  form.reset();
  return message;
});

onView('company', openCompany);
startSearch();

find('#refresh').addEventListener('click', () =>
  report(find('#refresh-output'), async () => {
    await loadAll();
    await route();
  }),
);
find('#leave').addEventListener('click', () => location.reload());

/** Reads the token after the # in the link of the registration mail, and removes the token from the URL. */
function takeMailedToken() {
  const [, mailed] = /^#init=([\w.-]+)$/.exec(location.hash) ?? [];
  if (!mailed || hasToken()) return;
  history.replaceState(null, '', '/console');
  find('#init-form [name=token]').value = mailed;
  find('#init-form [type=submit]').focus();
}

// If the page is already open, the mailed link changes only the # part of the URL and loads no page.
window.addEventListener('hashchange', takeMailedToken);
takeMailedToken();
