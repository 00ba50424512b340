import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { insertAccount } from '../fixtures/client/bare-account.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { runSource } from '../fixtures/dump/three-sources.ts';
import { connect, type Database } from './connection/database.ts';
import { migrate } from './migrate.ts';

const shared = await createTestDatabase('template0');

/** Opens a second connection pool, like another process; the pool is closed at the end of the test. */
async function connectAgain(): Promise<Database> {
  const other = await connect({
    DATABASE_URL: shared.url,
    DATA_DIR: '',
    applicationName: 'migrating',
  });
  onTestFinished(() => other.close());
  return other;
}

/** Copies the files of the schema, so that a test can edit them. */
async function copySchema(): Promise<URL> {
  const path = await mkdtemp(join(tmpdir(), 'registry-schema-'));
  for (const part of ['migrations', 'function', 'dictionary', 'country']) {
    await cp(new URL(`${part}/`, import.meta.url), join(path, part), { recursive: true });
  }
  return pathToFileURL(`${path}/`);
}

/** Returns the texts in the column `line` of a query. */
async function lines({ pool }: Database, query: string): Promise<string[]> {
  return (await pool.query<{ line: string }>(query)).rows.map(({ line }) => line);
}

async function edit(folder: URL, file: string, change: (text: string) => string): Promise<void> {
  const url = new URL(file, folder);
  await writeFile(url, change(existsSync(url) ? await readFile(url, 'utf8') : ''));
}

