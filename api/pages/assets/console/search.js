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

/** Makes the form of the search work. */
export function startSearch() {
  onSubmit('search', async (filters) => {
    await loadResults(1, filters);
    find('#results').hidden = false;
  });
}
