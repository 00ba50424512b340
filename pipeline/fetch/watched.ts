import { type Database, runFile } from '../../sql/database.ts';

/** Which of these companies, by REGON9, are watched. */
export async function findWatched(
  { pool }: Database,
  regons: readonly string[],
): Promise<string[]> {
  const [result] = await runFile(pool, 'import/find_watched.sql', [regons]);
  return (result!.rows as { regon9: string }[]).map(({ regon9 }) => regon9);
}
