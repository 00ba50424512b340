import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../exit-codes.ts';
import { print } from './print.ts';
import { endSignal, withDatabase } from './session.ts';

const api = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

export async function migrateSchema(): Promise<void> {
  await withDatabase(async (_, { applied }) => {
    print(applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['up to date']);
  });
}

/** `registry serve`: the API is a process of its own, since the two sides meet only in the database. */
export async function serve(): Promise<void> {
  await withDatabase(async () => {});
  const child = spawn(process.execPath, [api], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise<number>((resolve) =>
    child.once('exit', (code) => resolve(code ?? exitCodes.failed)),
  );
}

export async function work(): Promise<void> {
  const session = await withDatabase((_, each) => Promise.resolve(each));
  const { runWorker } = await import('../worker/worker.ts');
  await runWorker(session.environment, session.logger, endSignal());
  // What was cut off may not keep the process.
  setTimeout(() => process.exit(), 1_000).unref();
}
