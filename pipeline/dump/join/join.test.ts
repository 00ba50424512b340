import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import {
  establishmentFile,
  establishmentHeader,
  makeEstablishment,
  makeStock,
  makeUnit,
  type StagedStock,
  stageStock,
  type StockRow,
  toCsv,
  unitFile,
  unitHeader,
} from '../../../fixtures/dump/sirene-stock.ts';

const db = await createTestDatabase();

const [one, two, three] = ['310000003', '320000001', '330000009'] as const;
const closed = { etatAdministratifEtablissement: 'F' };

/** Three units. The first unit has two active establishments beside its head office, and a closed establishment. */
const units = [makeUnit(one), makeUnit(two), makeUnit(three)];
const establishments = [
  makeEstablishment(one, '00004', closed),
  makeEstablishment(one, '00008'),
  makeEstablishment(one, '00012'),
  makeEstablishment(one, '00020'),
  makeEstablishment(two, '00012', { enseigne1Etablissement: 'CHEZ NOUS' }),
  makeEstablishment(three, '00012', closed),
];

function withRow(rows: readonly StockRow[], at: number, more: StockRow): StockRow[] {
  return rows.with(at, { ...rows[at]!, ...more });
}

/** Returns each unit's SIREN, the NICs of its listed establishments, and the number of closed establishments. */
function summarise({ records }: StagedStock) {
  return records.map(({ siren, details, closed_units }) => [
    siren,
    (details as { nic: string }[]).map(({ nic }) => nic).join(' '),
    ((closed_units as string | null) ?? '').split(' ').filter(Boolean).length,
  ]);
}

describe('a legal unit', () => {
  test('is a record with its active establishments, the head office first', async () => {
    const staged = await stageStock(db, makeStock(units, establishments));
    expect(staged.rejects).toEqual([]);
    expect(staged.notices).toEqual([]);
    expect(summarise(staged)).toEqual([
      [one, '00012 00008 00020', 1],
      [two, '00012', 0],
      // Closed establishments are not listed, except a closed head office, because its address is the unit's address.
      [three, '00012', 0],
    ]);
    expect(staged.records[1]).toMatchObject({
      line: '3',
      is_well_formed: true,
      statut_diffusion: 'O',
      date_creation: '2019-03-01',
      denomination: `ATELIER ${two}`,
      categorie_juridique: '5710',
      activite_principale: '62.01Z',
      activite_principale_naf25: '62.10Y',
      nom: null,
      details: [
        { siret: `${two}00012`, numero_voie: '7', code_postal: '69003', enseigne1: 'CHEZ NOUS' },
      ],
    });
  });

  test('is skipped while it and its establishments stay, and read when one of them changes', async () => {
    const { yesterday } = await stageStock(db, makeStock(units, establishments));
    const stageNext = async (nextUnits: StockRow[], nextEstablishments: StockRow[]) =>
      summarise(await stageStock(db, makeStock(nextUnits, nextEstablishments), yesterday));
    expect(await stageNext(units, establishments)).toEqual([]);
    expect(
      await stageNext(withRow(units, 1, { nicSiegeUniteLegale: '00020' }), establishments),
    ).toEqual([[two, '00012', 0]]);
    const moved = withRow(establishments, 1, { libelleVoieEtablissement: 'DES ROSES' });
    expect(await stageNext(units, moved)).toEqual([[one, '00012 00008 00020', 1]]);
    expect(await stageNext(units, withRow(establishments, 3, closed))).toEqual([
      [one, '00012 00008', 2],
    ]);
    // The closed head office of the unit `three` is open now.
    expect(
      await stageNext(units, withRow(establishments, 5, { etatAdministratifEtablissement: 'A' })),
    ).toEqual([[three, '00012', 0]]);
    expect(await stageNext(units, [...establishments, makeEstablishment(three, '00020')])).toEqual([
      [three, '00012 00020', 0],
    ]);
    expect(await stageNext(units, establishments.toSpliced(1, 1))).toEqual([
      [one, '00012 00020', 1],
    ]);
  });

  test('stays the same when columns change that are no data, and when columns come, go or move', async () => {
    const { yesterday } = await stageStock(db, makeStock(units, establishments));
    const touched = makeStock(
      units.map((row) => ({
        ...row,
        dateDernierTraitementUniteLegale: '2026-10-31T06:00:00',
        // The comma puts the value in quotes, so that the row needs the full CSV parser.
        nombrePeriodesUniteLegale: '3,1',
      })),
      establishments.map((row) => ({
        ...row,
        dateDernierTraitementEtablissement: '2026-10-31T06:00:00',
        coordonneeLambertAbscisseEtablissement: '842',
        activitePrincipaleNAF25Etablissement: '62.10Y',
      })),
    );
    expect((await stageStock(db, touched, yesterday)).records).toEqual([]);
    const added = makeStock(units, establishments);
    const coming = ['empreinteUniteLegale', ...unitHeader];
    added[unitFile] = toCsv(
      coming,
      units.map((row) => ({ ...row, empreinteUniteLegale: 'x' })),
    );
    added[establishmentFile] = toCsv(
      establishmentHeader.filter((name) => !/Lambert|NAF25/.test(name)),
      establishments,
    );
    const staged = await stageStock(db, added, yesterday);
    expect(staged.records).toEqual([]);
    expect(staged.notices).toEqual([
      'column empreinteUniteLegale',
      'missing column activitePrincipaleNAF25Etablissement',
      'missing column coordonneeLambertAbscisseEtablissement',
      'missing column coordonneeLambertOrdonneeEtablissement',
    ]);
    const reversed = makeStock(units, establishments);
    reversed[unitFile] = toCsv(unitHeader.toReversed(), units);
    const { records } = await stageStock(db, makeStock(units, establishments));
    const read = (await stageStock(db, reversed)).records;
    const withoutPrint = (rows: typeof records) => rows.map((row) => ({ ...row, fingerprint: '' }));
    expect(withoutPrint(read)).toEqual(withoutPrint(records));
  });

  test('is read without the column of NAF 2025, which the files of January 2027 lack', async () => {
    const files = makeStock(units, establishments);
    const isLeft = (name: string) => !name.includes('NAF25');
    files[unitFile] = toCsv(unitHeader.filter(isLeft), units);
    files[establishmentFile] = toCsv(establishmentHeader.filter(isLeft), establishments);
    const { records, notices, rejects } = await stageStock(db, files);
    expect(records.map((row) => row.activite_principale_naf25)).toEqual([null, null, null]);
    expect([...notices, ...rejects]).toEqual([
      'missing column activitePrincipaleNAF25Etablissement',
    ]);
  });
});

