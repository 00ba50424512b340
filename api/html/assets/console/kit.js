// The shared functions of the console's views: requests, forms, a dialog, paged lists, and formats of values.
import { element, find } from '../dom.js';

/** The visitor's token, which is stored only in this variable. */
let token;

export function setToken(given) {
  token = given;
}

export const hasToken = () => token !== undefined;

/** Returns the API's answer to a request. Throws the message of an error answer, with the `errors` of a 422. */
export async function call(method, path, body) {
  const request = { method, headers: { Accept: 'application/json' } };
  if (token) request.headers.Authorization = `Bearer ${token}`;
  if (body) {
    request.headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify(body);
  }
  const response = await fetch(`/api/v1${path}`, request);
  const answer = await response.json();
  const balance = response.headers.get('X-Credits-Balance');
  if (balance !== null) showBalance(Number(balance));
  if (response.ok) return answer;
  const { errors = {} } = answer;
  const problems = Object.values(errors).flat();
  const message = problems.join(' ') || answer.message || answer.error;
  throw Object.assign(new Error(message), { errors, status: response.status });
}

export function showBalance(credits) {
  for (const node of document.querySelectorAll('[data-balance]')) {
    node.textContent = creditsOf(credits);
  }
}

/** Returns the elements of a text, of a secret that is shown only once, and of a button that copies the secret. */
export function secretOf(text, code) {
  const copy = element('button', { type: 'button', textContent: 'Copy' });
  copy.dataset.copy = '';
  const pre = element('pre', { tabIndex: 0 }, element('code', {}, code));
  return [text, element('div', { className: 'copyable' }, pre, copy)];
}

function say(output, role, ...content) {
  output.setAttribute('role', role);
  output.replaceChildren(...content.flat());
}

/** Calls `run`, and shows its result or its error in the output element. */
export async function report(output, run) {
  say(output, 'status');
  try {
    say(output, 'status', (await run()) ?? []);
  } catch (error) {
    say(output, 'alert', error.message);
  }
}

/** Calls `run` with the filled fields of a form when the visitor sends the form. */
export function onSubmit(id, run) {
  const form = find(`#${id}-form`);
  const output = form.querySelector('output');
  let isBusy = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
    await report(output, () => run(fields, form));
    isBusy = false;
  });
  form.querySelector('[type=submit]').disabled = false;
  return form;
}

/** The controller that removes the listener of the previous question in the dialog. */
let question;

/** Asks a question in a dialog. Returns the typed text, or `true` without a text field; undefined if cancelled. */
export function ask({ title, text = '', button, value }) {
  const dialog = find('#ask');
  const [label, input] = [dialog.querySelector('label'), dialog.querySelector('input')];
  const [yes] = dialog.querySelectorAll('button');
  dialog.querySelector('h2').textContent = title;
  dialog.querySelector('p').textContent = text;
  yes.textContent = button;
  label.hidden = value === undefined;
  input.disabled = value === undefined;
  input.value = value ?? '';
  dialog.returnValue = '';
  dialog.showModal();
  input.select();
  const answerOf = () => (value === undefined ? true : input.value.trim());
  const onClose = (resolve) => () => {
    // The `close` event of the previous question may arrive when this question is already open.
    if (!dialog.open) resolve(dialog.returnValue ? answerOf() : undefined);
  };
  question?.abort();
  question = new AbortController();
  const { signal } = question;
  return new Promise((resolve) => dialog.addEventListener('close', onClose(resolve), { signal }));
}

const locale = 'en-GB';

export const numberOf = (number) => new Intl.NumberFormat(locale).format(number);

/** Returns a count of credits such as `1 credit` and `1,500 credits`. */
export const creditsOf = (count) =>
  `${numberOf(count)} ${Number(count) === 1 ? 'credit' : 'credits'}`;

function momentOf(text, write) {
  return text ? element('time', { dateTime: text }, write(new Date(text))) : '–';
}

const writeDay = (date, timeZone) =>
  date.toLocaleDateString(locale, { dateStyle: 'long', timeZone });
const writeTime = (date) => date.toLocaleTimeString(locale, { timeStyle: 'short' });

/** Returns a day in the format of mails, such as `6 November 2026`. */
export const dateOf = (text) => momentOf(text, (date) => writeDay(date, 'UTC'));

/** Returns a time in the reader's time zone, such as `6 November 2026, 05:04`. */
export const timeOf = (text) => momentOf(text, (date) => `${writeDay(date)}, ${writeTime(date)}`);

export const severityOf = (severity) =>
  element('span', { className: `severity ${severity}` }, severity);

export function statusOf(status) {
  return element('span', { className: `badge ${status.toLowerCase()}` }, status.toLowerCase());
}

/** Returns a link to the page of a company, or only the name while the company is queued for import. */
export function companyLink(company_ref, name) {
  const text = name || 'A company without a name';
  return company_ref ? element('a', { href: `/companies/${company_ref}` }, text) : text;
}

export function rowOf(...cells) {
  return element('tr', {}, ...cells.map((cell) => element('td', {}, ...[cell].flat())));
}

/** Returns a button of a table row. A click calls `run`, shows the result in `output` and moves the focus there. */
export function action(text, of, output, run) {
  const button = element('button', {
    type: 'button',
    textContent: text,
    ariaLabel: `${text} ${of}`,
  });
  button.addEventListener('click', async () => {
    await report(output, run);
    output.focus();
  });
  return button;
}

/**
 * Returns a function that loads a page of a list, by default the shown page again. The function throws errors to
 * its caller. An error after a click on a button of the list is shown below the list.
 *
 * @param path the path of the API request, or a function that returns the path
 * @param toRow returns the table row for an item of the answer
 * @param onAnswer is called with the `meta` of each answer
 */
export function listing(id, path, toRow, onAnswer = () => undefined) {
  const list = find(`#${id}-list`);
  const status = list.querySelector('.pager span');
  const steps = [...list.querySelectorAll('[data-step]')];
  const shown = { page: 1, filters: {} };
  let asked = 0;

  async function load(page = shown.page, filters = shown.filters) {
    const query = new URLSearchParams({ ...filters, page });
    const turn = (asked += 1);
    const answer = await call('GET', `${typeof path === 'string' ? path : path()}?${query}`);
    // A later call has started during this request, so the answer of this request is dropped.
    if (turn !== asked) return;
    const { data, meta = data } = answer;
    Object.assign(shown, { page, filters });
    const rows = data.results ?? data.events ?? data;
    list.querySelector('[data-rows]').replaceChildren(...rows.map(toRow));
    const last = meta.last_page;
    const place = last > 1 ? `, page ${numberOf(page)} of ${numberOf(last)}` : '';
    status.textContent = `${numberOf(meta.total)} in all${place}`;
    for (const step of steps) {
      const to = page + Number(step.dataset.step);
      step.hidden = last <= 1;
      step.disabled = to < 1 || to > last;
    }
    onAnswer(meta);
  }

  for (const step of steps) {
    step.addEventListener('click', async () => {
      // A page can cost credits, so the button is disabled: a second click must not load the page again.
      step.disabled = true;
      await load(shown.page + Number(step.dataset.step)).catch((error) => {
        status.textContent = error.message;
        step.disabled = false;
      });
    });
  }
  return load;
}
