import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { createSearcher, type Searcher } from '../../fixtures/client/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runSirene, runStock } from '../../fixtures/dump/sirene-night.ts';
import {
  makeDuplicates,
  makeEstablishment,
  makeUnit,
  type StockRow,
  withheldPlace,
  withheldUnit,
} from '../../fixtures/dump/sirene-stock.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { verify } from './verify.ts';

const woman: StockRow = {
  categorieJuridiqueUniteLegale: '1000',
  denominationUniteLegale: '',
  prenomUsuelUniteLegale: 'ZEPHIRINE',
  nomUniteLegale: 'QUINQUEMPOIX',
};
const home: StockRow = { libelleVoieEtablissement: 'DES OUBLIETTES' };
const closed: StockRow = { etatAdministratifEtablissement: 'F', dateDebut: '2026-10-15' };
const partial: StockRow = { statutDiffusionUniteLegale: 'P', sigleUniteLegale: '[ND]' };
const quay: StockRow = {
  libelleVoieEtablissement: 'DU PORT',
  enseigne1Etablissement: 'AU QUAI',
};

let db: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  db = await createTestDatabase();
  api = await startTestApi({ db: db.kysely });
});

afterAll(async () => {
  await api.close();
  await db.drop();
});

/** Everything that a unit of a test shows or has shown. */
const clear = ['quinquempoix', 'oubliettes', 'au quai', 'du port'];

async function expectSilence(texts = clear): Promise<void> {
  expect(await findClearText(db, '', texts)).toEqual([]);
  expect(await verify(db, 'sirene')).toEqual([]);
}

/** A night over the units of a test and one that stays as it is. */
function run(
  date: string,
  units: StockRow[],
  establishments: StockRow[],
  duplicates: [kept: string, left: string][] = [],
) {
  const still = '990900003';
  return runStock(
    db,
    date,
    [...units, makeUnit(still)],
    [...establishments, makeEstablishment(still)],
    { reason: 'few units' },
    duplicates.length > 0 ? makeDuplicates(...duplicates) : {},
  );
}

