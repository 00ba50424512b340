import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';
import { startScript, type Started } from '../fixtures/process/cli.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const fixture = join(project, 'fixtures', 'third-country');

let db: TestDatabase;
/** The product, with a country beside Poland and France that is no part of it. */
let root: string;

function run(...args: string[]): Started {
  const variables = { DATABASE_URL: db.url, DATA_DIR: join(root, 'data'), PORT: '0' };
  return startScript(join(root, 'pipeline', 'main.ts'), args, variables);
}

async function linesOf(query: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ line: string }>(query);
  return rows.map(({ line }) => line);
}

beforeAll(async () => {
  db = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), 'registry-country-'));
  const filter = (path: string) => !path.endsWith('.test.ts');
  for (const part of ['package.json', 'api', 'pipeline', 'sql', 'scripts']) {
    await cp(join(project, part), join(root, part), { recursive: true, filter });
  }
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
  for (const part of ['pipeline', 'sql']) {
    await cp(join(fixture, part), join(root, part), { recursive: true });
  }
  const migration = run('migrate');
  if ((await migration.end) !== 0) throw new Error(migration.stderr);
}, 60_000);

afterAll(async () => {
  await db.drop();
  await rm(root, { recursive: true });
});

test('a country is files beside the others, and none of the product', async () => {
  const found = await Promise.all(
    ['sql', 'pipeline'].map(async (part) =>
      (await readdir(join(fixture, part), { recursive: true })).map((file) => join(part, file)),
    ),
  );
  const files = found.flat().filter((file) => file.includes('.'));
  expect(files).toHaveLength(11);
  const taken = files.filter((file) => existsSync(join(project, file)));
  expect(taken).toEqual([]);
});

test('two days are published, with the events of the second', async () => {
  for (const date of ['2026-11-02', '2026-11-03']) {
    const night = run('ingest', 'guild', join(fixture, date), '--date', date);
    expect([await night.end, night.sentences()]).toEqual([0, []]);
  }
  expect(
    await linesOf(`select concat_ws(' | ', event_type, name, old_value, new_value) as line
      from analyst.event join analyst.company using (company_id) order by event_id`),
  ).toEqual([
    'COMPANY_NAME_CHANGED | Fig Garden and Sons | Fig Garden | Fig Garden and Sons',
    'COMPANY_ADDRESS_CHANGED | Map Press | Quay Street 2, Anyder, Harbour | Quay Street 5, Anyder, Harbour',
    'COMPANY_STRUCK_OFF | Old Orchard | ACTIVE | 2026-11-03',
  ]);
  expect(await linesOf('select reason as line from analyst.reject')).toEqual([
    "one of the activities '0113Z' is not a code",
  ]);
  const verified = run('verify', 'guild');
  expect([await verified.end, verified.stdout]).toEqual([0, expect.stringContaining('guild')]);
});
