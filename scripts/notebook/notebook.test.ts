import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { insertDays } from '../../fixtures/database/published-days.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

interface Cell {
  cell_type: string;
  source: string[];
  outputs?: unknown[];
}

let database: TestDatabase;
let notebook: { nbformat: number; cells: Cell[] };

// The data have a gap before the second day of CEIDG. The notebook does not request the rows of KRS.
beforeAll(async () => {
  notebook = JSON.parse(
    await readFile(new URL('registry.ipynb', import.meta.url), 'utf8'),
  ) as typeof notebook;
  database = await createTestDatabase();
  await insertDays(
    database,
    `('ceidg', '2026-01-30', 0, 0, 0, 93, true),
     ('ceidg', '2026-02-02', 5, 0, 2, 96, false),
     ('krs', '2026-02-02', 0, 0, 0, 10, true)`,
  );
  await database.pool.query(`
    insert into registry.stock_change values
        ('ceidg', '2026-01-30', '14', 'F', null, 'ACTIVE', 70, 0, 0, 0, 0),
        ('ceidg', '2026-01-30', '24', 'F', null, 'SUSPENDED', 20, 0, 0, 0, 0),
        ('ceidg', '2026-01-30', null, null, null, 'DELETED', 3, 0, 0, 0, 0),
        ('ceidg', '2026-02-02', '14', null, null, 'ACTIVE', 3, 5, 2, 0, 0),
        ('krs', '2026-02-02', '14', null, null, 'ACTIVE', 10, 0, 0, 0, 0)
  `);
});

/** Runs a query of the notebook on the views from which the downloadable files are made. Returns the rows. */
async function ask(query: string): Promise<unknown[]> {
  const text = query
    .replaceAll(/'files\/\*\/(\w+)\.parquet'/g, 'analyst.$1')
    .replaceAll('is_suppressed', 'false')
    .replaceAll('$source', `'ceidg'`)
    .replaceAll('$first', `'2026-01-30'`)
    .replaceAll('$newest', `'2026-02-02'`);
  const { rows } = await database.pool.query<unknown[]>({ text, rowMode: 'array' });
  return rows;
}

test('The notebook is kept without outputs', () => {
  expect(notebook.nbformat).toBe(4);
  const code = notebook.cells.filter(({ cell_type }) => cell_type === 'code');
  expect(code.map(({ outputs }) => outputs)).toEqual(code.map(() => []));
});

test('The notebook counts what stands, comes and ends in one registry, and its sections', async () => {
  const text = notebook.cells.map(({ source }) => source.join('')).join('\n');
  const queries = [...text.matchAll(/rows\("""(.+?)"""\)/gs)].map(([, query]) => query!);
  expect(await Promise.all(queries.map(ask))).toEqual([
    [['0', '7']],
    [
      ['2026-01-30', '70', '90'],
      ['2026-02-02', '73', '93'],
    ],
    [['2026-02-02', '5', '2']],
    [
      ['without a section', '3', '0'],
      ['F  Construction', '70', '20'],
    ],
  ]);
});
