// Shows the watch list: a form that adds numbers, and the watched companies with links to their pages.
import { element, find } from '../dom.js';
import { loadEvents } from './events.js';
import {
  action,
  call,
  companyLink,
  dateOf,
  listing,
  numberOf,
  onSubmit,
  rowOf,
  timeOf,
} from './kit.js';
import { readNumbers } from './numbers.js';

const added = find('#add-form output');

export const loadWatched = listing('watched', '/companies/watched', (watch) => {
  const { primary_identifier, identifier_type, company_ref, name } = watch;
  const number = primary_identifier ?? name;
  const remove = async () => {
    const named = company_ref
      ? { company_ref }
      : { identifier_type, identifier_value: primary_identifier };
    await call('DELETE', '/companies/watched', { identifiers: [named] });
    await Promise.all([loadWatched(), loadEvents()]);
    return `${number} is no longer watched.`;
  };
  return rowOf(
    [
      company_ref ? companyLink(company_ref, name) : 'Not known yet',
      element('code', { className: 'number-line' }, `${identifier_type ?? ''} ${number}`),
    ],
    watch.reference ?? '',
    dateOf(watch.watched_since),
    watch.failure ?? watch.state,
    numberOf(watch.events_count),
    timeOf(watch.last_event_at),
    action('Remove', number, added, remove),
  );
});

/** The maximum count of numbers in one request. */
const most = 100;

/** Watches up to 100 numbers. If one is wrong, the API refuses all: a retry is sent without the wrong numbers. */
async function addNumbers(identifier_type, numbers, bad) {
  const body = (identifier_value) => ({ identifier_type, identifier_value });
  try {
    return (await call('POST', '/companies/add', body(numbers))).message;
  } catch (error) {
    const wrong = new Map(
      Object.entries(error.errors ?? {}).flatMap(([field, [problem]]) => {
        const number = numbers[field.split('.')[1]];
        return number === undefined ? [] : [[number, problem.replace(`The ${field} field `, '')]];
      }),
    );
    if (wrong.size === 0) throw error;
    bad.push(...wrong);
    const good = numbers.filter((number) => !wrong.has(number));
    return good.length > 0 ? (await call('POST', '/companies/add', body(good))).message : undefined;
  }
}

/** Returns a list element with each text that is not a valid number, and the reason. */
function describeBad(bad) {
  if (bad.length === 0) return [];
  const items = bad.map(([text, reason]) =>
    element('li', {}, element('code', {}, text), ` ${reason}`),
  );
  const count =
    bad.length === 1
      ? '1 is not a number and stays out:'
      : `${numberOf(bad.length)} are not numbers and stay out:`;
  return [element('p', {}, count), element('ul', {}, ...items)];
}

/** Returns elements with the newest events of a company that has just been added, and a link to its history. */
async function describeHistory(identifier_type, identifier_value) {
  const query = new URLSearchParams({ identifier_type, identifier_value, lang: 'en', per_page: 5 });
  try {
    const { data, meta } = await call('GET', `/companies/events?${query}`);
    const items = data.events.map(({ event_date, text }) =>
      element('li', {}, dateOf(event_date), ' ', text),
    );
    const link = companyLink(meta.company_ref, meta.company_name);
    const count = meta.total === 0 ? 'nothing has changed yet' : `${numberOf(meta.total)} in all`;
    return [element('p', {}, 'The history of ', link, `: ${count}.`), element('ul', {}, ...items)];
  } catch (error) {
    // A number that is queued for import has no company yet, so it has no history.
    if (error.status === 404) return [];
    throw error;
  }
}

const form = onSubmit('add', async ({ identifier_type, numbers }) => {
  const { good, bad } = readNumbers(
    numbers,
    identifier_type,
    Array.from(form.elements.identifier_type.options),
  );
  if (good.length + bad.length === 0) throw new Error('There is no number in the text.');
  const messages = [];
  try {
    for (let at = 0; at < good.length; at += most) {
      const message = await addNumbers(identifier_type, good.slice(at, at + most), bad);
      if (message) messages.push(message);
    }
  } catch (error) {
    throw new Error([...messages, error.message].join(' '), { cause: error });
  } finally {
    await Promise.all([loadWatched(1), loadEvents(1)]);
  }
  // Wrong numbers stay in the form field, so that the visitor can correct the numbers.
  form.elements.numbers.value = bad.map(([text]) => text).join('\n');
  form.querySelector('[type=file]').value = '';
  const wrong = new Set(bad.map(([text]) => text));
  const taken = good.filter((number) => !wrong.has(number));
  const history = taken.length === 1 ? await describeHistory(identifier_type, taken[0]) : [];
  return [...messages.map((text) => element('p', {}, text)), ...describeBad(bad), ...history];
});

form.querySelector('[type=file]').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (file) form.elements.numbers.value = await file.text();
});