describe('migrate', () => {
  test('started four times at once, applies each migration once', async () => {
    const processes = await Promise.all([1, 2, 3, 4].map(connectAgain));

    const applied = await Promise.all(processes.map((each) => migrate(each)));

    const [names = [], ...others] = applied.filter((each) => each.length > 0);
    expect(names[1]).toBe('0001_schema');
    expect(names).toContain('function/05_text.sql');
    expect(others).toEqual([]);
    expect(await migrate(shared)).toEqual([]);
  });

  test('applies a file of functions again when it has changed', async () => {
    await shared.pool.query(
      `update registry.applied_migration set sha256 = 'old' where name = 'function/05_text.sql'`,
    );
    expect(await migrate(shared)).toEqual(['function/05_text.sql']);
    expect(await migrate(shared)).toEqual([]);
  });

  test('gives an existing database the rows of a changed dictionary', async () => {
    const db = await createTestDatabase();
    for (const day of ['2026-11-02', '2026-11-03']) await runSource(db, 'ceidg', day);
    await insertAccount(db.pool);
    await db.pool.query(`
      insert into customer.payment (
        payment_id, account_id, provider, package_slug, credits, price, currency, state, created_at
      )
      select gen_random_uuid(), account_id, 'local', 'starter', 1, 1, 'pln', 'open', now()
      from customer.account`);
    await db.pool.query(`insert into registry.event (company_id, event_id, entry_id, event_date,
      source, event_type) values (1, 1, 1, '2026-11-02', 'ceidg', 'COMPANY_STRUCK_OFF')`);
    const folder = await copySchema();
    await edit(folder, 'dictionary/event_type.csv', (text) =>
      text
        .replace(/^COMPANY_STRUCK_OFF.*\n/m, '')
        // No event has COMPANY_FAX_REMOVED, which is replaced; an event has COMPANY_NAME_CHANGED, which stays.
        .replace(/^COMPANY_FAX_REMOVED.*\n/m, 'COMPANY_MOVED,high,risk,location,move,,It moved.\n')
        .replace('COMPANY_NAME_CHANGED,warning', 'COMPANY_NAME_CHANGED,critical'),
    );
    await edit(folder, 'dictionary/credit_package.csv', (text) =>
      text.replace(/^starter.*\n/m, '').replace('69900', '59900'),
    );
    await edit(folder, 'dictionary/severity_rank.csv', (text) =>
      text.replace('info,1', 'info,2').replace('notice,2', 'notice,1'),
    );

    expect(await migrate(db, { folder })).toEqual(['function/01_dictionary.sql']);

    expect(
      await lines(
        db,
        `select event_type || ' ' || severity as line from registry.event_type
        where event_type in ('COMPANY_FAX_REMOVED', 'COMPANY_MOVED', 'COMPANY_NAME_CHANGED',
          'COMPANY_STRUCK_OFF') order by 1`,
      ),
    ).toEqual([
      'COMPANY_MOVED high',
      'COMPANY_NAME_CHANGED critical',
      'COMPANY_STRUCK_OFF critical',
    ]);
    expect(
      await lines(
        db,
        `select concat_ws(' ', package_slug, price, is_offered) as line
        from customer.credit_package order by credits`,
      ),
    ).toEqual(['starter 4900 f', 'standard 19900 t', 'business 59900 t', 'enterprise 299900 t']);
    const levels = `select string_agg(severity, ' ' order by rank) as line from registry.severity`;
    expect(await lines(db, levels)).toEqual(['notice info warning high error critical']);
    expect(await migrate(db, { folder })).toEqual([]);
  });

  test('loads each country that it finds, and leaves nothing of one that is gone', async () => {
    const db = await createTestDatabase();
    const folder = await copySchema();
    await rm(new URL('country/fr', folder), { recursive: true });
    await mkdir(new URL('country/xx', folder));
    const [header] = (await readFile(new URL('country/pl/country.csv', folder), 'utf8')).split(
      '\n',
    );
    await edit(folder, 'country/xx/country.csv', () =>
      [header, 'Utopie,Utopia,Asia/Tokyo,en,false,[0-9]{3},[0-9],,,telephone_meaning_xx,'].join(
        '\n',
      ),
    );
    await edit(folder, 'country/xx/region.csv', () => 'code,name,slug\n02,North,north\n');
    await edit(
      folder,
      'country/xx/functions.sql',
      () =>
        `create function registry.telephone_meaning_xx(signs text) returns text
       language sql immutable return ltrim(signs, '9');`,
    );

    await migrate(db, { folder });

    expect(
      await lines(
        db,
        `select concat_ws(' ', country.name, count(*), min(region.name)) as line
        from registry.country join registry.region using (country_code) group by country.name order by 1`,
      ),
    ).toEqual(['Polska 16 dolnośląskie', 'Utopie 1 North']);
    for (const table of ['legal_form', 'activity_section', 'spelling', 'source_rank']) {
      const query = `select distinct country_code as line from registry.${table}`;
      expect([table, await lines(db, query)]).toEqual([table, ['PL']]);
    }
    expect(
      await lines(
        db,
        `select concat_ws(' ', registry.value_meaning(country_code, 'phone', '99-48 99'),
          registry.value_meaning(country_code, 'address', 'ulica Polna 3a')) as line
        from registry.country order by country_code`,
      ),
    ).toEqual(['994899 polna 3 a', '4899 ulica polna 3 a']);
    expect(await migrate(db, { folder })).toEqual([]);
  });

  test('lets no event have a type that the dictionary lacks', async () => {
    await expect(
      shared.pool.query(`insert into registry.event (company_id, event_id, entry_id, event_date,
        source, event_type) values (1, 1, 1, '2026-11-02', 'ceidg', 'COMPANY_UNHEARD_OF')`),
    ).rejects.toThrow('event_event_type_fkey');
  });

  test('ends when its session is ended', async () => {
    // The sessions of `other` are ended too, because the test would not finish with an open session.
    const other = await connectAgain();
    const reader = await shared.pool.connect();
    await reader.query('begin; lock table registry.applied_migration');
    const migrating = migrate(other).catch((error: Error) => error);
    for (let ended = 0; ended === 0;) {
      const { rowCount } = await shared.pool.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where application_name = 'migrating' and wait_event_type = 'Lock'`,
      );
      ended = rowCount!;
    }
    await reader.query('rollback');
    reader.release();
    expect(await migrating).toBeInstanceOf(Error);
  });

  test('gives its lock back after a fault', async () => {
    const folder = await copySchema();
    await edit(folder, 'migrations/9999_wrong.sql', () => 'select 1 / 0');
    await expect(migrate(shared, { folder })).rejects.toThrow(/^Migration 9999_wrong failed: /);
    await edit(folder, 'migrations/9999_wrong.sql', () => 'select 1');
    expect(await migrate(await connectAgain(), { folder })).toEqual(['9999_wrong']);
  });
});
