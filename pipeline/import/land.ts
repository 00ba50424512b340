import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { warsawDate } from '../calendar.ts';
import { runNightly } from '../night/nightly.ts';
import { AlreadyRunning } from '../errors.ts';
import type { DumpLine, OnDemandSource } from './on-demand.ts';

/** Until a landing is tried again while a night runs. */
const pause_ms = 1_000;

export interface Landing {
  db: Database;
  logger: Logger;
  now: () => Date;
  signal: AbortSignal;
}

/**
 * Writes what a registry answered into the tables, by a night of its own whose dump holds these
 * lines. Waits while another night runs.
 */
export async function landAnswers(
  { db, logger, now, signal }: Landing,
  source: OnDemandSource,
  lines: readonly DumpLine[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-import-'));
  try {
    for (const [file, ofFile] of Map.groupBy(lines, (line) => line.file)) {
      const texts = [...(source.header ? [source.header] : []), ...ofFile.map(({ line }) => line)];
      await writeFile(join(folder, file), `${texts.join('\n')}\n`);
    }
    const night = {
      source: source.source,
      path: folder,
      dump_date: warsawDate(now()),
      isImport: true,
      now,
      reporter: {
        step: () => undefined,
        progress: () => undefined,
        note: (sentence: string) => logger.info(`import: ${sentence}`),
      },
    };
    for (;;) {
      try {
        await runNightly(db, night);
        return;
      } catch (error) {
        if (!(error instanceof AlreadyRunning)) throw error;
      }
      await delay(pause_ms, undefined, { signal });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
