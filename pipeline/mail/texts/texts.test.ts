import { expect, test } from 'vitest';
import { argumentsOf } from '../../../fixtures/client/message.ts';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import { describeEvent } from '../letters/digest.ts';
import en from './en.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import { type EventType, eventTypes, severities, texts } from './texts.ts';

test('both languages have the same messages with the same arguments', () => {
  const describeMessages = (catalogue: Record<string, Record<string, string>>) =>
    Object.entries(catalogue).flatMap(([letter, messages]) =>
      Object.entries(messages).map(([name, message]) => [letter, name, ...argumentsOf(message)]),
    );
  expect(describeMessages(pl)).toEqual(describeMessages(en));
  expect(describeMessages(en)).toContainEqual(['digest', 'heading', 'count', 'severity']);
});

test('every event type and severity of the dictionary has its text in both languages', async () => {
  const db = await createTestDatabase();
  try {
    const { rows: types } = await db.pool.query<{ event_type: string }>(
      'select event_type from registry.event_type',
    );
    const { rows: levels } = await db.pool.query<{ severity: string }>(
      'select severity from registry.severity',
    );
    expect(eventTypes).toEqual(expect.arrayContaining(types.map(({ event_type }) => event_type)));
    expect(severities.toSorted()).toEqual(levels.map(({ severity }) => severity).toSorted());
  } finally {
    await db.drop();
  }
});

test('one credit is one credit', () => {
  expect(texts.en.refund.subject({ cause: 'refund', credits: 1 })).toBe('1 credit was taken back');
  expect(texts.pl.refund.outcome({ cause: 'dispute', credits: 1, balance: 0 })).toContain(
    'cofnięto 1 kredyt.',
  );
});

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
    'COMPANY_FAX_REMOVED',
    '221',
    null,
    'The fax number was removed: 221',
    'Usunięto numer faksu: 221',
  ],
  [
    'COMPANY_START_DATE_CHANGE',
    '2019-05-01',
    null,
    'The start date of the activity changed: 1 May 2019 → —',
    'Zmieniono datę rozpoczęcia działalności: 1 maja 2019 → —',
  ],
  [
    'ANOMALY_REGON_CHANGE',
    '141428610',
    null,
    'The REGON number is gone: 141428610',
    'Usunięto numer REGON: 141428610',
  ],
];

test.each(cases)(
  '%s from %j to %j is described in words',
  (event_type, old_value, new_value, english, polish) => {
    const event = { event_type, old_value, new_value };
    expect(describeEvent(texts.en, event)).toBe(english);
    expect(describeEvent(texts.pl, event)).toBe(polish);
  },
);

test('no event is described with "null" or "undefined", whatever its values', () => {
  for (const event_type of eventTypes) {
    for (const old_value of [null, 'x']) {
      for (const new_value of [null, 'y']) {
        for (const language of ['en', 'pl'] as const) {
          const words = describeEvent(texts[language], { event_type, old_value, new_value });
          expect(words).not.toMatch(/null|undefined/);
        }
      }
    }
  }
});

test('counts have the right form in Polish', () => {
  const { digest, totals } = texts.pl;
  const worst = totals.critical({ count: 1 });
  const date = new Date('2026-11-06');
  const subject = (changes: number) => digest.subject({ date, changes, worst });
  expect(subject(1)).toBe('6 listopada 2026: 1 zmiana w obserwowanych firmach, krytyczne: 1');
  expect(subject(3)).toContain(': 3 zmiany w');
  expect(subject(5)).toContain(': 5 zmian w');
  expect(subject(22)).toContain(': 22 zmiany w');
});
