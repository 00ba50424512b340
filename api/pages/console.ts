import { escapeHtml } from '../../sql/html.ts';
import type { AppOptions } from '../app.ts';
import { identifierType } from '../companies/identifier.ts';
import { category, eventClass, readEventTypes, severity } from '../dictionaries/names.ts';
import type { Page } from './page.ts';

type EventTypes = Awaited<ReturnType<typeof readEventTypes>>;

function optionsOf(values: readonly string[]): string {
  return values.map((value) => `<option>${escapeHtml(value)}</option>`).join('');
}

/** The preview of alerts reads the class and category of an event from the options. */
function eventTypeOptions(types: EventTypes): string {
  return types
    .map(
      (type) =>
        `<option data-severity="${type.severity}" data-class="${type.event_class}" data-category="${type.category}">${type.event_type}</option>`,
    )
    .join('\n');
}

function checkboxes(name: string, legend: string, values: readonly string[]): string {
  const boxes = values.map(
    (value) =>
      `<label><input type="checkbox" name="${name}" value="${value}">${value.replace('_', ' ')}</label>`,
  );
  return `<fieldset class="full"><legend>${legend}</legend>${boxes.join('\n')}</fieldset>`;
}

/**
 * A form whose fields the script sends; the answer appears in the output. The script enables the button:
 * before it, the Enter key would send the fields as a query, a token among them.
 */
function formOf(id: string, button: string, fields: string): string {
  return `<form class="row" id="${id}-form">${fields}
<button type="submit" disabled>${button}</button>
<output role="status" tabindex="-1"></output></form>`;
}

/** An empty table that the script fills page by page. */
function listingOf(id: string, name: string, columns: string[]): string {
  const heads = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  return `<div id="${id}-list"><div class="scroll" tabindex="0" role="region" aria-label="${name}">
<table><thead><tr>${heads}</tr></thead><tbody></tbody></table></div>
<p class="actions pager"><button type="button" data-step="-1">Previous</button><span role="status"></span>
<button type="button" data-step="1">Next</button></p></div>`;
}

function field(label: string, input: string): string {
  return `<label>${label} ${input}</label>`;
}

const tokenInput =
  '<input name="token" type="password" autocomplete="off" spellcheck="false" required>';
const password =
  '<input name="password" type="password" minlength="8" autocomplete="new-password" required>';
const email = '<input name="email" type="email" autocomplete="email" required>';
const languages =
  '<select name="language"><option value="en">English</option><option value="pl">polski</option></select>';
const identifierTypes = `<select name="identifier_type">${optionsOf(identifierType.options)}</select>`;

const entrance = `<div id="entrance">
<section class="card"><h2>Open with a token</h2>
${formOf('token', 'Open', field('Master Token or API token', tokenInput))}
</section>
<section><h2>No token yet?</h2>
<div class="cards">
<article id="register"><h3>1. Register</h3>
${formOf(
  'register',
  'Register',
  field('Company e-mail', email) +
    field(
      'Name',
      '<input name="name" minlength="3" maxlength="255" autocomplete="name" required>',
    ) +
    field('Language of mails', languages) +
    field('Password', password),
)}</article>
<article id="init"><h3>2. Use the one-time token</h3>
${formOf('init', 'Get the Master Token', field('One-time token from the e-mail', tokenInput))}</article>
<article id="recover"><h3>Lost the Master Token?</h3>
${formOf('recover', 'Send a link', field('E-mail of the account', email) + field('New password', password))}</article>
</div></section>
</div>`;

const wallet = `<section id="wallet"><h2>Wallet</h2>
<p class="figures"><span><strong id="balance">–</strong> credits</span>
<span><strong id="purchased">–</strong> bought so far</span></p>
${formOf('topup', 'Buy', field('Package', '<select name="package_slug"></select>'))}
${listingOf('ledger', 'Ledger', ['Time', 'Type', 'Description', 'Amount', 'Balance'])}
</section>`;

