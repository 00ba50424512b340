import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createOrigin } from '../../fixtures/database/database-copy.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runSirene, runStock } from '../../fixtures/dump/sirene-night.ts';
import {
  establishmentFile,
  establishmentHeader,
  makeEstablishment,
  makeStock,
  makeUnit,
  type StockFiles,
  type StockRow,
  toCsv,
  unitFile,
  unitHeader,
  withheldUnit,
} from '../../fixtures/dump/sirene-stock.ts';
import { completeSiren } from '../../fixtures/generator/sirene/number.ts';
import { verify } from './verify.ts';

const sirenOf = (serial: number) => completeSiren(99_900_000 + serial, false);

const sirens = Array.from({ length: 400 }, (_, at) => sirenOf(at));
const [nameless, gone] = sirens as [string, string];
const artist = sirens.at(-1)!;
const own: Record<string, StockRow> = {
  [nameless]: { denominationUniteLegale: '' },
  [artist]: {
    categorieJuridiqueUniteLegale: '1000',
    denominationUniteLegale: '',
    pseudonymeUniteLegale: 'LA FAUVETTE',
  },
};

/**
 * Returns the units of the test, each with the fields that `change` returns; a unit is omitted if `change` returns
 * null.
 */
function makeUnits(change: (at: number) => StockRow | null): StockRow[] {
  return sirens.flatMap((siren, at) => {
    const row = change(at);
    return row === null ? [] : [makeUnit(siren, { ...own[siren], ...row })];
  });
}

const origin = await createOrigin((db) => runUnits(db, '2026-08-31', () => ({})));

function runUnits(db: TestDatabase, date: string, change: (at: number) => StockRow | null) {
  const units = makeUnits(change);
  const places = units.map(({ siren }) => makeEstablishment(siren!));
  return runStock(db, date, units, places);
}

/**
 * Runs a test in a copy of the database with the units of the test, and then expects no contradictions in the published
 * data.
 */
async function inCopy(run: (db: TestDatabase) => Promise<void>): Promise<void> {
  const db = await origin.copy();
  await run(db);
  expect(await verify(db, 'sirene')).toEqual([]);
}

describe('a unit without a name', () => {
  test('is an entry that is found by its number, and holds nothing up', () =>
    inCopy(async (db) => {
      const summary = await runUnits(db, '2026-09-30', (at) => (at === 1 ? null : {}));
      expect(summary).toMatchObject({ rejected: 0, deleted: 1, waiting: 0, entries: 399 });
      expect(await readEvents(db, '2026-09-30')).toEqual([
        `${gone} COMPANY_STRUCK_OFF: ACTIVE → 2026-09-30`,
      ]);
      const api = await startTestApi({ db: db.kysely });
      const searcher = await createSearcher(db.kysely, api, 100);
      const { body } = await searcher.search('?country=FR');
      expect(body).toMatchObject({
        data: {
          total: 399,
          results: expect.arrayContaining([expect.objectContaining({ name: '' })]) as object[],
        },
      });
      const asked = { identifier_type: 'SIREN', identifier_value: nameless };
      expect((await searcher.snapshot(asked)).body).toMatchObject({
        data: { profiles: [{ name: '', status: 'ACTIVE' }] },
      });
    }));

  test('tells of the name that it gets, and of one that it loses', () =>
    inCopy(async (db) => {
      await runUnits(db, '2026-09-30', (at) => {
        if (at === 0) return { denominationUniteLegale: 'LA LANTERNE' };
        return at === 1 ? { denominationUniteLegale: '' } : {};
      });
      expect(await readEvents(db, '2026-09-30')).toEqual([
        `${nameless} COMPANY_NAME_CHANGED:  → LA LANTERNE`,
        `${gone} COMPANY_NAME_CHANGED: ATELIER ${gone} → `,
      ]);
    }));
});

