import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { extract, type ExtractContent, runKrs } from '../../fixtures/dump/krs-day.ts';
import { extractOf } from '../../fixtures/dump/krs-extract.ts';
import { readRows } from '../../fixtures/expected.ts';
import { readEventsBy } from '../../fixtures/dump/night.ts';
import { company, nipOf, readEvents, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { verify } from './verify.ts';

const [day1, day2, day3] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;
const [krs, nip, regon] = ['0000990001', nipOf(1), regonOf(1)];

/** A test case: the text of one field of an extract on two days, and the expected events of the second day. */
type Case = Record<'what' | 'field' | 'before' | 'after' | 'events', string>;
const cases = readRows<Case>(new URL('delta-krs.csv', import.meta.url));

/** Returns the content of an extract in which `field` has the items of `text`, which `; ` separates. */
function contentOf(field: string, text: string): ExtractContent {
  const items = text.split('; ');
  if (field === 'form') return { form: text };
  if (field === 'branches') return { branches: items };
  if (field === 'board') {
    return {
      board: Object.fromEntries(items.map((item) => item.split(' = ') as [string, string])),
    };
  }
  const readOwner = (item: string) => {
    const [nazwa = '', number] = item.split(' = ');
    return item.includes('*') ? item : { nazwa, ...(number && { krs: { krs: number } }) };
  };
  return { shareholders: items.map(readOwner) };
}

/** Returns a full extract (one with the history of the entry), which has former names of branches. */
function fullExtract(number: string): object {
  const branch = (names: readonly string[], miejscowosc: string) => ({
    nazwa: names.map((nazwa, at) => ({
      nazwa,
      nrWpisuWprow: String(at + 1),
      ...(at < names.length - 1 && { nrWpisuWykr: String(at + 2) }),
    })),
    siedziba: [{ miejscowosc, nrWpisuWprow: '1' }],
  });
  const { odpis } = extractOf({
    krs: number,
    section1: {
      siedzibaIAdres: { siedziba: { kraj: 'POLSKA', miejscowosc: 'POZNAŃ' } },
      jednostkiTerenoweOddzialy: [
        branch(['KUŹNIA', 'SKLEP', 'GORZELNIA'], 'KONIN'),
        branch(['CEGIELNIA'], 'PIŁA'),
        branch(['MŁYN', 'TARTAK'], 'PIŁA'),
      ],
    },
  });
  const { naglowekA: header, ...others } = odpis as Record<string, object>;
  const wpis = [1, 2, 3].map((numerWpisu) => ({ numerWpisu, dataWpisu: '30.10.2026' }));
  return { odpis: { ...others, naglowekP: { ...header, wpis } } };
}

describe('a change in an extract', () => {
  const krsOf = (at: number) => `00009901${String(at).padStart(2, '0')}`;
  const withHistory = krsOf(cases.length);
  let events: Record<string, string[]>;
  let faults: string[];

  beforeAll(async () => {
    const db = await createTestDatabase();
    const day = (when: 'before' | 'after') =>
      cases.map(({ field, [when]: text }, at) => {
        const content = { nip: nipOf(at), name: 'LAS', ...contentOf(field, text) };
        return extract(krsOf(at), content);
      });
    const branches = ['MŁYN, PIŁA', 'SKLEP, PIŁA'];
    await runKrs(db, day1, [...day('before'), extract(withHistory, { branches })]);
    const reason = 'All are meant';
    await runKrs(db, day2, [...day('after'), fullExtract(withHistory)], [], { reason });
    events = await readEventsBy(db, 'entry_key', day2);
    faults = await verify(db, 'krs');
  });

  test.each(cases.map((row, at) => ({ ...row, at })))('$what', ({ at, events: told }) => {
    expect((events[krsOf(at)] ?? []).join('\n')).toBe(told);
  });

  test('a branch is known by the names of its history', () => {
    expect(events[withHistory]!.filter((event) => event.startsWith('COMPANY_UNIT'))).toEqual([
      'COMPANY_UNIT_CHANGED: MŁYN, PIŁA → TARTAK, PIŁA',
      'COMPANY_UNIT_CHANGED: SKLEP, PIŁA → GORZELNIA, KONIN',
      'COMPANY_UNIT_OPENED:  → CEGIELNIA, PIŁA',
    ]);
    expect(faults).toEqual([]);
  });
});

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

test('a company that goes on under another number and form is one entry', async () => {
  const name = 'PIONIER';
  await runKrs(db, day1, [extract(krs, { nip, regon, name })]);
  const summary = await runKrs(db, day2, [
    extract(krs, { nip, regon, name, struckOff: '30.10.2026' }),
    extract('0000990002', { nip, regon, name, form: 'SPÓŁKA AKCYJNA' }),
  ]);
  expect(summary).toMatchObject({ new: 0, updated: 1, deleted: 0, entries: 1 });
  expect(await readEvents(db, day2)).toEqual([
    'COMPANY_LEGAL_FORM_CHANGED: spolka-z-ograniczona-odpowiedzialnoscia → spolka-akcyjna',
    `COMPANY_REGISTRY_NUMBER_CHANGED: ${krs} → 0000990002`,
  ]);
  expect(await verify(db, 'krs')).toEqual([]);
});

test('the first snapshot of a second source joins the companies of the first', async () => {
  await runRegon(db, day1, {
    reports: [company(regon, nip), company(regonOf(2), nipOf(2))].flat(),
  });
  const extracts = [extract(krs, { nip, regon }), extract('0000990003', { nip: nipOf(3) })];
  expect(await runKrs(db, day1, extracts)).toMatchObject({ is_baseline: true, events: 0 });
  const { rows } = await db.pool.query(
    `select array_agg(source order by source) as sources
     from registry.entry group by company_id order by company_id`,
  );
  expect(rows).toEqual([
    { sources: ['krs', 'regon'] },
    { sources: ['regon'] },
    { sources: ['krs'] },
  ]);
  expect(await verify(db, 'krs')).toEqual([]);
  expect(await verify(db, 'regon')).toEqual([]);
});

test('a company that has no extract any more is struck off, and comes back with one', async () => {
  const other = '0000990002';
  await runKrs(db, day1, [extract(krs, { nip }), extract(other, { nip: nipOf(2) })]);
  const summary = await runKrs(db, day2, [], [krs, '0000990009']);
  expect(summary).toMatchObject({ new: 0, updated: 0, deleted: 1, entries: 1 });
  expect(await readEvents(db, day2)).toEqual([`COMPANY_STRUCK_OFF: ACTIVE → ${day2}`]);
  const back = await runKrs(db, day3, [extract(krs, { nip })], ['no number']);
  expect(back).toMatchObject({ new: 1, entries: 2, rejected: 1 });
  expect(await readEvents(db, day3)).toEqual([`COMPANY_REOPENED: ${day2} → `]);
  expect(await verify(db, 'krs')).toEqual([]);
});

test('a struck-off company stays so by an extract from before, and comes back with one made later', async () => {
  const madeOn = (day: string) =>
    extractOf({ krs, header: { stanZDnia: '01.10.2026', dataCzasOdpisu: `${day} 04:12:09` } });
  await runKrs(db, day1, [madeOn('02.11.2026')]);
  await runKrs(db, day2, [], [krs]);
  expect(await runKrs(db, day3, [madeOn('02.11.2026')])).toMatchObject({ read: 0, new: 0 });
  const day4 = '2026-11-05';
  expect(await runKrs(db, day4, [madeOn('05.11.2026')])).toMatchObject({ read: 1, new: 1 });
  expect(await readEvents(db, day4)).toEqual([`COMPANY_REOPENED: ${day2} → `]);
  expect(await verify(db, 'krs')).toEqual([]);
});
