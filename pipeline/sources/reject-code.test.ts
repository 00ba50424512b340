import { expect, test } from 'vitest';
import { makeReports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { runBad } from '../../fixtures/dump/bad-night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';

const db = await createTestDatabase();

test('a row of CEIDG is rejected with a code', async () => {
  const reports = makeReports();
  const damaged: Record<string, string>[] = [
    { Nip: '1234567890' },
    { Regon: '123456789' },
    { StatusDzialalnosci: 'Jan' },
    { RokPKD: '99' },
    { GlownyKodPkd: '6201' },
    { NazwaPodmiotu: '', Nazwisko: '', Imie: '' },
    { Nip: '1;2' },
  ];
  const lines = reports.mazowieckie!;
  damaged.forEach((fields, at) => {
    lines[at + 1] = withFields(lines[at + 1]!, fields);
  });
  lines.push(lines[20]!, withFields(lines[21]!, { Imie: 'Jan' }));
  await runBad(db, reports, '2026-11-02');
  const { rows: rejects } = await db.pool.query<{ text: string }>(
    `select distinct reject_code || ': ' || reason as text from registry.reject order by text`,
  );
  expect(rejects.map(({ text }) => text)).toEqual([
    'contradiction: contradicts another row of the same entry',
    'damaged_row: 25 fields instead of 24',
    "invalid_nip: the NIP '1234567890' is not valid",
    "invalid_regon: the REGON '123456789' is not valid",
    'no_name: all names are blank',
    'repetition: repeats another row of the same entry',
    "unknown_activity: one of the activities '6201,6202Z,6209Z' is not a code",
    "unknown_activity: the activity version '99' is not known",
    "unknown_status: the status 'Jan' is not known",
  ]);
  const { rows } = await db.pool.query(
    `select reject_code, row_count::int from registry.reject_count order by row_count desc, 1 limit 3`,
  );
  expect(rows).toEqual([
    { reject_code: 'contradiction', row_count: 2 },
    { reject_code: 'unknown_activity', row_count: 2 },
    { reject_code: 'damaged_row', row_count: 1 },
  ]);
});