describe('a share of the entries', () => {
  const renamed = (at: number) =>
    at < 60 && at > 1 ? { denominationUniteLegale: `MAISON ${at}` } : {};

  test('that is refused after a day may have changed in a month', () =>
    inCopy(async (db) => {
      await expect(runUnits(db, '2026-09-01', renamed)).rejects.toThrow(
        'the name of 58 of 400 entries changed: 14.50 %, the limit is 2 %',
      );
      expect(await runUnits(db, '2026-09-30', renamed)).toMatchObject({ events: 58 });
    }));

  test('that has closed within a day is refused', () =>
    inCopy(async (db) => {
      const closed = { etatAdministratifUniteLegale: 'C', dateDebut: '2026-09-01' };
      await expect(runUnits(db, '2026-09-01', (at) => (at < 30 ? closed : {}))).rejects.toThrow(
        '30 of 400 entries ended in 1 days: 7.50 % a day, the limit is 0.1 %',
      );
    }));

  test('that is refused however many days have passed', () =>
    inCopy(async (db) => {
      const many = (at: number) => ({ denominationUniteLegale: at > 300 ? '' : `MAISON ${at}` });
      await expect(runUnits(db, '2026-12-31', many)).rejects.toThrow(
        'the name of 399 of 400 entries changed: 99.75 %, the limit is 20 % after 122 days; ' +
          '98 of 400 entries lost their name: 24.50 %, the limit is 10 % after 122 days',
      );
    }));

  test('that has lost a field does not count what owners withhold, and what has closed', () =>
    inCopy(async (db) => {
      const lost = { denominationUniteLegale: '' };
      const closed = { ...lost, etatAdministratifUniteLegale: 'C', dateDebut: '2026-09-12' };
      const night = (count: number) => (at: number) => {
        if (at === 0 || at > 70) return {};
        return at <= 20 ? closed : at <= 70 - count ? withheldUnit : lost;
      };
      await expect(runUnits(db, '2026-09-02', night(21))).rejects.toThrow(
        /; 21 of 400 entries lost their name: 5\.25 %, the limit is 2 % after 2 days$/,
      );
      // The guard that counts lost names does not count closed units, nor units whose owners object.
      expect(await runUnits(db, '2026-09-30', night(0))).toMatchObject({ events: 40 });
    }));
});

describe('the day of a stock', () => {
  const files = makeStock([makeUnit(gone)], [makeEstablishment(gone)], '2026-09-30');

  test('is refused where it is before the day on which INSEE touched a row, or long after', async () => {
    const db = await createTestDatabase();
    for (const date of ['2025-09-30', '2026-09-28', '2026-10-31']) {
      await expect(runSirene(db, date, files)).rejects.toThrow(
        `StockUniteLegale_utf8.csv goes up to 2026-09-30: it is no dump of ${date}`,
      );
    }
    const reason = 'the clock of INSEE was wrong';
    expect(await runSirene(db, '2026-09-28', files, { reason })).toMatchObject({ entries: 1 });
    const answer = JSON.stringify({
      siren: gone,
      dateDernierTraitementUniteLegale: '2026-11-20T06:00:00.000',
      periodesUniteLegale: [{ dateFin: null, etatAdministratifUniteLegale: 'A' }],
    });
    const list = { 'siren.ndjson': `${answer}\n` };
    await expect(runSirene(db, '2026-11-10', list)).rejects.toThrow(
      'siren.ndjson goes up to 2026-11-20: it is no dump of 2026-11-10',
    );
    expect(await runSirene(db, '2026-12-31', list)).toMatchObject({ rejected: 0 });
  });
});

