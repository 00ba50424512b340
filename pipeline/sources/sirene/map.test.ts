import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import { readEvents, runSirene, runStock } from '../../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeUnit, type StockRow } from '../../../fixtures/dump/sirene-stock.ts';
import { verify } from '../../night/verify.ts';

const number = (at: number) => String(990_300_000 + at);

const person: StockRow = {
  categorieJuridiqueUniteLegale: '1000',
  denominationUniteLegale: '',
  nomUniteLegale: 'NULL',
};

/** The test cases: a unit, its head office, and the expected content of the entry. */
const placed: [what: string, unit: StockRow, seat: StockRow, shown: string][] = [
  [
    'a company',
    {
      categorieJuridiqueUniteLegale: '9220',
      identifiantAssociationUniteLegale: 'W691099001',
      sigleUniteLegale: 'ADL',
      denominationUsuelle1UniteLegale: 'Atelier 990300000',
      denominationUsuelle3UniteLegale: 'LE QUAI',
      trancheEffectifsUniteLegale: '12',
      anneeEffectifsUniteLegale: '2024',
      categorieEntreprise: 'PME',
      anneeCategorieEntreprise: 'x',
      economieSocialeSolidaireUniteLegale: 'O',
      societeMissionUniteLegale: 'N',
    },
    { numeroVoieEtablissement: '5', indiceRepetitionEtablissement: 'B' },
    'LEGAL 9220 ATELIER {siren}, RUE DES LILAS 5B, 69003 LYON 3EME, 84, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'a person called NULL, by usual first name and married name',
    {
      ...person,
      prenom1UniteLegale: 'ANNE',
      prenomUsuelUniteLegale: 'LISE',
      nomUsageUniteLegale: 'NA',
      pseudonymeUniteLegale: 'LILI',
      trancheEffectifsUniteLegale: '',
    },
    {},
    'NATURAL 1000 LISE NA, RUE DES LILAS 7, 69003 LYON 3EME, 84, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'a first name that is an asterisk',
    { ...person, prenom1UniteLegale: 'PAULE', prenomUsuelUniteLegale: '*' },
    {},
    'NATURAL 1000 PAULE NULL, RUE DES LILAS 7, 69003 LYON 3EME, 84, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'commas, quotes and line breaks',
    { denominationUniteLegale: 'LE CHAT, LA "PLUME"\nET CIE' },
    { complementAdresseEtablissement: 'BATIMENT A,\nETAGE 2' },
    'LEGAL 5710 LE CHAT, LA "PLUME" ET CIE, RUE DES LILAS 7/BATIMENT A, ETAGE 2, 69003 LYON 3EME, 84, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'a house number with a dash at its end',
    {},
    { numeroVoieEtablissement: '7-', indiceRepetitionEtablissement: '' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7-, 69003 LYON 3EME, 84, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'no day of creation and no activity',
    { dateCreationUniteLegale: '1900-01-01', activitePrincipaleUniteLegale: '00.00Z' },
    {
      typeVoieEtablissement: 'AV',
      numeroVoieEtablissement: '11',
      dernierNumeroVoieEtablissement: '17',
    },
    'LEGAL 5710 ATELIER {siren}, AVENUE DES LILAS 11-17, 69003 LYON 3EME, 84, ACTIVE',
  ],
  [
    'the code of an old classification, of a unit that was purged',
    {
      unitePurgeeUniteLegale: 'true',
      etatAdministratifUniteLegale: 'C',
      dateDebut: '',
      dateCreationUniteLegale: '',
      activitePrincipaleUniteLegale: '22.02',
      nomenclatureActivitePrincipaleUniteLegale: 'NAP',
    },
    { etatAdministratifEtablissement: 'F' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 LYON 3EME, 84, DELETED',
  ],
  [
    'a form that INSEE does not list',
    { categorieJuridiqueUniteLegale: '5999' },
    { codeCommuneEtablissement: '2A004', libelleCommuneEtablissement: 'AJACCIO' },
    'LEGAL 5999 ATELIER {siren}, RUE DES LILAS 7, 69003 AJACCIO, 94, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'overseas',
    {},
    { codeCommuneEtablissement: '97411', libelleCommuneEtablissement: 'LA POSSESSION' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 LA POSSESSION, 04, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'in no region',
    {},
    { codeCommuneEtablissement: '97502', libelleCommuneEtablissement: 'SAINT-PIERRE' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 SAINT-PIERRE, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'abroad',
    {},
    {
      codeCommuneEtablissement: '',
      libelleCommuneEtablissement: '',
      libelleCommuneEtrangerEtablissement: 'MILANO',
      codePaysEtrangerEtablissement: '99127',
      libellePaysEtrangerEtablissement: 'ITALIE',
    },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 MILANO, IT, 6201Z of 2008, ACTIVE since 2019-03-01',
  ],
  [
    'a closed unit',
    { etatAdministratifUniteLegale: 'C', dateDebut: '2024-06-30' },
    { etatAdministratifEtablissement: 'F', dateDebut: '2024-06-30' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 LYON 3EME, 84, 6201Z of 2008, DELETED since 2019-03-01 until 2024-06-30',
  ],
  [
    'a unit that sleeps',
    {},
    { etatAdministratifEtablissement: 'F', dateDebut: '2025-02-28' },
    'LEGAL 5710 ATELIER {siren}, RUE DES LILAS 7, 69003 LYON 3EME, 84, 6201Z of 2008, SUSPENDED since 2019-03-01 asleep 2025-02-28',
  ],
];

const units = placed.map(([, unit], at) => makeUnit(number(at), unit));
const seats = placed.map(([, , seat], at) => makeEstablishment(number(at), '00012', seat));
/** Three more establishments of the first unit: two are open, and one is closed. */
const branches = [
  makeEstablishment(number(0), '00020', {
    enseigne1Etablissement: 'CHEZ',
    enseigne2Etablissement: 'LULU',
    caractereEmployeurEtablissement: 'O',
  }),
  makeEstablishment(number(0), '00038', { denominationUsuelleEtablissement: 'LE QUAI' }),
  makeEstablishment(number(0), '00046', {
    etatAdministratifEtablissement: 'F',
    enseigne1Etablissement: 'LE TEMPS JADIS',
  }),
];
const establishments = [seats[0]!, ...branches, ...seats.slice(1)];

const db = await createTestDatabase();
await runStock(db, '2026-09-30', units, establishments);

async function readShown(): Promise<string[]> {
  const { rows } = await db.pool.query<{ text: string }>(
    `select concat_ws(
       ', ',
       concat_ws(' ', entity_type, legal_form, name),
       registry.address_line(street, building, apartment, postal_code, city, voivodeship),
       address_country_code,
       activity_main || ' of ' || activity_version,
       concat(
         status, ' since ' || start_date, ' until ' || end_date, ' asleep ' || suspension_date
       )
     ) as text
     from registry.entry
     order by entry_key`,
  );
  return rows.map(({ text }) => text);
}

async function readUnits(siren: string) {
  const { rows } = await db.pool.query<{ entry: { units: string[]; closed: number } }>(
    `select jsonb_build_object(
       'units', (select jsonb_agg(registry.unit_line(unit)) from jsonb_array_elements(units) as unit),
       'closed', cardinality(closed_units)
     ) as entry
     from registry.entry where entry_key = $1`,
    [siren],
  );
  return rows[0]!.entry;
}

/** Returns a unit's other names, each as `type value`, and the unit's attributes. */
async function readStated(siren: string): Promise<{ names: string[]; attributes: object }> {
  const { rows } = await db.pool.query<{ names: string[]; attributes: object }>(
    `select (
       select array_agg(concat_ws(' ', type, value))
       from jsonb_to_recordset(other_names) as stated (type text, value text)
     ) as names, attributes
     from registry.entry where entry_key = $1`,
    [siren],
  );
  return rows[0]!;
}

describe('the mapping of a stock', () => {
  test('says of each unit what its columns mean', async () => {
    const expected = placed.map(([, , , shown], at) => shown.replace('{siren}', number(at)));
    expect(await readShown()).toEqual(expected);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('lists the head office first, then the others that are open, and counts the closed ones', async () => {
    const place = 'RUE DES LILAS 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes';
    const shops = [`20 CHEZ LULU, ${place}`, `38 LE QUAI, ${place}`];
    const listed = ['99030000000012', ...shops.map((unit) => `990300000000${unit}`)];
    expect(await readUnits(number(0))).toEqual({ units: listed, closed: 1 });
  });

  const stated = {
    names: ['acronym ADL', 'sign CHEZ LULU', 'usual_name LE QUAI'],
    attributes: {
      commune: '69383',
      company_category: 'PME',
      employer: 'O',
      mission_company: 'N',
      social_economy: 'O',
      workforce_band: '12 2024',
    },
  };

  test('keeps other names that differ from the shown one, and attributes, each once', async () => {
    expect(await readStated(number(0))).toEqual(stated);
    expect(await readStated(number(1))).toEqual({
      names: ['birth_name LISE NULL', 'pseudonym LILI'],
      attributes: { commune: '69383', employer: '', workforce_band: '' },
    });
    expect(await readStated(number(11))).toMatchObject({ names: null });
  });

  test('knows a unit by SIREN, SIRET and RNA, and rejects none for its check digit', async () => {
    const { rows } = await db.pool.query(
      `select array_agg(identifier_type || ' ' || identifier_value order by rank) as numbers,
         registry.find_company('SIRET', '99030000000038') = min(company_id) as is_found
       from registry.entry cross join lateral registry.entry_numbers(entry)
       where entry_key = $1`,
      [number(0)],
    );
    const numbers = ['SIREN 990300000', 'SIRET 99030000000012', 'RNA W691099001'];
    expect(rows).toEqual([{ numbers, is_found: true }]);
    const run = await db.pool.query('select rejected_count::int as rejected from registry.run');
    expect(run.rows).toEqual([{ rejected: 0 }]);
  });

  test('names a natural person as entrepreneur, with a date in French', async () => {
    const { rows } = await db.pool.query(
      `select part.persons, part.units #> '{0,dates}' as dates
       from registry.entry
       cross join lateral registry.show_parts(entry) as part
       where entry_key = $1`,
      [number(1)],
    );
    expect(rows).toEqual([
      {
        persons: [{ full_name: 'LISE NA', role: 'Entrepreneur individuel' }],
        dates: [{ type: 'Date de création', date: '2019-03-01' }],
      },
    ]);
  });

  test('notes a legal form that is not listed, which is its own slug', async () => {
    const { rows } = await db.pool.query(
      `select subject, value, registry.legal_form_slug('FR', value) as slug from registry.notice`,
    );
    expect(rows).toEqual([{ subject: 'legal form', value: '5999', slug: '5999' }]);
  });

  test('fills both again on entries of an older version, without an event or a count', async () => {
    await db.pool.query(
      `update registry.entry set fingerprint = null, other_names = null, attributes = null`,
    );
    const summary = await runStock(db, '2026-10-01', units, establishments);
    expect(summary).toMatchObject({ new: 0, updated: 0, deleted: 0, events: 0 });
    expect(await readStated(number(0))).toEqual(stated);
    const { rows } = await db.pool.query(
      `select count(*)::int from registry.company
       where changed_snapshot_no = (select max(change_no) from registry.publication)`,
    );
    expect(rows).toEqual([{ count: 13 }]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});

describe('a row of a delta', () => {
  const answer = (siren: string, period: object, more: object = {}) =>
    JSON.stringify({ siren, ...more, periodesUniteLegale: [{ dateFin: null, ...period }] });

  test('says nothing of what it does not contain', async () => {
    const before = await readShown();
    const listed = await readUnits(number(0));
    const { attributes } = await readStated(number(0));
    const lines = [
      answer(
        number(0),
        { dateDebut: '2026-10-01' },
        { dateDernierTraitementUniteLegale: '2026-10-01T05:00:00.123' },
      ),
      // The first of the next two answers lacks a name; the second states a head office that no answer describes.
      answer(number(1), { nomUniteLegale: 'NULL', nomUsageUniteLegale: null }),
      answer(number(2), { nicSiegeUniteLegale: '00099' }),
    ];
    await runSirene(db, '2026-10-02', { 'siren.ndjson': lines.join('\n') });
    expect(await readShown()).toEqual(before);
    expect(await readUnits(number(0))).toEqual(listed);
    expect(await readStated(number(0))).toMatchObject({ attributes });
    expect(await readEvents(db, '2026-10-02')).toEqual([]);
  });

  test('of an establishment changes that one, and the state of its unit', async () => {
    const closed = { dateFin: null, dateDebut: '2026-10-03', etatAdministratifEtablissement: 'F' };
    const line = (siret: string) =>
      JSON.stringify({
        siren: siret.slice(0, 9),
        siret,
        uniteLegale: { etatAdministratifUniteLegale: 'A' },
        periodesEtablissement: [closed],
      });
    const lines = [line('99030000000020'), line(`${number(1)}00012`)];
    await runSirene(db, '2026-10-04', { 'siret.ndjson': lines.join('\n') });
    expect(await readEvents(db, '2026-10-04')).toEqual([
      '990300000 COMPANY_UNIT_CLOSED: 99030000000020 CHEZ LULU, RUE DES LILAS 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes → ',
      '990300001 COMPANY_SUSPENDED:  → 2026-10-03',
    ]);
    expect(await readUnits(number(0))).toMatchObject({ closed: 2 });
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('counts a closed establishment once, however often it is answered, until it opens again', async () => {
    const siren = number(0);
    const period = (state: string, dateDebut: string, dateFin: string | null, changes = true) => ({
      dateFin,
      dateDebut,
      etatAdministratifEtablissement: state,
      changementEtatAdministratifEtablissement: changes,
    });
    const tell = async (date: string, nic: string, ...periodesEtablissement: object[]) => {
      const row = { siren, siret: siren + nic, uniteLegale: {}, periodesEtablissement };
      await runSirene(db, date, { 'siret.ndjson': JSON.stringify(row) });
      return await readUnits(siren);
    };
    const opened = period('A', '2015-01-01', '2021-12-31', false);
    const before = await readUnits(siren);
    // The stock has already counted the establishment 00046 as closed.
    const repeated = [period('F', '2022-01-01', null), opened];
    expect(await tell('2026-10-07', '00046', ...repeated)).toEqual(before);
    // The establishment 00053 opened and closed after the previous dump, and is counted once, as closed.
    const brief = [period('F', '2026-10-08', null), period('A', '2026-10-07', '2026-10-07')];
    const { closed } = before;
    expect(await tell('2026-10-08', '00053', ...brief)).toMatchObject({ closed: closed + 1 });
    expect(await tell('2026-10-09', '00053', ...brief)).toMatchObject({ closed: closed + 1 });
    const again = [period('A', '2026-10-10', null), period('F', '2022-01-01', '2026-10-09')];
    const reopened = await tell('2026-10-10', '00046', ...again);
    expect(reopened.closed).toBe(closed);
    expect(reopened.units).toHaveLength(before.units.length + 1);
    expect(await tell('2026-10-11', '00046', ...again)).toEqual(reopened);
    // A new open establishment does not reduce the count of closed establishments.
    const fresh = period('A', '2026-10-11', null);
    expect(await tell('2026-10-12', '00061', fresh)).toMatchObject({ closed });
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('whose RNA number is removed leaves the SIREN, and verify finds no contradiction', async () => {
    const row = answer(number(0), {}, { identifiantAssociationUniteLegale: '' });
    await runSirene(db, '2026-10-13', { 'siren.ndjson': row });
    expect(await readEvents(db, '2026-10-13')).toEqual([
      '990300000 COMPANY_REGISTRY_NUMBER_CHANGED: W691099001 → ',
    ]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('is rejected where nothing is known of its unit', async () => {
    const period = { dateFin: null, etatAdministratifEtablissement: 'A' };
    const stranger = { siren: '990399999', siret: '99039999900012', uniteLegale: {} };
    const line = JSON.stringify({ ...stranger, periodesEtablissement: [period] });
    const known = answer(number(2), {});
    await runSirene(db, '2026-10-14', { 'siret.ndjson': `${known}\n${line}` });
    const { rows } = await db.pool.query('select line::int, reason from registry.reject');
    expect(rows).toEqual([{ line: 2, reason: 'an establishment without its legal unit' }]);
  });
});
