import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runStock } from '../../fixtures/dump/sirene-night.ts';
import {
  makeEstablishment,
  makeStock,
  makeUnit,
  type StockRow,
} from '../../fixtures/dump/sirene-stock.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { Refusal } from '../errors.ts';
import { verify } from './verify.ts';

/** The SIRENs of ordinary units: more than 20, since guards ignore faults of up to 20 rows. */
const many = Array.from({ length: 60 }, (_, at) => String(990_100_000 + at));

const special = {
  // The conversion key maps 43.12B only to 43.12H, but INSEE has coded the unit `codedByHand` by hand.
  codedByHand: '990200001',
  // For the unit `contradicted`, INSEE has announced the code 66.30Y, but the new stock has another code.
  contradicted: '990200002',
  // For the next two units, INSEE has announced no code. The conversion key has 62.02A → 62.20G, but not the change to
  // 01.11Y.
  explained: '990200003',
  unexplained: '990200004',
  closed: '990200005',
  withoutActivity: '990200006',
};

const code = (activity: string, announced: string): StockRow => ({
  activitePrincipaleUniteLegale: activity,
  activitePrincipaleNAF25UniteLegale: announced,
});

const december = [
  ...many.map((siren) => makeUnit(siren)),
  makeUnit(special.codedByHand, code('43.12B', '66.30Y')),
  makeUnit(special.contradicted, code('43.12B', '66.30Y')),
  makeUnit(special.explained, code('62.02A', '')),
  makeUnit(special.unexplained, code('62.02A', '')),
  makeUnit(special.closed, { etatAdministratifUniteLegale: 'C', dateDebut: '2024-05-01' }),
  makeUnit(special.withoutActivity, code('00.00Z', '')),
];

const codes2025 = new Map([
  [special.codedByHand, '66.30Y'],
  [special.contradicted, '43.12H'],
  [special.explained, '62.20G'],
  [special.unexplained, '01.11Y'],
]);

/**
 * The stock in which all codes are converted: the column of NAF 2025 is gone, and the column of the old codes has the
 * new codes.
 */
const january = december.map((unit) => {
  const isLeft = [special.closed, special.withoutActivity].includes(unit.siren!);
  const { activitePrincipaleNAF25UniteLegale: announced, ...rest } = unit;
  if (isLeft) return rest;
  return {
    ...rest,
    activitePrincipaleUniteLegale: codes2025.get(unit.siren!) ?? announced!,
    nomenclatureActivitePrincipaleUniteLegale: 'NAF2025',
  };
});

const establishments = december.map(({ siren }) => makeEstablishment(siren!));
const recodedFrom = { NAF2025: '2027-01-05' };

describe('the stocks of January 2027', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await createTestDatabase();
    await runStock(db, '2026-12-31', december, establishments, { recodedFrom });
  });

  test('are refused before the day on which INSEE recodes', async () => {
    const early = runStock(db, '2027-01-04', january, establishments, { recodedFrom });
    await expect(early).rejects.toThrow(Refusal);
    await expect(early).rejects.toThrow(/the main activity of 6[0-9] of 65 entries changed/);
    expect(await readEvents(db, '2027-01-04')).toEqual([]);
  });

  test('give each active company one event, and none to a closed one', async () => {
    const summary = await runStock(db, '2027-01-05', january, establishments, { recodedFrom });
    expect(summary).toMatchObject({ state: 'published', updated: 64, events: 64 });
    const reclassified = (siren: string, old: string, now: string) =>
      `${siren} COMPANY_ACTIVITIES_RECLASSIFIED: ${old} → ${now}`;
    expect(await readEvents(db, '2027-01-05')).toEqual([
      ...many.map((siren) => reclassified(siren, '6201Z', '6210Y')),
      reclassified(special.codedByHand, '4312B', '6630Y'),
      `${special.contradicted} COMPANY_MAIN_ACTIVITY_CHANGED: 4312B → 4312H`,
      reclassified(special.explained, '6202A', '6220G'),
      `${special.unexplained} COMPANY_MAIN_ACTIVITY_CHANGED: 6202A → 0111Y`,
    ]);
  });

  test('leave a registry that is whole, nobody alarmed, and nothing for the month after', async () => {
    expect(await verify(db, 'sirene')).toEqual([]);
    const { rows } = await db.pool.query(
      `select distinct severity from registry.event join registry.event_type using (event_type)
       where event_type = 'COMPANY_ACTIVITIES_RECLASSIFIED'`,
    );
    expect(rows).toEqual([{ severity: 'info' }]);
    const summary = await runStock(db, '2027-01-31', january, establishments, { recodedFrom });
    expect(summary).toMatchObject({ updated: 0, events: 0 });
  });
});

test('the command takes the day of the recoding from NAF2025_FROM', async () => {
  const db = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'registry-recoding-'));
  const ingest = async (date: string, units: StockRow[], NAF2025_FROM?: string) => {
    const files = Object.entries(makeStock(units, establishments, date));
    for (const [file, content] of files) await writeFile(join(folder, file), content);
    const command = ['ingest', 'sirene', folder, '--date', date];
    return (await runCommand(command, { DATABASE_URL: db.url, NAF2025_FROM })).code;
  };
  expect(await ingest('2025-10-31', december)).toBe(0);
  expect(await ingest('2025-11-05', january)).toBe(3);
  expect(await ingest('2025-11-05', january, '2025-11-06')).toBe(3);
  expect(await ingest('2025-11-05', january, '2025-11-05')).toBe(0);
  expect(await readEvents(db, '2025-11-05')).toHaveLength(64);
});

test('a code under the name of the other classification is read by its own, and noted', async () => {
  const db = await createTestDatabase();
  const unit = makeUnit('990100001', code('62.10Y', ''));
  await runStock(db, '2026-12-31', [unit], [makeEstablishment('990100001')]);
  const { rows } = await db.pool.query(
    `select activity_version, activity_main, notice.subject, notice.value
     from registry.entry cross join registry.notice`,
  );
  expect(rows).toEqual([
    {
      activity_version: 2026,
      activity_main: '6210Y',
      subject: 'activity of another classification',
      value: 'NAFRev2 62.10Y',
    },
  ]);
});
