import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireEmbedded, destroyEmbedded } from '../../sql/embedded/embedded.ts';
import type { Measurement } from './load.ts';

/**
 * Runs one benchmark by itself and prints what it measured.
 *
 * @param given the database, as an URL; absent: an embedded server of its own, in an empty folder
 * @returns whether every limit holds
 */
export async function benchAlone(
  bench: (databaseUrl: string) => Promise<Measurement[]>,
  given: string | undefined,
): Promise<boolean> {
  if (given !== undefined) return report(await bench(given));
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-bench-'));
  try {
    return await withServer(dataDir, async (url) => report(await bench(url)));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts an embedded server in a folder for as long as it is used; nothing of it is left. */
export async function withServer<T>(
  dataDir: string,
  use: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const embedded = await acquireEmbedded(dataDir);
  try {
    const { host, port, user, database } = embedded.connection;
    return await use(
      `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    );
  } finally {
    await embedded.release();
    await destroyEmbedded(dataDir);
  }
}

function report(measurements: readonly Measurement[]): boolean {
  for (const { name, measured, limit, holds } of measurements) {
    process.stdout.write(`${name}\n  ${measured}\n  ${limit}: ${holds ? 'holds' : 'FAILS'}\n`);
  }
  return measurements.every(({ holds }) => holds);
}
