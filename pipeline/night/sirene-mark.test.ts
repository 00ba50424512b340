import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runStock } from '../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeUnit, type StockRow } from '../../fixtures/dump/sirene-stock.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { verify } from './verify.ts';

const db = await createTestDatabase();

describe('the mark in any column', () => {
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
        db,
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
    expect(await readEvents(db, '2026-11-16')).toEqual([]);
    expect(await findClearText(db, '', ['[nd]'])).toEqual([]);
    expect(await verify(db, 'sirene')).toEqual([]);
    const { rows } = await db.pool.query(
      `select (select count(*)::int from registry.entry where numbers ? 'RNA') as shown,
         (select count(*)::int from registry.past_number) as kept`,
    );
    expect(rows).toEqual([{ shown: sirens.length - 1, kept: 0 }]);
    await runMarked('2026-11-17', false);
    expect(await readEvents(db, '2026-11-17')).toEqual([]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});
