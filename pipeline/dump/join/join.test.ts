import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../fixtures/database/test-database.ts';
import {
  establishmentFile,
  establishmentHeader,
  makeEstablishment,
  makeStock,
  makeUnit,
  stageStock,
  toCsv,
  unitFile,
  unitHeader,
} from '../../../fixtures/dump/sirene-stock.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const [one, two, three] = ['310000003', '320000001', '330000009'] as const;

test('a legal unit is a record with its establishments, the head office first', async () => {
  const closed = { etatAdministratifEtablissement: 'F' };
  const staged = await stageStock(
    db,
    makeStock(
      [makeUnit(one), makeUnit(two)],
      [
        makeEstablishment(one, '00004', closed),
        makeEstablishment(one, '00008'),
        makeEstablishment(one, '00012', closed),
        makeEstablishment(one, '00020'),
        makeEstablishment(two, '00012', { enseigne1Etablissement: 'CHEZ NOUS' }),
      ],
    ),
  );
  expect(staged.rejects).toEqual([]);
  expect(staged.records).toEqual([]);
});
