// Shows the profile of a company: its data by registry, with the file and line of the dump that contains the data.
// The labels of dates are made by the API, in `api/companies/snapshot-dates-and-activities.ts`.
import { element, find } from '../dom.js';
import { dateOf, numberOf, statusOf } from './kit.js';

const textOf = (value) => (value === '' ? '–' : value);

function addressOf({ street, building, apartment, city, postal_code, voivodeship, country_code }) {
  const house = [building, apartment].filter(Boolean).join('/');
  const lines = [
    [street, house].filter(Boolean).join(' '),
    [postal_code, city].filter(Boolean).join(' '),
    [voivodeship, country_code].filter(Boolean).join(', '),
  ];
  return lines.filter(Boolean).join(', ') || '–';
}

const toList = (items) => element('ul', {}, ...items.map((item) => element('li', {}, ...item)));

/** Returns a list of items. A long list shows its first items, and the remaining items after a click. */
function listOf(items) {
  const few = 5;
  if (items.length === 0) return ['–'];
  if (items.length <= few + 1) return [toList(items)];
  const more = element('summary', {}, `${numberOf(items.length - few)} more`);
  const rest = element('details', {}, more, toList(items.slice(few)));
  return [toList(items.slice(0, few)), rest];
}

function originOf({ dump_date, file, sha256, line, said_since }) {
  const parts = [['Says so since ', dateOf(said_since)]];
  if (dump_date) parts.push(['Dump of ', dateOf(dump_date)]);
  if (file) parts.push(['File ', element('code', {}, file), line ? `, line ${line}` : '']);
  if (sha256) parts.push(['SHA-256 ', element('code', {}, sha256)]);
  return toList(parts);
}

function viewProfile(profile, lang) {
  const facts = {
    Name: [textOf(profile.name)],
    'Legal form': [textOf(profile.legal_form)],
    Address: [addressOf(profile.address)],
    Contacts: listOf(
      [...profile.contacts, ...profile.websites].map(({ type, value }) => [
        `${type.replace('_', ' ')}: ${value}`,
      ]),
    ),
    Activities: listOf(
      profile.activities.map(({ code, name, is_primary }) => [
        element('code', {}, code),
        ` ${name}${is_primary ? ' (main)' : ''}`,
      ]),
    ),
    Dates: listOf(profile.dates.map(({ type, date }) => [`${type}: `, dateOf(date)])),
    Units: listOf(
      profile.units.map(({ identifier, name, address }) => [
        [identifier, name, addressOf(address)].filter(Boolean).join(', '),
      ]),
    ),
    'Where it comes from': profile.provenance ? [originOf(profile.provenance)] : ['–'],
  };
  const list = Object.entries(facts).flatMap(([name, content]) => [
    element('dt', {}, name),
    element('dd', { lang }, ...content),
  ]);
  const heading = element('h3', {}, profile.source.toUpperCase(), ' ', statusOf(profile.status));
  return element('article', {}, heading, element('dl', { className: 'facts' }, ...list));
}

/** Returns the elements of a snapshot: the company's numbers, a card for each registry, and the persons. */
export function viewSnapshot({ identity, profiles, persons }) {
  const numbers = identity.identifiers.map(({ type, value }) => `${type} ${value}`).join(' · ');
  const named = persons.map(({ full_name, role, holding }) => [
    [full_name, role, holding].filter(Boolean).join(', '),
  ]);
  const country = find(`#search-form option[value="${identity.country_code}"]`);
  const lang = country?.dataset.language ?? '';
  const people = element('article', {}, element('h3', {}, 'Persons'), ...listOf(named));
  return [
    element('p', {}, numbers || 'No number is known.'),
    element(
      'div',
      { className: 'cards' },
      ...profiles.map((profile) => viewProfile(profile, lang)),
      people,
    ),
  ];
}
