import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type Database } from '../../sql/connection/database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { writeDay } from '../../fixtures/generator/ceidg/dump.ts';

/** The dates of the two dumps of a generated country: of the baseline, and of the night after the baseline. */
export const days = ['2026-09-01', '2026-09-02'] as const;

/** Returns the folder with the dumps of a country; generates the dumps if no earlier benchmark has generated them. */
export async function keepDumps(
  country: string,
  write: (half: string) => Promise<void>,
): Promise<string> {
  if (existsSync(country)) return country;
  const half = `${country}.part`;
  await rm(half, { recursive: true, force: true });
  await write(half);
  await rename(half, country);
  return country;
}

export function makeCountry(folder: string, entries: number): Promise<string> {
  return keepDumps(join(folder, `country-${entries}`), async (half) => {
    for (const [day, date] of days.entries()) {
      await writeDay({ seed: 1, entries, from: days[0] }, day, join(half, date));
    }
  });
}

/** Calls `use` with a new embedded database, and deletes the database afterwards. */
export async function inDatabase(
  folder: string,
  use: (db: Database, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(folder, 'registry-bench-'));
  const db = await connect({ DATA_DIR: dataDir, applicationName: 'registry-bench' });
  try {
    await use(db, dataDir);
  } finally {
    await db.close();
    await destroyEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}
