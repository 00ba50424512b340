// Runs on the page of `/console`.
import {
  action,
  ask,
  call,
  hasToken,
  listing,
  onSubmit,
  rowOf,
  secretOf,
  setToken,
  timeOf,
} from './console-kit.js';
import { element, find } from './dom.js';

// Wallet.

const loadLedger = listing('ledger', '/wallet/transactions', (entry) =>
  rowOf(
    timeOf(entry.created_at),
    entry.type,
    entry.description,
    `${entry.type === 'withdraw' ? '−' : '+'}${entry.amount}`,
    entry.balance_after,
  ),
);

async function loadWallet() {
  const { data } = await call('GET', '/wallet');
  find('#balance').textContent = data.balance;
  find('#purchased').textContent = data.total_purchased;
  await loadLedger(1);
}

async function loadPackages() {
  const { data } = await call('GET', '/wallet/packages');
  const options = data.map(({ package_slug, name, credits, price, currency }) =>
    element('option', { value: package_slug }, `${name}: ${credits} credits, ${price} ${currency}`),
  );
  find('[name=package_slug]').replaceChildren(...options);
}

onSubmit('topup', async (fields) => {
  const { data } = await call('POST', '/wallet/topup', fields);
  const link = { href: data.checkout_url, target: '_blank', rel: 'noopener', className: 'button' };
  setTimeout(() => find('#topup-form output a').focus());
  return [
    element('p', {}, 'The checkout opens in a new tab. Come back here to see the credits.'),
    element('a', link, `Pay for ${data.credits} credits`),
  ];
});

document.addEventListener('visibilitychange', () => {
  if (hasToken() && document.visibilityState === 'visible') void loadWallet();
});

// Tokens.

const created = find('#create-form output');
/** The reference of the Master Token: it can only be renamed. */
let masterRef;

function describeUse({ last_used_at, last_used_ip, usage_count }) {
  if (!last_used_at) return 'never';
  return [timeOf(last_used_at), ` from ${last_used_ip ?? 'unknown'}, ${usage_count} uses`];
}

const loadTokens = listing('tokens', '/tokens', (one) => {
  const { name, token_ref, is_active } = one;
  const rename = async () => {
    const value = await ask({ title: `Rename ${name}`, button: 'Rename', value: name });
    if (!value) return undefined;
    await call('PUT', `/tokens/${token_ref}`, { name: value });
    await loadTokens();
    return `${name} is now ${value}.`;
  };
  const rotate = async () => {
    const text = 'The old secret stops working at once, and a new one is shown.';
    if (!(await ask({ title: `Rotate ${name}?`, text, button: 'Rotate' }))) return undefined;
    const { data } = await call('POST', `/tokens/${token_ref}/rotate`);
    await loadTokens();
    return secretOf(data.new_token.warning, data.new_token.plaintext);
  };
  const revoke = async () => {
    const text = 'Every program that uses the token is refused from now on. This cannot be undone.';
    if (!(await ask({ title: `Revoke ${name}?`, text, button: 'Revoke' }))) return undefined;
    await call('DELETE', `/tokens/${token_ref}`);
    await loadTokens();
    return `${name} is revoked.`;
  };
  const changes = token_ref === masterRef ? {} : { Rotate: rotate, Revoke: revoke };
  const buttons = Object.entries({ Rename: rename, ...changes }).map(([text, run]) =>
    action(text, name, created, run),
  );
  return rowOf(
    name,
    element('code', {}, token_ref),
    timeOf(one.created_at),
    one.expires_at ? timeOf(one.expires_at) : 'never',
    describeUse(one),
    is_active
      ? element('div', { className: 'actions' }, ...buttons)
      : ['revoked ', timeOf(one.revoked_at)],
  );
});

onSubmit('create', async ({ name, expires_in_days }, form) => {
  const lifetime = expires_in_days && { expires_in_days: Number(expires_in_days) };
  const { data } = await call('POST', '/tokens', { name, ...lifetime });
  form.reset();
  await loadTokens();
  return secretOf(data.warning, data.plaintext);
});

// Watch list.

const added = find('#add-form output');

const loadWatched = listing('watched', '/companies/watched', (watch) => {
  const { primary_identifier, identifier_type } = watch;
  const remove = async () => {
    const body = { identifier_type, identifier_value: [primary_identifier] };
    await call('DELETE', '/companies/watched', body);
    await Promise.all([loadWatched(), loadEvents()]);
    return `${primary_identifier} is no longer watched.`;
  };
  return rowOf(
    element('code', {}, `${identifier_type} ${primary_identifier}`),
    watch.name || '–',
    element('time', {}, watch.watched_since),
    watch.failure ?? watch.state,
    String(watch.events_count),
    timeOf(watch.last_event_at),
    action('Remove', primary_identifier, added, remove),
  );
});

/** Names the numbers that are wrong: their places in the request mean nothing to who pasted them. */
function describeWrong({ message, errors = {} }, sent) {
  const problems = Object.entries(errors).map(([field, [problem]]) => {
    const number = sent[field.split('.')[1]];
    return number === undefined ? problem : problem.replace(`The ${field} field`, number);
  });
  return problems.join(' ') || message;
}

