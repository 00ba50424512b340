// Shows the page of a company, `/companies/<ref>`, with its history and its profile.
import { element, find } from '../dom.js';
import { loadEvents } from './events.js';
import { call, dateOf, listing, numberOf, report, severityOf, statusOf } from './kit.js';
import { viewSnapshot } from './profile.js';
import { nameRegistries, nameView } from './route.js';
import { loadWatched } from './watched.js';

/** The shown company: at first only the reference from the URL, later the `meta` of the company's history. */
let company = {};
/** The bought profiles by `company_ref`, stored until the visitor leaves the page. */
const profiles = new Map();

const watch = find('#watch');
const about = find('#company-about');

const loadHistory = listing(
  'history',
  () => `/companies/${encodeURIComponent(company.company_ref)}/events`,
  (event) =>
    element(
      'li',
      {},
      dateOf(event.event_date),
      ' ',
      severityOf(event.severity),
      element('p', {}, event.text),
    ),
  showCompany,
);

function showCompany(meta) {
  company = meta;
  nameView('company', meta.company_name || 'A company without a name');
  const number = meta.primary_identifier
    ? `${meta.identifier_type} ${meta.primary_identifier}`
    : 'without a number';
  const changes = meta.total === 1 ? '1 change' : `${numberOf(meta.total)} changes`;
  about.replaceChildren(
    statusOf(meta.company_status),
    ` · ${number} · ${changes} so far · reference ${meta.company_ref}`,
  );
  if (!find('#company').hidden) nameRegistries(meta.country_code);
  watch.textContent = meta.is_watched ? 'Stop watching' : 'Watch';
  // The watch button adds and removes a company by its number, so a company without a number has no button.
  watch.hidden = !meta.primary_identifier;
  find('#company-known').hidden = false;
}

function showProfile(snapshot) {
  find('#profile-offer').hidden = snapshot !== undefined;
  find('#profile').replaceChildren(...(snapshot ? viewSnapshot(snapshot) : []));
}

/** Shows the company with the given `company_ref`. */
export async function openCompany(ref) {
  const isOther = ref !== company.company_ref;
  company = { company_ref: ref };
  if (isOther) {
    nameView('company', 'Company');
    find('#company-known').hidden = true;
    for (const id of ['#watch-output', '#profile-output']) find(id).replaceChildren();
  }
  about.textContent = 'Loading…';
  showProfile(profiles.get(ref));
  try {
    await loadHistory(1, { lang: 'en' });
  } catch (error) {
    // The error of an earlier request is not shown if the visitor has meanwhile opened another company.
    if (company.company_ref === ref) about.textContent = error.message;
  }
}

watch.addEventListener('click', () =>
  report(find('#watch-output'), async () => {
    const { identifier_type, primary_identifier, is_watched } = company;
    const body = { identifier_type, identifier_value: [primary_identifier] };
    const path = is_watched ? '/companies/watched' : '/companies/add';
    const { message } = await call(is_watched ? 'DELETE' : 'POST', path, body);
    await Promise.all([loadHistory(), loadWatched(1), loadEvents(1)]);
    return message ?? 'The company is no longer watched.';
  }),
);

const buy = find('#profile-buy');
buy.addEventListener('click', async () => {
  const { company_ref } = company;
  // A profile costs credits, so the button is disabled: a second click must not buy the profile again.
  buy.disabled = true;
  await report(find('#profile-output'), async () => {
    const { data } = await call('POST', '/companies/snapshot', { company_ref });
    profiles.set(company_ref, data);
    if (company.company_ref !== company_ref) return;
    showProfile(data);
    find('#profile').focus();
  });
  buy.disabled = false;
});
