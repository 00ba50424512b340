import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import { runStock } from '../../../fixtures/dump/sirene-night.ts';
import {
  establishmentFile,
  makeEstablishment,
  makeUnit,
} from '../../../fixtures/dump/sirene-stock.ts';
import { Refusal } from '../../errors.ts';

const closed = { etatAdministratifEtablissement: 'F' };

test('a stock that lost 3 % of its establishments is refused, although all rows are 98 %', async () => {
  const db = await createTestDatabase();
  const sirens = Array.from({ length: 400 }, (_, at) => String(990_000_000 + at));
  const units = sirens.map((siren) => makeUnit(siren));
  const seats = sirens.map((siren) => makeEstablishment(siren));
  const others = sirens.map((siren) => makeEstablishment(siren, '00020', closed));
  const publish = (count: number, date: string) =>
    runStock(db, date, units, [...seats, ...others.slice(0, count)]);
  await publish(400, '2026-09-30');
  // Entries do not list closed establishments, so the disappearance of a closed establishment causes no event.
  expect(await publish(385, '2026-10-31')).toMatchObject({ events: 0 });
  const error: unknown = await publish(363, '2026-11-30').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect((error as Refusal).findings).toMatchObject([
    {
      guard: 'row_count',
      file: establishmentFile,
      sentence:
        `${establishmentFile}: 763 rows where there were 785 last time: 97.20 %, ` +
        'the limits are 98 % and 105 %',
    },
  ]);
});
