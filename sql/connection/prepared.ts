import { readFileSync } from 'node:fs';
import { CompiledQuery } from 'kysely';
import type { Db } from './kysely.ts';

const texts = new Map<string, string>();

/**
 * Runs the one statement of a `.sql` file, which each connection prepares once, and returns its rows.
 *
 * @param file path below `sql/`, such as `api/charge.sql`; also the name of the statement
 * @param values the values of `$1` …
 */
export async function runPrepared<Row>(db: Db, file: string, values: unknown[]): Promise<Row[]> {
  const text = texts.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  texts.set(file, text);
  // Kysely passes `sql` to `client.query` of pg, which also accepts a named statement instead of a text.
  const statement = { name: file, text } as unknown as string;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement, values));
  return rows;
}
