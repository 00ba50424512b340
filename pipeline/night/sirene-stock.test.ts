import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import {
  type Duplicate,
  readEvents,
  runSirene,
  runStock,
  runUnits,
  type Units,
} from '../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeUnit, type StockRow } from '../../fixtures/dump/sirene-stock.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { verify } from './verify.ts';

const number = (at: number) => String(990_600_000 + at);

const db = await createTestDatabase();

const place = (more: Record<string, string>) =>
  Object.fromEntries(Object.entries(more).map(([name, value]) => [`${name}Etablissement`, value]));
/** A test case: the fields of a head office in two monthly stocks, and the event of the second stock, if any. */
type Spelled = Record<'what' | 'before' | 'after' | 'event', string>;
const spelled = readRows<Spelled>(new URL('sirene-spelling.csv', import.meta.url));

describe('two months of one address', () => {
  const sirens = spelled.map((_, at) => number(100 + at));
  const run = (date: string, when: 'before' | 'after') =>
    runUnits(
      db,
      date,
      Object.fromEntries(
        spelled.map(({ [when]: text }, at) => {
          const row = fieldsOf(text);
          return [sirens[at]!, [row, { '00012': row, '00020': row }]];
        }),
      ),
    );
  let told: string[];

  beforeAll(async () => {
    await run('2026-05-31', 'before');
    await run('2026-06-30', 'after');
    told = await readEvents(db, '2026-06-30');
  });

  test.each(spelled.map((row, at) => ({ ...row, at })))('$what', ({ at, event }) => {
    const ofUnit = told.filter((text) => text.startsWith(sirens[at]!));
    // The second event is about the unit's other establishment, which has the same changes.
    expect(ofUnit.map((text) => text.split(/[ :]/)[1])).toEqual(
      event === '' ? [] : [event, 'COMPANY_UNIT_CHANGED'],
    );
  });

  test('is shown as it is written last, and agrees with the events that told it', async () => {
    const { rows } = await db.pool.query<{ street: string; unit: string }>(
      `select street, units #>> '{1,address,street}' as unit
       from registry.entry where entry_key = $1`,
      [sirens[5]],
    );
    expect(rows).toEqual([{ street: 'RUE FERDINAND FOCH', unit: 'RUE FERDINAND FOCH' }]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});

describe('a unit', () => {
  const [asleep, headless, hidden] = [number(200), number(201), number(202)] as const;
  const [abroad, silent] = [number(203), number(204)] as const;
  const closed = { etatAdministratifEtablissement: 'F', dateDebut: '1900-01-01' };
  const units = [
    makeUnit(asleep),
    makeUnit(headless, { nicSiegeUniteLegale: '00099' }),
    makeUnit(hidden, {
      statutDiffusionUniteLegale: 'N',
      categorieJuridiqueUniteLegale: '1000',
      denominationUniteLegale: '',
      nomUniteLegale: 'OUBLIE',
    }),
    makeUnit(abroad, { nicSiegeUniteLegale: '00020' }),
    makeUnit(silent),
  ];
  const establishments = [
    makeEstablishment(asleep, '00012', closed),
    makeEstablishment(headless, '00020', { etatAdministratifEtablissement: 'F' }),
    makeEstablishment(hidden),
    makeEstablishment(abroad, '00012', { etatAdministratifEtablissement: 'F' }),
    makeEstablishment(abroad, '00020', {
      ...place({ libelleCommune: '', codeCommune: '', libelleCommuneEtranger: 'GENEVE' }),
      codePaysEtrangerEtablissement: '99140',
      libellePaysEtrangerEtablissement: 'SUISSE',
    }),
    makeEstablishment(abroad, '00038', {
      libelleCommuneEtrangerEtablissement: 'ATLANTIS',
      codePaysEtrangerEtablissement: '99999',
    }),
    makeEstablishment(silent, '00012', { statutDiffusionEtablissement: 'X' }),
  ];
  const readEntry = async (siren: string) => {
    const { rows } = await db.pool.query<Record<string, unknown>>(
      `select status, name, is_partial, street, address_country_code as country, closed_units,
         units from registry.entry where entry_key = $1`,
      [siren],
    );
    return rows[0]!;
  };
  const find = async (siret: string) => {
    const { rows } = await db.pool.query<{ found: boolean }>(
      `select registry.find_company('SIRET', $1) is not null as found`,
      [siret],
    );
    return rows[0]!.found;
  };

  beforeAll(() => runStock(db, '2026-07-31', units, establishments, { reason: 'other units' }));

  test('whose head office closed on an unknown day stays closed in a delta that tells of the unit alone', async () => {
    const before = await readEntry(asleep);
    expect(before).toMatchObject({
      status: 'SUSPENDED',
      closed_units: null,
      units: [{ identifier: `${asleep}00012`, is_closed: true }],
    });
    const period = { dateFin: null, dateDebut: '2020-01-01', etatAdministratifUniteLegale: 'A' };
    const answer = { siren: asleep, periodesUniteLegale: [period] };
    await runSirene(db, '2026-08-05', { 'siren.ndjson': JSON.stringify(answer) });
    expect(await readEntry(asleep)).toEqual(before);
    await runStock(db, '2026-08-31', units, establishments);
    expect(await readEntry(asleep)).toEqual(before);
    for (const date of ['2026-08-05', '2026-08-31']) expect(await readEvents(db, date)).toEqual([]);
  });

  test('without an open establishment is suspended, also without its head office', async () => {
    const closed_units = [`${headless}00020`];
    expect(await readEntry(headless)).toMatchObject({
      status: 'SUSPENDED',
      units: null,
      closed_units,
    });
  });

  test('is withheld by any letter but O, and so is an establishment', async () => {
    expect(await readEntry(hidden)).toMatchObject({ name: null, is_partial: true, street: null });
    expect(await readEntry(silent)).toMatchObject({
      name: `ATELIER ${silent}`,
      is_partial: false,
      street: null,
    });
  });

  test('has the code of a country abroad, and a blank where INSEE lists none', async () => {
    expect(await readEntry(abroad)).toMatchObject({
      country: 'CH',
      units: [
        { identifier: `${abroad}00020` },
        { identifier: `${abroad}00038`, address: { country_code: '' } },
      ],
    });
  });

  test('is known by the SIRET of each place that it had, and by no other', async () => {
    const nics = ['00012', '00020', '00038', '00046'];
    const found = await Promise.all(nics.map((nic) => find(abroad + nic)));
    expect(found).toEqual([true, true, true, false]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});

/**
 * From the stock of October on, the unit `leaving` is a duplicate of an older unit, and the unit `kept` of a newer
 * unit.
 */
describe('a duplicate', () => {
  const [older, leaving, kept, newer] = [number(1), number(2), number(3), number(4)] as const;
  const run = (date: string, sirens: string[], ...duplicates: Duplicate[]) =>
    runUnits(db, date, Object.fromEntries(sirens.map((siren) => [siren, []])), duplicates);

  test.each(['2026-10-31', '2026-11-30'])(
    'is one company with the unit that stays, and the tables agree on %s',
    async (date) => {
      if (date === '2026-10-31') await run('2026-09-30', [older, leaving, kept, newer]);
      await run(date, [older, newer], [older, leaving], [newer, kept]);
      const { rows } = await db.pool.query(
        `select string_agg(entry_key, ' ' order by entry_key) as sirens
         from registry.entry where entry_key = any($1)
         group by company_id order by sirens`,
        [[older, leaving, kept, newer]],
      );
      expect(rows).toEqual([{ sirens: `${older} ${leaving}` }, { sirens: `${kept} ${newer}` }]);
      expect(await verify(db, 'sirene')).toEqual([]);
    },
  );

  test('tells once that its number changed', async () => {
    expect(await readEvents(db, '2026-10-31')).toEqual([
      `${older} COMPANY_REGISTRY_NUMBER_CHANGED: ${leaving} → ${older}`,
      `${newer} COMPANY_REGISTRY_NUMBER_CHANGED: ${kept} → ${newer}`,
    ]);
    expect(await readEvents(db, '2026-11-30')).toEqual([]);
  });
});

describe('a day that cannot be', () => {
  const [known, fresh, still] = [number(300), number(301), number(302)] as const;
  const first = '0001-01-16';
  const last = '5015-04-05';
  const run = (date: string, unit: StockRow, seat: StockRow, more: Units = {}) =>
    runUnits(db, date, { [known]: [unit, { '00012': seat }], ...more, [still]: [] });
  const freshOf = (begun: string): Units => ({
    [fresh]: [
      { dateCreationUniteLegale: begun },
      { '00012': { dateCreationEtablissement: begun, dateDebut: begun } },
    ],
  });

  beforeAll(async () => {
    await run('2026-12-31', {}, {});
    const closed = { etatAdministratifUniteLegale: 'C', dateDebut: last };
    await run(
      '2027-01-31',
      { ...closed, dateCreationUniteLegale: first, denominationUniteLegale: 'ATELIER NEUF' },
      { etatAdministratifEtablissement: 'F', dateDebut: last },
      freshOf(first),
    );
  });

  test('is noted, and the rest of the row counts', async () => {
    expect(await verify(db, 'sirene')).toEqual([]);
    expect(await readEvents(db, '2027-01-31')).toEqual([
      `${known} COMPANY_CLOSED_DATE:  → 2027-01-31`,
      `${known} COMPANY_NAME_CHANGED: ATELIER ${known} → ATELIER NEUF`,
      `${fresh} COMPANY_REGISTERED:  → ATELIER ${fresh}`,
    ]);
    const { rows } = await db.pool.query<{ text: string }>(
      `select concat_ws(' ', subject, value, row_count) as text
       from registry.notice where run_id = (select max(run_id) from registry.run) order by 1`,
    );
    expect(rows.map(({ text }) => text)).toEqual([
      `date end_date ${last} 1`,
      `date establishment date_creation ${first} 1`,
      `date establishment date_debut ${first} 1`,
      `date establishment date_debut ${last} 1`,
      `date start_date ${first} 2`,
    ]);
  });

  test('is not known of a new unit, and leaves the known day of another one', async () => {
    const { rows } = await db.pool.query(
      `select entry_key as siren, status, start_date, end_date, part.units #> '{0,dates}' as dates
       from registry.entry cross join lateral registry.show_parts(entry) as part
       where entry_key = any($1) order by entry_key`,
      [[known, fresh]],
    );
    expect(rows).toEqual([
      {
        siren: known,
        status: 'DELETED',
        start_date: '2019-03-01',
        end_date: null,
        dates: [{ type: 'Date de création', date: '2019-03-01' }],
      },
      { siren: fresh, status: 'ACTIVE', start_date: null, end_date: null, dates: [] },
    ]);
  });

  test('tells nothing of a new unit when the right one comes, and of another one how the known day changed', async () => {
    const closed = { etatAdministratifUniteLegale: 'C', dateDebut: '2027-01-15' };
    const seat = { etatAdministratifEtablissement: 'F', dateDebut: '2027-01-15' };
    const more = { denominationUniteLegale: 'ATELIER NEUF', dateCreationUniteLegale: '2019-03-02' };
    await run('2027-02-27', { ...closed, ...more }, seat, freshOf('2015-01-01'));
    expect(await readEvents(db, '2027-02-27')).toEqual([
      `${known} COMPANY_START_DATE_CHANGE: 2019-03-01 → 2019-03-02`,
    ]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});

describe('the mark in any column', async () => {
  const own = await createTestDatabase();
  const sirens = ['990400004', '990400012', '990400020', '990400038', '990400046'] as const;
  const marked: [unit: StockRow, place: StockRow, branch: StockRow][] = [
    [{ identifiantAssociationUniteLegale: '[ND]' }, {}, {}],
    [{}, { complementAdresseEtablissement: '[ND]' }, { complementAdresseEtablissement: '[ND]' }],
    [{}, { codePostalEtablissement: '[ND]' }, { codePostalEtablissement: '[ND]' }],
    [{}, { libelleCommuneEtablissement: '[ND]' }, { libelleCommuneEtablissement: '[ND]' }],
    [
      { categorieJuridiqueUniteLegale: '[ND]', activitePrincipaleUniteLegale: '[ND]' },
      { enseigne1Etablissement: '[ND]', numeroVoieEtablissement: '[ND]' },
      { enseigne1Etablissement: '[ND]', libelleVoieEtablissement: '[ND]' },
    ],
  ];
  const sign: StockRow = { enseigne1Etablissement: 'AU QUAI' };
  const rna: StockRow = { identifiantAssociationUniteLegale: 'W691099001' };

  test('is never shown, and is no change when it comes and when it goes', async () => {
    const runMarked = (date: string, isMarked: boolean) => {
      const of = (row: StockRow) => (isMarked ? row : {});
      return runStock(
        own,
        date,
        sirens.map((siren, at) => makeUnit(siren, { ...rna, ...of(marked[at]![0]) })),
        sirens.flatMap((siren, at) => [
          makeEstablishment(siren, '00012', of(marked[at]![1])),
          makeEstablishment(siren, '00020', { ...sign, ...of(marked[at]![2]) }),
        ]),
      );
    };
    await runMarked('2026-11-15', false);
    await runMarked('2026-11-16', true);
    expect(await readEvents(own, '2026-11-16')).toEqual([]);
    expect(await findClearText(own, '', ['[nd]'])).toEqual([]);
    expect(await verify(own, 'sirene')).toEqual([]);
    const { rows } = await own.pool.query(
      `select (select count(*)::int from registry.entry where numbers ? 'RNA') as shown,
         (select count(*)::int from registry.past_number) as kept`,
    );
    expect(rows).toEqual([{ shown: sirens.length - 1, kept: 0 }]);
    await runMarked('2026-11-17', false);
    expect(await readEvents(own, '2026-11-17')).toEqual([]);
    expect(await verify(own, 'sirene')).toEqual([]);
  });
});

test('the first stock after deltas is a first snapshot: only what later dumps bring is registered', async () => {
  const late = await createTestDatabase();
  await runSource(late, 'sirene', '2026-11-03', { now: () => new Date('2027-03-01T05:00:00Z') });
  const [one, two] = [number(400), number(401)] as const;
  const days = ['2026-11-30', '2026-12-31'] as const;
  await runUnits(late, days[0], { [one]: [] });
  await runUnits(late, days[1], { [one]: [], [two]: [] });
  const { rows } = await late.pool.query(
    `select event_date, siren, new_value from analyst.event where event_class = 'initialization'`,
  );
  expect(rows).toEqual([{ event_date: days[1], siren: two, new_value: `ATELIER ${two}` }]);
});
