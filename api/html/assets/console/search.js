// Shows the search: the buttons state the price of a page; a number as search text opens its company free of charge.
import { element, find } from '../dom.js';
import { call, companyLink, dateOf, listing, onSubmit, rowOf, statusOf } from './kit.js';
import { readNumbers } from './numbers.js';
import { go } from './route.js';

const loadResults = listing('results', '/companies/search', (one) =>
  rowOf(
    companyLink(one.company_ref, one.name),
    one.identifiers.map(({ type, value }) =>
      element('code', { className: 'number-line' }, `${type} ${value}`),
    ),
    [one.city, one.voivodeship].filter(Boolean).join(', ') || '–',
    one.activity_main || '–',
    dateOf(one.activity_start),
    statusOf(one.status),
  ),
);

/** Shows only the regions and legal forms of the chosen country in the form. */
function offerOf({ country, voivodeship, legal_form }) {
  for (const select of [voivodeship, legal_form]) {
    select.value = '';
    for (const group of select.querySelectorAll('optgroup')) {
      group.hidden = group.dataset.country !== country.value;
      group.disabled = group.hidden;
    }
  }
}

/** Returns what a searched text can be: one identifier for each type whose numbers are as long as the text. */
function numbersOf(text = '') {
  const options = Array.from(find('#add-form').elements.identifier_type.options);
  return options.flatMap(({ value: identifier_type, dataset }) => {
    const { good, bad } = readNumbers(text, identifier_type, options);
    const [identifier_value = ''] = good;
    const isOne = good.length === 1 && bad.length === 0;
    const fits = isOne && identifier_value.length === Number(dataset.length);
    return fits ? [{ identifier_type, identifier_value }] : [];
  });
}

/** Looks up companies by number. The API refuses all numbers if one is wrong, so a retry omits wrong numbers. */
async function lookUp(identifiers) {
  if (identifiers.length === 0) return [];
  try {
    return (await call('POST', '/companies/lookup', { identifiers })).data;
  } catch (error) {
    const wrong = new Set(Object.keys(error.errors ?? {}).map((field) => field.split('.')[1]));
    const good = identifiers.filter((_, at) => !wrong.has(String(at)));
    if (good.length === identifiers.length) throw error;
    return lookUp(good);
  }
}

/** Connects the search form with the API. */
export function startSearch() {
  const { elements } = onSubmit('search', async (filters) => {
    const companies = await lookUp(numbersOf(filters.name));
    const known = companies.find(({ found }) => found);
    if (known) return go(`/companies/${known.company_ref}`);
    if (companies.length > 0)
      throw new Error('No company has this number yet. The watch list has it imported.');
    await loadResults(1, filters);
    find('#results').hidden = false;
    return undefined;
  });
  offerOf(elements);
  elements.country.addEventListener('change', () => offerOf(elements));
}
