import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import {
  type Duplicate,
  readEvents,
  runSirene,
  runUnits,
} from '../../../fixtures/dump/sirene-night.ts';
import { type StockRow, withheldPlace } from '../../../fixtures/dump/sirene-stock.ts';
import { verify } from '../../night/verify.ts';

const does = (activitePrincipaleEtablissement: string): StockRow => ({
  activitePrincipaleEtablissement,
});
const old = (activitePrincipaleUniteLegale: string): StockRow => ({
  activitePrincipaleUniteLegale,
  nomenclatureActivitePrincipaleUniteLegale: 'NAP',
});
const objects: StockRow = { statutDiffusionUniteLegale: 'P' };

/**
 * Test cases: a unit with the activity 62.01Z, its establishments, and the activities of establishments that the entry
 * keeps.
 */
const cases: [unit: StockRow, places: Record<string, StockRow>, kept?: Record<string, string>][] = [
  [{}, { '00012': does('62.01Z'), '00020': does('56.10A') }, { '00020': '2008 5610A' }],
  [{}, { '00012': does('62.01Z'), '00020': does('62.01Z') }],
  [{}, { '00012': does('62.10Y') }, { '00012': '2026 6210Y' }],
  [{}, { '00012': does('74.1G') }, { '00012': '741G' }],
  [{}, { '00012': does('00.00Z') }, { '00012': '' }],
  [{}, { '00012': does('') }],
  [
    { activitePrincipaleUniteLegale: '00.00Z' },
    { '00012': does('56.10A') },
    { '00012': '2008 5610A' },
  ],
  [old('22.02'), { '00012': does('22.02') }],
  [{ activitePrincipaleUniteLegale: '[ND]' }, { '00012': does('62.01Z') }],
  [{ nicSiegeUniteLegale: '' }, { '00020': does('56.10A') }, { '00020': '2008 5610A' }],
  [{}, { '00012': does('62.01Z'), '00020': { ...does('56.10A'), ...withheldPlace } }],
  [objects, { '00012': { ...does('56.10A'), ...withheldPlace } }],
  [objects, { '00012': does('56.10A') }],
];

const sirenOf = (at: number) => String(990_600_000 + at);
const siretOf = (at: number, nic: string) => sirenOf(at) + nic;
const units = Object.fromEntries(
  cases.map(([unit, places], at): [string, [StockRow, Record<string, StockRow>]] => [
    sirenOf(at),
    [unit, places],
  ]),
);
const kept = Object.fromEntries(
  cases.flatMap(([, , activities = {}], at) =>
    Object.entries(activities).map(([nic, key]) => [siretOf(at, nic), key]),
  ),
);

const db = await createTestDatabase();
await runUnits(db, '2026-09-30', units);

/** Returns the activities of establishments that the entries keep, by SIRET. */
async function readKept(): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ siret: string; key: string }>(
    `select stated.key as siret, stated.value as key
     from registry.entry, jsonb_each_text(attributes -> 'unit_activities') as stated`,
  );
  return Object.fromEntries(rows.map(({ siret, key }) => [siret, key]));
}

/**
 * Runs a night with the answers; expects the events `told`, and the establishments' activities `expected` in the
 * entries.
 */
async function expectNight(date: string, answers: object[], told: string[], expected: object) {
  const lines = answers.map((answer) => JSON.stringify(answer)).join('\n');
  const { events, updated } = await runSirene(db, date, { 'answers.ndjson': lines });
  expect(await readEvents(db, date)).toEqual(told);
  expect({ events, updated }).toEqual({ events: told.length, updated: told.length });
  expect(await readKept()).toEqual(expected);
  expect(await verify(db, 'sirene')).toEqual([]);
}

const placeAnswer = (at: number, nic: string, period: object) => ({
  siren: sirenOf(at),
  siret: siretOf(at, nic),
  uniteLegale: {},
  periodesEtablissement: [{ dateFin: null, ...period }],
});
const unitAnswer = (at: number, code: string) => ({
  siren: sirenOf(at),
  periodesUniteLegale: [
    {
      dateFin: null,
      activitePrincipaleUniteLegale: code,
      nomenclatureActivitePrincipaleUniteLegale: 'NAFRev2',
    },
  ],
});

test('a stock states the activities of establishments that differ from that of their unit', async () => {
  expect(await readKept()).toEqual(kept);
  expect(await verify(db, 'sirene')).toEqual([]);
});

test('an answer that changes the activity of an establishment alone makes no event', async () => {
  const answers = [
    placeAnswer(0, '00020', does('62.01Z')),
    placeAnswer(1, '00020', does('47.11F')),
  ];
  const { [siretOf(0, '00020')]: _, ...others } = kept;
  await expectNight('2026-10-01', answers, [], { ...others, [siretOf(1, '00020')]: '2008 4711F' });
});

test('establishments keep their activities when that of their unit changes', async () => {
  const answers = [unitAnswer(1, '47.11F'), unitAnswer(2, '56.10A')];
  const { [siretOf(0, '00020')]: _, ...others } = kept;
  const told = [
    `${sirenOf(1)} COMPANY_MAIN_ACTIVITY_CHANGED: 6201Z → 4711F`,
    `${sirenOf(2)} COMPANY_MAIN_ACTIVITY_CHANGED: 6201Z → 5610A`,
  ];
  const expected = { ...others, [siretOf(1, '00012')]: '2008 6201Z' };
  await expectNight('2026-10-02', answers, told, expected);
});

test('an entry of an older version knows no activity of its units until answers or a stock state it', async () => {
  await db.pool.query(
    `update registry.entry set attributes = null, fingerprint = null where entry_key = $1`,
    [sirenOf(1)],
  );
  const before = await readKept();
  const told = [`${sirenOf(1)} COMPANY_MAIN_ACTIVITY_CHANGED: 4711F → 6202A`];
  const expected = { ...before, [siretOf(1, '00012')]: '', [siretOf(1, '00020')]: '' };
  await expectNight('2026-10-03', [unitAnswer(1, '62.02A')], told, expected);
  await runUnits(db, '2026-10-31', units);
  expect(await readKept()).toEqual(kept);
});

test('an entry that is gone keeps none when the owner of its successor objects', async () => {
  const [gone, stays] = [sirenOf(0), sirenOf(12)];
  const { [gone]: _, ...left } = units;
  const duplicates: Duplicate[] = [[stays, gone]];
  await runUnits(db, '2026-11-30', left, duplicates);
  const { [siretOf(0, '00020')]: _key, ...others } = kept;
  expect(await readKept()).toEqual(others);
  expect(await verify(db, 'sirene')).toEqual([]);
});
