// What the console is made of: requests, forms, a dialog, tables of pages, and how it writes values.
import { element, find } from '../dom.js';

/** The token is in this variable and nowhere else. */
let token;

export function setToken(given) {
  token = given;
}

export const hasToken = () => token !== undefined;

/** Asks the API; throws with what the API says is wrong, and with `errors` by the fields of a 422. */
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

/** A secret that is shown this once, with a button that copies it. */
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

/** Shows what `run` returns or throws. */
export async function report(output, run) {
  say(output, 'status');
  try {
    say(output, 'status', (await run()) ?? []);
  } catch (error) {
    say(output, 'alert', error.message);
  }
}

/** Sends a form: `run` is given its filled fields. */
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

/** Ends the listening of the question before. */
let question;

/** Asks in a dialog; gives the text, or `true` where none is asked for, or undefined when cancelled. */
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
    // The event of the question before may arrive late, when this one is open.
    if (!dialog.open) resolve(dialog.returnValue ? answerOf() : undefined);
  };
  question?.abort();
  question = new AbortController();
  const { signal } = question;
  return new Promise((resolve) => dialog.addEventListener('close', onClose(resolve), { signal }));
}

const locale = 'en-GB';

export const numberOf = (number) => new Intl.NumberFormat(locale).format(number);

/** Such as `1 credit` and `1,500 credits`. */
export const creditsOf = (count) =>
  `${numberOf(count)} ${Number(count) === 1 ? 'credit' : 'credits'}`;

function momentOf(text, write) {
  return text ? element('time', { dateTime: text }, write(new Date(text))) : '–';
}

const writeDay = (date, timeZone) =>
  date.toLocaleDateString(locale, { dateStyle: 'long', timeZone });
const writeTime = (date) => date.toLocaleTimeString(locale, { timeStyle: 'short' });

/** A day as mails write it, such as `6 November 2026`. */
export const dateOf = (text) => momentOf(text, (date) => writeDay(date, 'UTC'));

/** A time such as `6 November 2026, 05:04`, where the reader is. */
export const timeOf = (text) => momentOf(text, (date) => `${writeDay(date)}, ${writeTime(date)}`);

export const severityOf = (severity) =>
  element('span', { className: `severity ${severity}` }, severity);

export function statusOf(status) {
  return element('span', { className: `badge ${status.toLowerCase()}` }, status.toLowerCase());
}

/** A link that leads to the page of a company; only its name while the number waits for its import. */
export function companyLink(company_ref, name) {
  const text = name || 'A company without a name';
  return company_ref ? element('a', { href: `/companies/${company_ref}` }, text) : text;
}

export function rowOf(...cells) {
  return element('tr', {}, ...cells.map((cell) => element('td', {}, ...[cell].flat())));
}

/** A button of a row: runs, and leads to the output that says what came of it. */
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
 * Fills a list page by page: gives what loads a page, or the shown one again. What goes wrong is thrown
 * to who asks for it, and else said below the list.
 *
 * @param path of the answer, or what gives it
 * @param toRow makes the row of an element of the answer
 * @param onAnswer is given `meta` of each answer
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
    // Something else was asked for meanwhile.
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
      // A page may cost something: it is asked for once.
      step.disabled = true;
      await load(shown.page + Number(step.dataset.step)).catch((error) => {
        status.textContent = error.message;
        step.disabled = false;
      });
    });
  }
  return load;
}
