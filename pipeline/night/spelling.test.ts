import { expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { runKrs } from '../../fixtures/dump/krs-day.ts';
import { extractOf } from '../../fixtures/dump/krs-extract.ts';
import {
  company,
  nipOf,
  readEvents,
  regonOf,
  runRegon,
  unitOf,
} from '../../fixtures/dump/regon-day.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import { verify } from './verify.ts';

/**
 * A night: the fields that a registry states of one company, the expected events, and the expected entry if not empty.
 */
type Night = Record<'source' | 'date' | 'content' | 'events' | 'entry', string>;
const nights = readRows<Night>(new URL('spelling.csv', import.meta.url));

const db = await createTestDatabase();

function tellKrs(date: string, { nazwa, role, ...adres }: Record<string, string>) {
  const member = { imiona: { imie: 'E**' }, nazwisko: { nazwiskoICzlon: 'K**' } };
  const sklad = [{ ...member, funkcjaWOrganie: role }];
  const address = { siedziba: { wojewodztwo: 'MAZOWIECKIE' }, adres };
  const written = extractOf({
    krs: '0000990001',
    identity: { nazwa },
    section1: { siedzibaIAdres: address },
    section2: { reprezentacja: { nazwaOrganu: 'ZARZĄD', sklad } },
  });
  return runKrs(db, date, [written]);
}

/** Runs a night of REGON with one company that has one local unit. */
function tellRegon(date: string, { unit = '', street = '', ...fields }: Record<string, string>) {
  const units = [{ number: unitOf(regonOf(1), 1), name: unit, street }];
  return runRegon(db, date, { reports: company(regonOf(1), nipOf(1), fields, { units }) });
}

test.each([
  ['krs', tellKrs],
  ['regon', tellRegon],
])('a respelling inside %s is stored and counted, and no event', async (source, tell) => {
  for (const { date, content, events, entry } of nights.filter((one) => one.source === source)) {
    const summary = await tell(date, fieldsOf(content));
    expect(summary.updated).toBe(summary.is_baseline ? 0 : 1);
    expect((await readEvents(db, date)).join('\n')).toBe(events);
    const { rows } = await db.pool.query<{ entry: string }>(
      `select concat_ws(' | ', name, street, building, city) as entry
       from registry.entry where source = $1`,
      [source],
    );
    if (entry !== '') expect(rows).toEqual([{ entry }]);
    expect(await verify(db, source)).toEqual([]);
  }
});

test('verify still finds an entry that says something else', async () => {
  await db.pool.query(`update registry.entry set building = '7C', name = 'BETA'`);
  expect((await verify(db, 'krs')).filter((finding) => finding.startsWith('event'))).toEqual([
    expect.stringMatching(/^event \d+, COMPANY_ADDRESS_CHANGED of 2026-10-03/),
    expect.stringMatching(/^event \d+, COMPANY_NAME_CHANGED of 2026-10-03/),
  ]);
});
