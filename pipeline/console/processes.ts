import { setFlagsFromString } from 'node:v8';
import { readTogether } from '../../sql/process/environment.ts';
import { sayAtOnce } from '../../sql/process/log.ts';
import { nameMisspelt } from '../../sql/process/misspelt.ts';
import { readEnvironment, shape } from '../environment.ts';
import { readFetchEnvironment, shape as fetchShape } from '../fetch/environment.ts';
import { endSignal } from '../signals.ts';
import { print } from './print.ts';
import { whyNoReader } from './psql.ts';
import { withDatabase } from './session.ts';

/** Logs a warning for each environment variable whose name looks like a misspelt name of a setting of `command`. */
export async function warnOfMisspelt(command: string): Promise<void> {
  const more = command === 'serve' ? (await import('../../api/environment.ts')).shape : fetchShape;
  const settings = Object.keys({ ...shape, ...more });
  for (const hint of nameMisspelt(process.env, settings)) sayAtOnce('warn', hint);
}

export async function migrateSchema(): Promise<void> {
  await withDatabase(async ({ pool }, { applied }) => {
    print(applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['up to date']);
    const reason = await whyNoReader(pool);
    if (reason !== undefined) process.stderr.write(`${reason}\n`);
  });
}

/** Applies the missing migrations, then runs the API in this process, with the API's signals and exit codes. */
export async function serve(): Promise<void> {
  const { readEnvironment: readApiEnvironment } = await import('../../api/environment.ts');
  readTogether([readEnvironment, readApiEnvironment]);
  await withDatabase(async () => {});
  await import('../../api/main.ts');
}

export async function work(): Promise<void> {
  // With V8's default flags, calls of 1,000 webhooks grow the heap by 100 MB; these flags collect garbage more often.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
  readTogether([readEnvironment, readFetchEnvironment]);
  const session = await withDatabase((_, each) => Promise.resolve(each));
  const { runWorker } = await import('../worker/worker.ts');
  await runWorker(session.environment, session.logger, endSignal().signal);
  // One second after `runWorker` has returned, the process ends even if an interrupted job still runs.
  setTimeout(() => process.exit(), 1_000).unref();
}