const tokens = `<section id="tokens"><h2>Tokens</h2>
${formOf(
  'create',
  'Create an API token',
  field('Name', '<input name="name" minlength="3" maxlength="255" autocomplete="off" required>') +
    field(
      'Days until it expires (empty: never)',
      '<input name="expires_in_days" type="number" min="1" max="365">',
    ),
)}
${listingOf('tokens', 'Tokens', ['Name', 'Reference', 'Created', 'Expires', 'Last use', 'Actions'])}
</section>`;

const watched = `<section id="watched"><h2>Watch list</h2>
${formOf(
  'add',
  'Watch',
  field('Kind of number', identifierTypes) +
    field('Numbers from a file', '<input type="file" accept=".csv,.txt,text/*">') +
    `<label class="full">Numbers, separated by anything <textarea name="numbers" rows="3" required></textarea></label>`,
)}
${listingOf('watched', 'Watch list', ['Number', 'Name', 'Since', 'State', 'Events', 'Last event', 'Actions'])}
</section>`;

function events(types: EventTypes): string {
  return `<section id="events"><h2>Events</h2>
${formOf(
  'events',
  'Filter',
  field(
    'Type',
    `<select name="event_type" id="event-types"><option value="">all</option>${eventTypeOptions(types)}</select>`,
  ) +
    field('From', '<input name="from_date" type="date">') +
    field('To', '<input name="to_date" type="date">'),
)}
${listingOf('events', 'Events', ['Date', 'Severity', 'Event', 'Company', 'Before', 'After'])}
</section>`;
}

const alerts = `<section id="alerts"><h2>Alerts</h2>
${formOf(
  'alerts',
  'Save',
  `<fieldset class="full"><legend>Delivery</legend>
<label><input type="checkbox" name="alerts_enabled">alerts are on</label>
<label><input type="checkbox" name="notify_via_email">by e-mail</label>
<label><input type="checkbox" name="force">also for companies with settings of their own</label></fieldset>
${field('Least severity', `<select name="alert_min_severity">${optionsOf(severity.options)}</select>`)}
${checkboxes('alert_event_classes', 'Classes', eventClass.options)}
${checkboxes('alert_categories', 'Categories', category.options)}`,
)}
<h3>Preview</h3><p id="preview" role="status"></p>
<div class="scroll" tabindex="0" role="region" aria-label="Preview of alerts"><table>
<thead><tr><th scope="col">Date</th><th scope="col">Severity</th><th scope="col">Event</th><th scope="col">Company</th></tr></thead>
<tbody id="preview-rows"></tbody></table></div>
</section>`;

const dialog = `<dialog id="ask" aria-labelledby="ask-title"><form method="dialog">
<h2 id="ask-title"></h2><p></p>${field('Name', '<input minlength="3" maxlength="255" required>')}
<p class="actions"><button value="yes" type="submit"></button><button value="" formnovalidate>Cancel</button></p>
</form></dialog>`;

/** `/console`: the account of a token, over the public API alone. */
export async function createConsole({ db }: AppOptions): Promise<Page> {
  const types = await readEventTypes(db);
  return {
    path: '/console',
    title: 'Console',
    content: `<h1>Console</h1>
<p class="lead">Your account over the public API. The token stays in the memory of this page alone: a reload forgets it.</p>
${entrance}
<div id="account" hidden>
<p class="actions"><span id="who" tabindex="-1"></span><button type="button" id="refresh">Refresh</button>
<button type="button" id="leave">Forget the token</button></p>
<nav class="jump" aria-label="Sections"><a href="#wallet">Wallet</a> <a href="#tokens">Tokens</a>
<a href="#watched">Watch list</a> <a href="#events">Events</a> <a href="#alerts">Alerts</a></nav>
${wallet}${tokens}${watched}${events(types)}${alerts}
</div>
${dialog}`,
    scripts: ['copy.js', 'console.js'],
  };
}
