import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { dumpTables, runDump } from '../fixtures/dump/night.ts';
import { verify } from '../pipeline/night/verify.ts';
import type { Database } from './connection/database.ts';
import { migrate } from './migrate.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Returns the rows of all tables after three nights of each registry. */
async function publishFixtures(db: Database): Promise<Record<string, string[]>> {
  for (const day of ['02', '04', '06']) {
    for (const source of ['regon', 'krs', 'ceidg']) {
      const date = `2026-11-${day}`;
      await runDump(db, `${root}fixtures/${source}/${date}`, date, { source });
    }
  }
  for (const source of ['regon', 'krs', 'ceidg']) expect(await verify(db, source)).toEqual([]);
  return dumpTables(db);
}

describe('the locale of the database', () => {
  test('changes nothing of what the nights publish', async () => {
    const ordinary = await createTestDatabase();
    const expected = await publishFixtures(ordinary);
    for (const locale of [
      // With LC_CTYPE C, only ASCII letters have capitals.
      `locale_provider libc lc_collate 'C' lc_ctype 'C'`,
      // In the Turkish locale, the capital of `i` has a dot, and texts are not ordered by their bytes.
      `locale_provider icu icu_locale 'tr'`,
    ]) {
      const db = await createTestDatabase('template0', locale);
      await migrate(db);
      expect(await publishFixtures(db)).toEqual(expected);
    }
  });

  test('is used by no SQL to change or to ignore case', () => {
    const files = globSync(['sql/**/*.sql', 'pipeline/**/*.sql'], { cwd: root });
    const depending = files.filter((file) =>
      /(?<![\w.])(lower|upper|initcap)\((?!email collate "C")|~\*|\bilike\b|, 'g?i'\)/.test(
        readFileSync(`${root}${file}`, 'utf8').replaceAll(/--.*/g, ''),
      ),
    );
    expect(depending).toEqual([]);
  });

  test('may not have another encoding than UTF8', async () => {
    await expect(
      createTestDatabase(
        'template0',
        `encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
      ),
    ).rejects.toThrow(
      'The encoding of the database must be UTF8; it is SQL_ASCII: make one by createdb --template=template0 --encoding=UTF8',
    );
  });
});