const addForm = onSubmit('add', async ({ identifier_type, numbers }, form) => {
  const values = numbers.match(/\d[\d-]*\d/g) ?? [];
  if (values.length === 0) throw new Error('There is no number in the text.');
  const messages = [];
  for (let at = 0; at < values.length; at += 100) {
    const sent = values.slice(at, at + 100);
    try {
      const body = { identifier_type, identifier_value: sent };
      messages.push((await call('POST', '/companies/add', body)).message);
    } catch (error) {
      if (messages.length > 0) await loadWatched(1);
      throw new Error([...messages, describeWrong(error, sent)].join(' '), { cause: error });
    }
  }
  form.reset();
  await Promise.all([loadWatched(1), loadEvents()]);
  return messages.map((message) => element('p', {}, message));
});

addForm.querySelector('[type=file]').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (file) addForm.elements.numbers.value = await file.text();
});

// Events.

const nameOf = (event_type) =>
  event_type.replace('COMPANY_', '').replaceAll('_', ' ').toLowerCase();
const severityOf = (severity) => element('span', { className: `severity ${severity}` }, severity);

const loadEvents = listing('events', '/watchlist/events', (event) =>
  rowOf(
    element('time', {}, event.event_date),
    severityOf(event.severity),
    element('span', { title: event.event_type }, nameOf(event.event_type)),
    `${event.company_name ?? ''} (${event.primary_identifier ?? '–'})`,
    event.old_value ?? '–',
    event.new_value ?? '–',
  ),
);

onSubmit('events', async (filters) => {
  await loadEvents(1, filters);
});

// Alerts.

const alertsForm = find('#alerts-form');
const settings = alertsForm.elements;
const choices = ['alert_event_classes', 'alert_categories'];
const chosen = (name) =>
  [...settings[name]].filter(({ checked }) => checked).map(({ value }) => value);
let newest = [];

async function loadAlerts() {
  const { data } = await call('GET', '/watchlist/alerts');
  for (const name of ['alerts_enabled', 'notify_via_email'])
    settings[name].checked = data.global[name];
  settings.alert_min_severity.value = data.global.alert_min_severity;
  for (const name of choices) {
    for (const box of settings[name]) box.checked = data.global[name].includes(box.value);
  }
  newest = (await call('GET', '/watchlist/events?per_page=100')).data;
  preview();
}

/** Shows which of the newest events the settings of the form would send. */
function preview() {
  const types = new Map(
    [...find('#event-types').options].map((option) => [option.value, option.dataset]),
  );
  const ranks = [...settings.alert_min_severity.options].map(({ value }) => value);
  const least = settings.alert_min_severity.selectedIndex;
  const isSent = settings.alerts_enabled.checked && settings.notify_via_email.checked;
  const told = newest.filter(({ event_type, severity }) => {
    const type = types.get(event_type);
    return (
      ranks.indexOf(severity) >= least &&
      chosen('alert_event_classes').includes(type.class) &&
      chosen('alert_categories').includes(type.category)
    );
  });
  find('#preview').textContent =
    `${told.length} of the newest ${newest.length} events pass these settings` +
    (isSent ? '.' : ', but nothing is sent while alerts or e-mails are off.');
  const rows = told.map((event) =>
    rowOf(
      event.event_date,
      severityOf(event.severity),
      nameOf(event.event_type),
      event.company_name ?? '',
    ),
  );
  find('#preview-rows').replaceChildren(...rows);
}

alertsForm.addEventListener('input', preview);

onSubmit('alerts', async ({ alert_min_severity }) => {
  const { data } = await call('PATCH', '/watchlist/alerts', {
    alert_min_severity,
    alerts_enabled: settings.alerts_enabled.checked,
    notify_via_email: settings.notify_via_email.checked,
    force: settings.force.checked,
    alert_event_classes: chosen('alert_event_classes'),
    alert_categories: chosen('alert_categories'),
  });
  return `Saved. The settings apply to ${data.updated} companies.`;
});

// The way in and out.

/** Shows the account when all of it is loaded: an empty form would save what nobody chose. */
async function open(given) {
  setToken(given);
  for (const node of document.querySelectorAll('#tokens, [href="#tokens"]')) {
    node.hidden = !given.startsWith('sk_live_');
  }
  try {
    const { data } = await call('POST', '/tokens/verify');
    masterRef = data.token_ref;
    find('#who').textContent =
      `${data.user_name} (${data.user_ref}), by the token ${data.token_name}`;
    await loadAll();
  } catch (error) {
    setToken(undefined);
    throw error;
  }
  find('#entrance').hidden = true;
  find('#account').hidden = false;
  const wanted = document.getElementById(location.hash.slice(1));
  wanted?.scrollIntoView();
  find('#who').focus({ preventScroll: Boolean(wanted) });
}

async function loadAll() {
  const tables = [loadWatched(1), loadEvents(1), find('#tokens').hidden || loadTokens()];
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

onSubmit('init', async (fields, form) => {
  const { master_token, message } = await call('POST', '/auth/init', {
    token: fields.token.trim(),
  });
  form.reset();
  find('#token-form [name=token]').value = master_token;
  return secretOf(message, master_token);
});

onSubmit('recover', async (fields, form) => {
  const { message } = await call('POST', '/auth/recover', fields);
  form.reset();
  return message;
});

find('#refresh').addEventListener('click', () => void loadAll());
find('#leave').addEventListener('click', () => location.reload());