describe('a stock may have', () => {
  test('commas, quotes and line breaks in its texts, and either line end', async () => {
    const rows = withRow(units, 0, {
      denominationUniteLegale: 'DUPONT, FILS "ET" CIE',
      sigleUniteLegale: 'D\nF',
    });
    const files = makeStock(
      rows,
      withRow(establishments, 4, {
        enseigne1Etablissement: 'A, "B"',
        libelleVoieEtablissement: 'C\nD',
      }),
    );
    for (const end of ['\n', '\r\n']) {
      const written = Object.fromEntries(
        Object.entries(files).map(([file, text]) => [file, String(text).replaceAll('\n', end)]),
      );
      const { records, rejects } = await stageStock(db, written);
      expect(rejects).toEqual([]);
      expect(records.map(({ line }) => line)).toEqual(['2', '4', '5']);
      expect(records[0]).toMatchObject({ denomination: 'DUPONT, FILS "ET" CIE', sigle: 'D F' });
      expect(records[1]!.details).toMatchObject([{ enseigne1: 'A, "B"', libelle_voie: 'C D' }]);
      expect(records[2]!.denomination).toBe(`ATELIER ${three}`);
    }
  });

  test('persons called NULL and NA, the day 1900-01-01, and a SIREN that fails its check', async () => {
    const person = { denominationUniteLegale: '', categorieJuridiqueUniteLegale: '1000' };
    const rows = [
      makeUnit('310000004', { dateCreationUniteLegale: '1900-01-01' }),
      makeUnit(two, { ...person, nomUniteLegale: 'NULL', prenom1UniteLegale: 'NA' }),
    ];
    const { records, rejects } = await stageStock(
      db,
      makeStock(rows, [makeEstablishment('310000004'), makeEstablishment(two)]),
    );
    expect(rejects).toEqual([]);
    expect(records).toMatchObject([
      { siren: '310000004', date_creation: '1900-01-01', is_well_formed: true },
      { siren: two, nom: 'NULL', prenom1: 'NA', denomination: null },
    ]);
  });

  test('rows of a small file in any order', async () => {
    const shuffled = makeStock(
      units.toReversed(),
      [3, 5, 0, 4, 2, 1].map((at) => establishments[at]!),
    );
    const { records, rejects } = await stageStock(db, shuffled);
    expect(rejects).toEqual([]);
    const sorted = await stageStock(db, makeStock(units, establishments));
    const bySiren = (rows: typeof records) =>
      rows
        .toSorted((left, right) => (String(left.siren) < String(right.siren) ? -1 : 1))
        .map((row) => ({ ...row, line: '' }));
    expect(bySiren(records)).toEqual(bySiren(sorted.records));
  });

  test('a list of duplicates beside it', async () => {
    const files = {
      ...makeStock(units, establishments),
      'StockDoublons_utf8.csv': `siren,sirenDoublon,dateDernierTraitementDoublon\n${one},${two},2026-10-01T00:00:00\n`,
    };
    const { rejects, notices } = await stageStock(db, files);
    expect([...rejects, ...notices]).toEqual([]);
    const { rows } = await db.pool.query(
      'select line, file_key, fields from stage_sirene.side_row',
    );
    expect(rows).toEqual([
      { line: '2', file_key: 'StockDoublons', fields: { new_key: one, old_key: two } },
    ]);
  });
});