describe('a stock that lacks a column', () => {
  const fresh = sirenOf(400);

  function toParquet(header: readonly string[], rows: readonly StockRow[]): Buffer {
    const columnData = header.map((name) => ({
      name,
      data: rows.map((row) => row[name] || null),
      type: 'STRING' as const,
    }));
    return Buffer.from(parquetWriteBuffer({ columnData }));
  }

  function makeFiles(
    date: string,
    rows: Record<number, StockRow>,
    absent: readonly string[],
    isParquet: boolean,
  ): StockFiles {
    const units = [...makeUnits((at) => rows[at] ?? {}), makeUnit(fresh)];
    const places = units.map(({ siren }) => makeEstablishment(siren!));
    const touch = (list: StockRow[], table: string) =>
      list.map((row) => ({ ...row, [`dateDernierTraitement${table}`]: `${date}T09:00:00` }));
    const has = (name: string) => !absent.includes(name);
    const write = isParquet ? toParquet : toCsv;
    const named = (file: string) => (isParquet ? file.replace('.csv', '.parquet') : file);
    return {
      [named(unitFile)]: write(unitHeader.filter(has), touch(units, 'UniteLegale')),
      [named(establishmentFile)]: write(
        establishmentHeader.filter(has),
        touch(places, 'Etablissement'),
      ),
    };
  }

  test('that is not used, or stands in for others, is published, and notes it', () =>
    inCopy(async (db) => {
      const absent = [
        'prenom4UniteLegale',
        'pseudonymeUniteLegale',
        'dateDernierTraitementEtablissement',
        'distributionSpecialeEtablissement',
      ];
      const { notices } = await runSirene(
        db,
        '2026-09-30',
        makeFiles('2026-09-30', {}, absent, false),
      );
      expect(notices.map(({ value }) => value)).toEqual(absent.toSorted());
      expect(await readEvents(db, '2026-09-30')).toEqual([
        `${fresh} COMPANY_REGISTERED:  → ATELIER ${fresh}`,
      ]);
      const { rows } = await db.pool.query('select name from registry.entry where entry_key = $1', [
        artist,
      ]);
      expect(rows).toEqual([{ name: 'LA FAUVETTE' }]);
    }));

  test.each([
    ['CSV', false],
    ['Parquet', true],
  ])(
    'that is used is refused in %s, and leaves what it tells as it was where it is accepted',
    (_, isParquet) =>
      inCopy(async (db) => {
        const absent = ['denominationUniteLegale', 'nomUniteLegale', 'libelleVoieEtablissement'];
        const rows = {
          3: { denominationUniteLegale: 'MAISON 3' },
          4: { etatAdministratifUniteLegale: 'C', dateDebut: '2026-09-12' },
        };
        const files = makeFiles('2026-09-30', rows, absent, isParquet);
        const [places, units] = Object.keys(files).toSorted();
        await expect(runSirene(db, '2026-09-30', files)).rejects.toThrow(
          `${places}, ${units}; the first, line 1: the header lacks 'libelleVoieEtablissement'; ` +
            'with a reason, what it tells stays as it was',
        );
        await runSirene(db, '2026-09-30', files, { reason: 'INSEE has dropped them' });
        expect(await readEvents(db, '2026-09-30')).toEqual([
          `${sirens[4]} COMPANY_CLOSED_DATE:  → 2026-09-12`,
          `${fresh} COMPANY_REGISTERED:  → `,
        ]);
        expect(await verify(db, 'sirene')).toEqual([]);
        await runSirene(db, '2026-10-31', makeFiles('2026-10-31', rows, [], false));
        expect(await readEvents(db, '2026-10-31')).toEqual([
          `${sirens[3]} COMPANY_NAME_CHANGED: ATELIER ${sirens[3]} → MAISON 3`,
        ]);
      }),
  );

  test('without which nothing can be read is refused with any reason', () =>
    inCopy(async (db) => {
      const absent = ['statutDiffusionUniteLegale', 'denominationUniteLegale'];
      const files = makeFiles('2026-09-30', {}, absent, false);
      await expect(runSirene(db, '2026-09-30', files, { reason: 'all the same' })).rejects.toThrow(
        `${unitFile}, line 1: the header lacks 'statutDiffusionUniteLegale', 'denominationUniteLegale'`,
      );
    }));
});
