import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { administer } from '../fixtures/database/test-cluster.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { runSource, sources } from '../fixtures/dump/three-sources.ts';
import { verify } from '../pipeline/night/verify.ts';
import type { Database } from './connection/database.ts';
import { migrate } from './migrate.ts';

const recorded = new URL('migrations/released.csv', import.meta.url);
const releases = globSync('../fixtures/release/*.sql.gz', { cwd: import.meta.dirname }).toSorted(
  (one, other) => one.localeCompare(other, 'en', { numeric: true }),
);

/** Restores a database of the last release, which contains two days of all registries. */
async function restoreRelease(): Promise<Database> {
  const db = await createTestDatabase('template0');
  const dump = readFileSync(new URL(releases.at(-1)!, import.meta.url));
  await administer(db.url, gunzipSync(dump).toString());
  return db;
}

const inProduct = (namespace: string) => `${namespace}::regnamespace::text in
  ('registry', 'customer', 'person', 'analyst', 'billing')`;

/** The queries that describe the schema, by kind of part (such as a table); a query returns one row per part. */
const parts: Record<string, string> = {
  relation: `select concat_ws(' ', oid::regclass, relkind, relpersistence, reloptions,
      pg_get_expr(relpartbound, oid), obj_description(oid, 'pg_class')) as line
    from pg_class where ${inProduct('relnamespace')}`,
  column: `select concat_ws(' ', attrelid::regclass, row_number() over (partition by attrelid order by attnum),
      attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, collname,
      pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)) as line
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_collation on pg_collation.oid = attcollation
    where ${inProduct('relnamespace')} and attnum > 0 and not attisdropped`,
  constraint: `select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
    from pg_constraint where ${inProduct('connamespace')} and contype <> 'n'`,
  index: `select pg_get_indexdef(indexrelid) as line from pg_index
    join pg_class on pg_class.oid = indexrelid where ${inProduct('relnamespace')}`,
  view: `select concat_ws(' ', oid::regclass, pg_get_viewdef(oid)) as line
    from pg_class where relkind = 'v' and ${inProduct('relnamespace')}`,
  function: `select case prokind when 'a' then oid::regprocedure::text else pg_get_functiondef(oid) end as line
    from pg_proc where ${inProduct('pronamespace')}
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  trigger: `select pg_get_triggerdef(pg_trigger.oid) as line from pg_trigger
    join pg_class on pg_class.oid = tgrelid where not tgisinternal and ${inProduct('relnamespace')}`,
  grant: `select concat_ws(' ', thing, grantee::regrole, privilege_type) as line
    from (
      select oid::regclass::text as thing, relacl as acl from pg_class where ${inProduct('relnamespace')}
      union all
      select nspname, nspacl from pg_namespace where ${inProduct('pg_namespace.oid')}
      union all
      select oid::regprocedure::text, proacl from pg_proc where ${inProduct('pronamespace')}
      union all
      select concat('default ', defaclnamespace::regnamespace), defaclacl from pg_default_acl
    ) as granted
    cross join lateral aclexplode(acl)
    where grantee <> 'postgres'::regrole`,
  extension: `select concat_ws(' ', extname, extnamespace::regnamespace) as line from pg_extension`,
  dictionary: [
    'activity_code',
    'activity_group',
    'activity_recoding',
    'activity_scheme',
    'activity_section',
    'activity_division',
    'activity_recoded',
    'attribute_type',
    'attribute_value',
    'legal_form',
    'country',
    'region',
    'spelling',
    'population',
    'severity',
    'event_type',
    'source_rank',
    'entry_column',
    'identifier_type',
    'reject_code',
    'country_word',
    'region_shape',
  ]
    .map((name) => `select '${name}' || ${name}::text as line from registry.${name}`)
    .concat('select credit_package::text from customer.credit_package')
    .join(' union all '),
  part: `select concat_ws(' ', name, sha256) as line from registry.applied_migration
    where name not like 'release %'`,
};

async function describeSchema({ pool }: Database): Promise<Record<string, string[]>> {
  const described: Record<string, string[]> = {};
  for (const [kind, query] of Object.entries(parts)) {
    const { rows } = await pool.query<{ line: string }>(query);
    expect([kind, rows.length]).not.toEqual([kind, 0]);
    // Parentheses in expressions are removed, because a restored database nests them in another way.
    described[kind] = rows.map(({ line }) => line.replaceAll(/[()]/g, '')).toSorted();
  }
  return described;
}

describe('a release', () => {
  test('has migrations that are never edited', () => {
    const rows = existsSync(recorded) ? readFileSync(recorded, 'utf8').trim().split('\n') : [];
    const edited = rows.slice(1).filter((row) => {
      const [, name, sha256] = row.split(',');
      const file = new URL(`migrations/${name}.sql`, import.meta.url);
      return !existsSync(file) || hash('sha256', readFileSync(file)) !== sha256;
    });
    expect(edited).toEqual([]);
    expect(rows.length > 1).toBe(releases.length > 0);
  });

  test.skipIf(releases.length === 0)(
    'leaves a database that is upgraded to what a new one is, and goes on with its nights',
    async () => {
      const upgraded = await restoreRelease();
      const fresh = await createTestDatabase();
      await migrate(upgraded);
      expect(await migrate(upgraded)).toEqual([]);
      for (const source of sources) await runSource(fresh, source, '2026-11-02');
      expect(await describeSchema(upgraded)).toEqual(await describeSchema(fresh));
      for (const source of sources) {
        expect(await verify(upgraded, source)).toEqual([]);
        await runSource(upgraded, source, '2026-11-04');
        expect(await verify(upgraded, source)).toEqual([]);
      }
      const { rows } = await upgraded.pool.query('select state from customer.watch');
      expect(rows).toEqual([{ state: 'ready' }]);
    },
  );
});
