// The search. A page costs what its buttons say.
import { element, find } from '../dom.js';
import { companyLink, dateOf, listing, onSubmit, rowOf, statusOf } from './kit.js';

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

/** Offers the regions and legal forms of the chosen country alone. */
function offerOf({ country, voivodeship, legal_form }) {
  for (const select of [voivodeship, legal_form]) {
    select.value = '';
    for (const group of select.querySelectorAll('optgroup')) {
      group.hidden = group.dataset.country !== country.value;
      group.disabled = group.hidden;
    }
  }
}

/** Makes the form of the search work. */
export function startSearch() {
  const { elements } = onSubmit('search', async (filters) => {
    await loadResults(1, filters);
    find('#results').hidden = false;
  });
  offerOf(elements);
  elements.country.addEventListener('change', () => offerOf(elements));
}
