// What the page of `/console` is made of: requests, forms, a dialog and tables of pages.
import { element, find } from './dom.js';

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
  if (response.ok) return answer;
  const { errors = {} } = answer;
  const problems = Object.values(errors).flat();
  const message = problems.join(' ') || answer.message || answer.error;
  throw Object.assign(new Error(message), { errors });
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

export function timeOf(text) {
  if (!text) return '–';
  const style = { dateStyle: 'medium', timeStyle: 'short' };
  const shown = new Date(text).toLocaleString('en-GB', style);
  return element('time', { dateTime: text, title: text }, shown);
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
 * Fills a table page by page: gives what loads a page, or the shown one again.
 *
 * @param toRow makes the row of an element of the answer
 */
export function listing(id, path, toRow) {
  const list = find(`#${id}-list`);
  const status = list.querySelector('span');
  const steps = [...list.querySelectorAll('[data-step]')];
  const shown = { page: 1, filters: {} };

  async function load(page = shown.page, filters = shown.filters) {
    Object.assign(shown, { page, filters });
    try {
      const { data, meta } = await call(
        'GET',
        `${path}?${new URLSearchParams({ ...filters, page })}`,
      );
      list.querySelector('tbody').replaceChildren(...data.map(toRow));
      const last = meta.last_page;
      status.textContent = `${meta.total} in all${last > 1 ? `, page ${page} of ${last}` : ''}`;
      for (const step of steps) {
        const to = page + Number(step.dataset.step);
        step.hidden = last <= 1;
        step.disabled = to < 1 || to > last;
      }
    } catch (error) {
      status.textContent = error.message;
    }
  }

  for (const step of steps) {
    step.addEventListener('click', () => void load(shown.page + Number(step.dataset.step)));
  }
  return load;
}