describe('an owner who objects, of whom a duplicate is gone,', () => {
  const [first, left, kept] = ['990100000', '990100018', '990100026'] as const;
  const both: [string, string][] = [
    [kept, left],
    [left, first],
  ];
  const searched = async (searcher: Searcher) => {
    const { body } = await searcher.search('?name=QUINQUEMPOIX&country=FR');
    return (body as { data: { total: number } }).data.total;
  };
  let searcher: Searcher;

  test('is found until then', async () => {
    const sirens = [first, left, kept];
    await run(
      '2026-07-31',
      sirens.map((siren) => makeUnit(siren, woman)),
      sirens.map((siren) => makeEstablishment(siren, '00012', home)),
    );
    await run(
      '2026-08-31',
      [left, kept].map((siren) => makeUnit(siren, woman)),
      [left, kept].map((siren) => makeEstablishment(siren, '00012', home)),
      both,
    );
    await run(
      '2026-09-30',
      [makeUnit(kept, woman)],
      [makeEstablishment(kept, '00012', home)],
      both,
    );
    searcher = await createSearcher(db.kysely, api);
    expect(await searched(searcher)).toBe(1);
    const body = { identifier_type: 'SIREN', identifier_value: kept };
    const { body: answer } = await searcher.snapshot(body);
    expect(JSON.stringify(answer).match(/ZEPHIRINE QUINQUEMPOIX/g)?.length).toBe(4);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('leaves every entry and the search', async () => {
    const withheld = { ...woman, ...withheldUnit };
    await run(
      '2026-10-31',
      [makeUnit(kept, withheld)],
      [makeEstablishment(kept, '00012', withheldPlace)],
      both,
    );
    expect(await searched(searcher)).toBe(0);
    await expectSilence();
    const { rows } = await db.pool.query(
      `select entry_key, status, is_partial, city, units #>> '{0,identifier}' as siret
       from registry.entry where entry_key = any($1) order by entry_key`,
      [[first, left, kept]],
    );
    expect(rows).toEqual(
      [first, left, kept].map((siren) => ({
        entry_key: siren,
        status: siren === kept ? 'ACTIVE' : 'DELETED',
        is_partial: true,
        city: 'LYON 3EME',
        siret: `${siren}00012`,
      })),
    );
  });

  test('stays so when a duplicate of one who has objected goes later', async () => {
    const [gone, stays] = ['990110009', '990110017'] as const;
    const withheld = makeUnit(stays, { ...woman, ...withheldUnit });
    const place = makeEstablishment(stays, '00012', withheldPlace);
    const open = [makeUnit(gone, woman), makeEstablishment(gone, '00012', home)] as const;
    await run('2026-11-01', [open[0], withheld], [open[1], place]);
    await run('2026-11-02', [withheld], [place], [[stays, gone]]);
    await expectSilence();
  });
});

describe('what an owner withholds is not told of an establishment', () => {
  const [whole, alone] = ['990200016', '990200024'] as const;
  const branches = (siren: string, more: StockRow) => makeEstablishment(siren, '00020', more);

  test('that closes in the stock that brings the mark', async () => {
    const units = [makeUnit(whole), makeUnit(alone)];
    const seats = [makeEstablishment(whole), makeEstablishment(alone)];
    await run('2026-11-03', units, [
      seats[0]!,
      branches(whole, quay),
      seats[1]!,
      branches(alone, quay),
    ]);
    await run(
      '2026-11-04',
      [makeUnit(whole, partial), makeUnit(alone)],
      [
        makeEstablishment(whole, '00012', withheldPlace),
        branches(whole, { ...withheldPlace, ...closed }),
        seats[1]!,
        branches(alone, { ...withheldPlace, ...closed }),
      ],
    );
    expect(await readEvents(db, '2026-11-04')).toEqual(
      [whole, alone].map((siren) => `${siren} COMPANY_UNIT_CLOSED: ${siren}00020 → `),
    );
    await expectSilence();
  });

  test('that had closed before, or was the head office', async () => {
    // The former head office of `late` closes only when the mark comes.
    const [unit, place, late] = ['990210007', '990210015', '990210023'] as const;
    const moved: StockRow = { nicSiegeUniteLegale: '00020' };
    const seat = (siren: string, nic: string, more: StockRow = {}) =>
      makeEstablishment(siren, nic, { ...more, etablissementSiege: String(nic !== '00038') });
    const other = (siren: string, more: StockRow) => makeEstablishment(siren, '00038', more);
    const sirens = [unit, place, late];
    await run(
      '2026-11-05',
      sirens.map((siren) => makeUnit(siren)),
      sirens.flatMap((siren) => [seat(siren, '00012', home), other(siren, quay)]),
    );
    await run(
      '2026-11-06',
      sirens.map((siren) => makeUnit(siren, moved)),
      sirens.flatMap((siren) => [
        makeEstablishment(siren, '00012', { ...home, etablissementSiege: 'false' }),
        seat(siren, '00020'),
        other(siren, { ...quay, ...closed }),
      ]),
    );
    const told = (await readEvents(db, '2026-11-06')).join('\n');
    for (const text of ['OUBLIETTES', 'AU QUAI']) expect(told).toContain(text);
    await run(
      '2026-11-07',
      [makeUnit(unit, { ...moved, ...partial }), makeUnit(place, moved), makeUnit(late, moved)],
      [
        makeEstablishment(unit, '00012', { ...withheldPlace, etablissementSiege: 'false' }),
        seat(unit, '00020', withheldPlace),
        other(unit, { ...withheldPlace, ...closed }),
        makeEstablishment(place, '00012', { ...withheldPlace, etablissementSiege: 'false' }),
        seat(place, '00020'),
        other(place, { ...withheldPlace, ...closed }),
        makeEstablishment(late, '00012', {
          ...withheldPlace,
          ...closed,
          etablissementSiege: 'false',
        }),
        seat(late, '00020'),
        other(late, { ...withheldPlace, ...closed }),
      ],
    );
    expect(await readEvents(db, '2026-11-07')).toEqual([
      `${late} COMPANY_UNIT_CLOSED: ${late}00012 → `,
    ]);
    await expectSilence();
  });
});

describe('an establishment that goes with the mark', () => {
  const [siren, other] = ['990220007', '990220015'] as const;
  const seats = [siren, other].map((one) => makeEstablishment(one, '00012', home));

  test('is not told of as the place that the head office leaves', async () => {
    const moved: StockRow = { nicSiegeUniteLegale: '00020' };
    const left = { ...withheldPlace, etablissementSiege: 'false' };
    const seat = { etablissementSiege: 'true' };
    await run('2026-11-08', [makeUnit(siren), makeUnit(other)], seats);
    await run(
      '2026-11-09',
      [makeUnit(siren, moved), makeUnit(other, moved)],
      [
        makeEstablishment(siren, '00012', { ...left, ...closed }),
        makeEstablishment(siren, '00020', seat),
        makeEstablishment(other, '00012', left),
        makeEstablishment(other, '00020', seat),
      ],
    );
    expect(
      (await readEvents(db, '2026-11-09')).filter((event) => event.includes('ADDRESS')),
    ).toEqual(
      [siren, other].map(
        (one) =>
          `${one} COMPANY_ADDRESS_CHANGED:  → RUE DES LILAS 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes`,
      ),
    );
    await expectSilence();
  });

  test('is not told of by a delta, now or before', async () => {
    const unit = '990230006';
    await run(
      '2026-11-10',
      [makeUnit(unit)],
      [
        makeEstablishment(unit),
        makeEstablishment(unit, '00020', quay),
        makeEstablishment(unit, '00038', quay),
      ],
    );
    const answer = (nic: string, status: string) =>
      JSON.stringify({
        siren: unit,
        siret: `${unit}${nic}`,
        statutDiffusionEtablissement: status,
        uniteLegale: { etatAdministratifUniteLegale: 'A' },
        periodesEtablissement: [
          { dateFin: null, dateDebut: '2026-11-11', etatAdministratifEtablissement: 'F' },
        ],
      });
    const first = [answer('00020', 'P'), answer('00038', 'O')];
    await runSirene(db, '2026-11-11', { 'siret.ndjson': first.join('\n') });
    expect(await readEvents(db, '2026-11-11')).toEqual([
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00020 → `,
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00038 AU QUAI, RUE DU PORT 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes → `,
    ]);
    await runSirene(db, '2026-11-12', { 'siret.ndjson': answer('00038', 'P') });
    expect(await readEvents(db, '2026-11-11')).toEqual([
      `${unit} COMPANY_UNIT_CLOSED:  → `,
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00020 → `,
    ]);
    await expectSilence();
  });
});

describe('a copy of what nobody watches', () => {
  test('goes too: stored answers and rejected rows', async () => {
    const [siren, neighbour] = ['990300006', '990300014'] as const;
    const units = [makeUnit(siren, woman), makeUnit(neighbour)];
    const places = [makeEstablishment(siren, '00012', home), makeEstablishment(neighbour)];
    await runStock(db, '2026-11-13', units, places);
    const searcher = await createSearcher(db.kysely, api);
    const ask = (value: string) =>
      searcher.snapshot(
        { identifier_type: 'SIREN', identifier_value: value },
        { 'Idempotency-Key': value },
      );
    expect(JSON.stringify((await ask(siren)).body)).toContain('QUINQUEMPOIX');
    await ask(neighbour);
    await db.pool.query(
      `insert into registry.reject (run_id, file, line, reject_code, reason, raw)
       select max(run_id), 'a', 1, 'damaged_row', 'x', $1 from registry.run`,
      [`${siren}00012;QUINQUEMPOIX`],
    );
    await runStock(
      db,
      '2026-11-14',
      [makeUnit(siren, { ...woman, ...withheldUnit }), units[1]!],
      [makeEstablishment(siren, '00012', withheldPlace), places[1]!],
    );
    expect(await findClearText(db, '', ['quinquempoix'])).toEqual([]);
    const { rows } = await db.pool.query(
      'select idempotency_key as key from customer.idempotent_answer',
    );
    expect(rows).toEqual([{ key: neighbour }]);
    expect(JSON.stringify((await ask(siren)).body)).not.toContain('QUINQUEMPOIX');
  });
});

describe('a place that the head office has left', () => {
  const [back, both] = ['990240004', '990240012'] as const;
  const moves = (siren: string, nic: string, places: Record<string, StockRow>) =>
    [
      makeUnit(siren, { nicSiegeUniteLegale: nic }),
      Object.entries(places).map(([one, more]) =>
        makeEstablishment(siren, one, { ...more, etablissementSiege: String(one === nic) }),
      ),
    ] as const;
  const night = (date: string, ...moved: ReturnType<typeof moves>[]) =>
    run(
      date,
      moved.map(([unit]) => unit),
      moved.flatMap(([, places]) => places),
    );

  test('is not told of in the event that brought it there, nor in that which took it away', async () => {
    const all = { '00012': {}, '00020': home, '00038': quay };
    await night('2026-11-15', moves(back, '00012', all), moves(both, '00020', all));
    await night('2026-11-16', moves(back, '00020', all), moves(both, '00038', all));
    expect((await readEvents(db, '2026-11-16')).join('\n')).toMatch(/OUBLIETTES.*\n.*DU PORT/);
    await night('2026-11-17', moves(back, '00020', all), moves(both, '00012', all));
    await night(
      '2026-11-18',
      // It leaves the place with the mark.
      moves(back, '00012', { ...all, '00020': withheldPlace, '00038': withheldPlace }),
      moves(both, '00012', { ...all, '00020': withheldPlace, '00038': withheldPlace }),
    );
    await expectSilence(['oubliettes', 'du port']);
  });

  test('is not told of where the owner objects and no establishment is listed', async () => {
    const unit = '990250003';
    await run('2026-11-19', [makeUnit(unit)], [makeEstablishment(unit, '00012', home)]);
    await run('2026-11-20', [makeUnit(unit, partial)], []);
    await expectSilence(['oubliettes']);
  });
});

describe('an owner who objects no longer', () => {
  const [kept, gone] = ['990260002', '990260010'] as const;
  const duplicate: [string, string][] = [[kept, gone]];
  const isInFeed = async () => {
    const { master_token } = await createAccount(db.kysely);
    const answer = await api.ask('/api/v1/events/feed?scope=all&country=FR&limit=1000', {
      headers: { Authorization: `Bearer ${master_token}` },
    });
    return (await answer.text()).includes(kept);
  };

  test('is in the feed of all again, whatever else of the company is gone', async () => {
    const seat = makeEstablishment(kept, '00012', home);
    await run(
      '2026-11-21',
      [makeUnit(kept, woman), makeUnit(gone, woman)],
      [seat, makeEstablishment(gone, '00012', home)],
    );
    const place = makeEstablishment(kept, '00012', withheldPlace);
    await run('2026-11-22', [makeUnit(kept, { ...woman, ...withheldUnit })], [place], duplicate);
    expect(await isInFeed()).toBe(false);
    const changed = { ...woman, activitePrincipaleUniteLegale: '62.02A' };
    await run('2026-11-23', [makeUnit(kept, changed)], [seat], duplicate);
    expect(await isInFeed()).toBe(true);
    const { rows } = await db.pool.query(
      `select updated_count::int from registry.run where dump_date >= '2026-11-22'`,
    );
    expect(rows).toEqual([{ updated_count: 1 }, { updated_count: 1 }]);
  });
});
