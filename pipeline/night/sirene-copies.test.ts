import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { runStock } from '../../fixtures/dump/sirene-night.ts';
import {
  makeEstablishment,
  makeUnit,
  type StockRow,
  withheldPlace,
  withheldUnit,
} from '../../fixtures/dump/sirene-stock.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';

const woman: StockRow = {
  categorieJuridiqueUniteLegale: '1000',
  denominationUniteLegale: '',
  prenomUsuelUniteLegale: 'ZEPHIRINE',
  nomUniteLegale: 'QUINQUEMPOIX',
};
const home: StockRow = { libelleVoieEtablissement: 'DES OUBLIETTES' };

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

describe('a copy of what nobody watches', () => {
  test('goes too: stored answers, challenges and rejected rows', async () => {
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
      `insert into customer.challenge (account_id, company_id, field, right_value, evidence, created_at)
       select $1, company_id, 'address', 'RUE DES OUBLIETTES 7', '', now()
       from registry.entry where entry_key = $2`,
      [searcher.account_id, siren],
    );
    await db.pool.query(
      `insert into registry.reject (run_id, file, line, reason, raw)
       select max(run_id), 'a', 1, 'x', $1 from registry.run`,
      [`${siren}00012;QUINQUEMPOIX`],
    );
    await runStock(
      db,
      '2026-11-14',
      [makeUnit(siren, { ...woman, ...withheldUnit }), units[1]!],
      [makeEstablishment(siren, '00012', withheldPlace), places[1]!],
    );
    expect(await findClearText(db, '', ['quinquempoix', 'oubliettes'])).toEqual([]);
    const { rows } = await db.pool.query(
      'select idempotency_key as key from customer.idempotent_answer',
    );
    expect(rows).toEqual([{ key: neighbour }]);
    expect(JSON.stringify((await ask(siren)).body)).not.toContain('QUINQUEMPOIX');
  });
});
