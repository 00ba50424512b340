import { expect, test } from 'vitest';
import { argumentsOf } from '../../../fixtures/client/message.ts';
import eventEn from '../../../sql/words/event-en.json' with { type: 'json' };
import eventPl from '../../../sql/words/event-pl.json' with { type: 'json' };
import { eventTypes } from '../../../sql/words/event-words.ts';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import { readCatalogue, texts } from './texts.ts';

const [en, pl] = [readCatalogue('en'), readCatalogue('pl')];

test('both languages have the same messages with the same arguments', () => {
  const describeMessages = (catalogue: Record<string, Record<string, string>>) =>
    Object.entries(catalogue).flatMap(([letter, messages]) =>
      Object.entries(messages).map(([name, message]) => [letter, name, ...argumentsOf(message)]),
    );
  expect(describeMessages(pl)).toEqual(describeMessages(en));
  expect(describeMessages(eventPl)).toEqual(describeMessages(eventEn));
  expect(describeMessages(en)).toContainEqual(['digest', 'heading', 'count', 'severity']);
});

test('every event type and severity of the dictionary has its text in both languages', async () => {
  const db = await createTestDatabase();
  const { rows: types } = await db.pool.query<{ event_type: string }>(
    'select event_type from registry.event_type',
  );
  const { rows: levels } = await db.pool.query<{ severity: string }>(
    'select severity from registry.severity',
  );
  expect(eventTypes).toEqual(expect.arrayContaining(types.map(({ event_type }) => event_type)));
  expect(Object.keys(en.severities).toSorted()).toEqual(
    levels.map(({ severity }) => severity).toSorted(),
  );
});

test('one credit is one credit', () => {
  expect(texts.en.refund.subject({ cause: 'refund', credits: 1 })).toBe('1 credit was taken back');
  expect(texts.pl.refund.outcome({ cause: 'dispute', credits: 1, balance: 0 })).toContain(
    'cofnięto 1 kredyt.',
  );
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
