import { expect, test } from 'vitest';
import { describeEvent, type EventType, eventTypes } from './event-words.ts';

const cases: [EventType, string | null, string | null, string, string][] = [
  [
    'COMPANY_SUSPENDED',
    null,
    '2026-11-06',
    'The activity was suspended on 6 November 2026',
    'Zawieszono działalność 6 listopada 2026',
  ],
  [
    'COMPANY_RESUMED',
    '2026-01-02',
    '2026-11-06',
    'The activity was resumed on 6 November 2026; it had been suspended on 2 January 2026',
    'Wznowiono działalność 6 listopada 2026; była zawieszona od 2 stycznia 2026',
  ],
  [
    'COMPANY_CLOSED_DATE',
    null,
    '2026-12-31',
    'A closing date was entered: 31 December 2026',
    'Wpisano datę zakończenia działalności: 31 grudnia 2026',
  ],
  [
    'COMPANY_CLOSED_DATE',
    '2026-12-31',
    '2027-01-31',
    'The closing date moved from 31 December 2026 to 31 January 2027',
    'Przesunięto datę zakończenia działalności z 31 grudnia 2026 na 31 stycznia 2027',
  ],
  [
    'COMPANY_STRUCK_OFF',
    'ACTIVE',
    '2026-11-06',
    'The entry was struck off the registry on 6 November 2026; it was active until then',
    'Wpis wykreślono z rejestru 6 listopada 2026; do tego dnia był aktywny',
  ],
  [
    'COMPANY_REOPENED',
    '2026-11-06',
    null,
    'The entry is back in the registry; its end on 6 November 2026 no longer holds',
    'Wpis wrócił do rejestru; zakończenie z 6 listopada 2026 już nie obowiązuje',
  ],
  [
    'COMPANY_BANKRUPTCY_ENDED',
    '2024-02-03',
    null,
    'The bankruptcy proceedings ended; they had begun on 3 February 2024',
    'Zakończono postępowanie upadłościowe; trwało od 3 lutego 2024',
  ],
  [
    'COMPANY_NAME_CHANGED',
    'Bar',
    'Bar Kłos',
    'The name changed: Bar → Bar Kłos',
    'Zmieniono nazwę: Bar → Bar Kłos',
  ],
  ['COMPANY_FAX_ADDED', null, '221', 'A fax number was added: 221', 'Dodano numer faksu: 221'],
  [
    'COMPANY_START_DATE_CHANGE',
    '2019-05-01',
    null,
    'The start date of the activity changed: 1 May 2019 → —',
    'Zmieniono datę rozpoczęcia działalności: 1 maja 2019 → —',
  ],
];

test.each(cases)(
  '%s from %j to %j is described in words',
  (event_type, old_value, new_value, english, polish) => {
    const event = { event_type, old_value, new_value };
    expect(describeEvent('en', event, 'PL')).toBe(english);
    expect(describeEvent('pl', event, 'PL')).toBe(polish);
  },
);

// The expected sentences in English and Polish: for Poland, for France, and for other countries if these differ.
test.each<[EventType, ...string[]]>([
  [
    'ANOMALY_REGON_CHANGE',
    'The REGON number changed: 1 → 2',
    'Zmieniono numer REGON: 1 → 2',
    'The statistical number changed: 1 → 2',
    'Zmieniono numer statystyczny: 1 → 2',
  ],
  [
    'COMPANY_ACTIVITIES_RECLASSIFIED',
    'Activity codes moved between PKD 2007 and PKD 2025 as the official key explains: 1 → 2',
    'Przeniesiono kody działalności między PKD 2007 a PKD 2025 zgodnie z urzędowym kluczem: 1 → 2',
    'Activity codes moved from NAF rév. 2 to NAF 2025 as INSEE announced or its key explains: 1 → 2',
    'Przeniesiono kody działalności z NAF rév. 2 do NAF 2025 zgodnie z zapowiedzią lub kluczem INSEE: 1 → 2',
    'Activity codes moved between two classifications as the official key explains: 1 → 2',
    'Przeniesiono kody działalności między klasyfikacjami zgodnie z urzędowym kluczem: 1 → 2',
  ],
  [
    'COMPANY_REGISTRY_NUMBER_ASSIGNED',
    'A KRS number was assigned: 2',
    'Nadano numer KRS: 2',
    'A SIREN or RNA number was assigned: 2',
    'Nadano numer SIREN lub RNA: 2',
    'A registry number was assigned: 2',
    'Nadano numer rejestrowy: 2',
  ],
  [
    'COMPANY_REGISTRY_NUMBER_CHANGED',
    'The KRS number was replaced by another: 1 → 2',
    'Zastąpiono numer KRS innym: 1 → 2',
    'The SIREN or RNA number changed: 1 → 2',
    'Zmieniono numer SIREN lub RNA: 1 → 2',
    'The registry number was replaced by another: 1 → 2',
    'Zastąpiono numer rejestrowy innym: 1 → 2',
  ],
  [
    'COMPANY_REGON_ASSIGNED',
    'A REGON number was assigned: 2',
    'Nadano numer REGON: 2',
    'A statistical number was assigned: 2',
    'Nadano numer statystyczny: 2',
  ],
  [
    'COMPANY_TAX_IDENTITY_ASSIGNED',
    'A NIP was assigned: 2',
    'Nadano NIP: 2',
    'A tax number was assigned: 2',
    'Nadano numer podatkowy: 2',
  ],
  [
    'COMPANY_TAX_IDENTITY_CHANGED',
    'The NIP was replaced by another: 1 → 2',
    'Zastąpiono NIP innym: 1 → 2',
    'The tax number was replaced by another: 1 → 2',
    'Zastąpiono numer podatkowy innym: 1 → 2',
  ],
  [
    'COMPANY_TAX_IDENTITY_REVOKED',
    'The NIP is gone or was revoked: 2',
    'Usunięto lub unieważniono NIP: 2',
    'The tax number is gone or was revoked: 2',
    'Usunięto lub unieważniono numer podatkowy: 2',
  ],
])('%s names the numbers and codes of its country', (event_type, ...sentences) => {
  const event = { event_type, old_value: '1', new_value: '2' };
  const written = ['PL', 'FR', 'XU'].flatMap((country) =>
    (['en', 'pl'] as const).map((language) => describeEvent(language, event, country)),
  );
  expect(written).toEqual([...sentences, ...sentences.slice(2)].slice(0, 6));
});

test('a type without words is described by its name', () => {
  const event = { event_type: 'COMPANY_MOON_ADDED', old_value: null, new_value: 'x' };
  expect(describeEvent('en', event, 'PL')).toBe('COMPANY_MOON_ADDED');
});

test('no event is described with "null" or "undefined", whatever its values', () => {
  for (const event_type of eventTypes) {
    for (const old_value of [null, 'x']) {
      for (const new_value of [null, 'y']) {
        for (const language of ['en', 'pl'] as const) {
          const words = describeEvent(language, { event_type, old_value, new_value }, 'FR');
          expect(words).not.toMatch(/null|undefined/);
        }
      }
    }
  }
});
