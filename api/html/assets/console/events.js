// Shows the events of the watched companies.
import { companyLink, dateOf, listing, onSubmit, rowOf, severityOf } from './kit.js';

const load = listing('events', '/watchlist/events', (event) =>
  rowOf(
    dateOf(event.event_date),
    severityOf(event.severity),
    companyLink(event.company_ref, event.company_name),
    event.text,
  ),
);

let shown = {};

export const loadEvents = (page, filters = shown) => {
  shown = filters;
  return load(page, { ...filters, lang: 'en' });
};

onSubmit('events', async (filters) => {
  await loadEvents(1, filters);
});
