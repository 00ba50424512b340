import { readFileSync } from 'node:fs';
import type { ClientBase } from 'pg';

const packageFile = new URL('../package.json', import.meta.url);

/** The version of the product, such as `2.0.0`. */
export const productVersion = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string })
  .version;

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * Checks whether this version can upgrade the database. Throws a readable error with the remedy when the database is
 * newer or of another product, or when the login lacks rights. Writes nothing.
 */
export async function requireSuitable(client: ClientBase, version: string): Promise<void> {
  const { rows } = await client.query<{
    login: string;
    name: string;
    may_create: boolean;
    /** The owner of the product's tables; null if the database has no such tables. */
    owner: string | null;
    is_owner: boolean | null;
    /** The existing schemas whose names the product needs for its own schemas, separated by commas. */
    taken: string | null;
  }>(
    `select
       quote_ident(current_user) as login,
       quote_ident(current_database()) as name,
       has_database_privilege(current_database(), 'create')
         and has_database_privilege(current_database(), 'temporary') as may_create,
       of_product.owner,
       pg_has_role(of_product.relowner, 'usage') as is_owner,
       (
         select string_agg(nspname, ', ' order by nspname) from pg_namespace
         where nspname in ('registry', 'customer', 'person', 'analyst', 'billing')
       ) as taken
     from (select) as one
     left join (
       select relowner, quote_ident(pg_get_userbyid(relowner)) as owner from pg_class
       where relname = 'applied_migration' and relnamespace::regnamespace::text = 'registry'
     ) as of_product on true`,
  );
  const { login, name, may_create, owner, is_owner, taken } = rows[0]!;
  if (owner === null && taken !== null) {
    throw new Error(
      `The database ${name} is of another product, which has the schemas ${taken}: make a new one with createdb --template=template0 --encoding=UTF8`,
    );
  }
  if (is_owner === false) {
    throw new Error(
      `The tables of the database ${name} belong to ${owner}, not to ${login}: connect as ${owner}, or restore as ${login}`,
    );
  }
  const newest = owner === null ? undefined : await findNewestRelease(client);
  if (newest !== undefined && compare(version, newest) < 0) {
    throw new Error(
      `The database ${name} is of version ${newest}, this program of ${version}: run version ${newest}, or restore the backup from before the upgrade`,
    );
  }
  if (!may_create) {
    throw new Error(
      `${login} may not create schemas in the database ${name}: its owner or an administrator runs: grant create, temporary on database ${name} to ${login};`,
    );
  }
}

async function findNewestRelease(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ version: string }>(
    `select substr(name, 9) as version from registry.applied_migration where name like 'release %'`,
  );
  const versions = rows.map((release) => release.version);
  return versions.toSorted(compare).at(-1);
}
