import { readFileSync } from 'node:fs';
import { CompiledQuery } from 'kysely';
import type { Db } from './kysely.ts';

const texts = new Map<string, string>();

/**
 * Runs the only statement of a `.sql` file, which each session prepares once, and returns the rows.
 *
 * @param file path below `sql/`, such as `api/charge.sql`; also the name of the statement
 * @param values the values of `$1` …
 */
export async function runPrepared<Row>(db: Db, file: string, values: unknown[]): Promise<Row[]> {
  const text = texts.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  texts.set(file, text);
  // Kysely passes `sql` to `client.query` of pg; in place of a text, this function also accepts a named statement.
  const statement = { name: file, text } as unknown as string;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement, values));
  return rows;
}
