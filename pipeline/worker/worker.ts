import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from 'graphile-worker';
import type { Logger } from 'pino';
import { connect, type Database, runFile } from '../../sql/database.ts';
import { readSecretKey } from '../../sql/secrets/secret-key.ts';
import type { Environment } from '../environment.ts';
import { type FetchEnvironment, readFetchEnvironment } from '../fetch/environment.ts';
import { createOnDemandSources } from '../import/services.ts';
import { sweepWatches } from '../import/sweep.ts';
import { type SendOptions } from '../mail/send.ts';
import { createFileDelivery, createSmtpDelivery } from '../mail/transport.ts';
import { releaseJobs } from './liveness.ts';
import { type MetricsAddress, serveMetrics } from './metrics.ts';
import { describeQueue, type QueueOptions } from './queue.ts';

/** How often somebody looks for jobs that a worker has left behind. */
const sweep_ms = 10_000;
/** How often somebody looks after what people wait for. */
const watchSweep_ms = 60_000;
/** Before the queue is tried again after a fault. */
const pause_ms = 5_000;
/** What a mail under way gets when the worker is told to end. */
const grace_ms = 20_000;

/** What the worker needs of the settings. */
export type WorkerSettings = Pick<
  Environment,
  'databaseUrl' | 'dataDir' | 'secretKey' | 'baseUrl' | 'smtpUrl' | 'mailFrom'
> & {
  /** The registries that can be asked; absent: as the environment says. */
  services?: FetchEnvironment;
  /** Where `/metrics` is served; absent: nowhere. */
  metrics?: MetricsAddress | undefined;
};

/**
 * Does the jobs of the queue until the signal, then lets those under way come to an end, for 20
 * seconds at most. Any number of workers may run side by side; what one that was killed has left
 * behind is taken up by the others, or by the next. The schema has to be up to date.
 */
export async function runWorker(
  settings: WorkerSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const sources = createOnDemandSources(settings.services ?? readFetchEnvironment());
  const secretKey = await readSecretKey(settings.dataDir, settings.secretKey);
  // A pool of its own, whose sessions nobody else ends.
  const db = await connect({
    databaseUrl: settings.databaseUrl,
    dataDir: settings.dataDir,
    applicationName: 'registry-worker',
  });
  const mail: SendOptions = {
    pool: db.pool,
    deliver: settings.smtpUrl
      ? createSmtpDelivery(settings.smtpUrl)
      : createFileDelivery(mailFolder(settings.dataDir)),
    sender: settings.mailFrom,
    secretKey,
    baseUrl: settings.baseUrl,
    now: () => new Date(),
  };
  const metrics = settings.metrics && (await serveMetrics(db.pool, settings.metrics));
  while (!signal.aborted) {
    try {
      await runQueue({ db, mail, sources }, logger, signal);
    } catch (error) {
      logger.error(error, 'the job queue has stopped');
    }
    await delay(pause_ms, undefined, { signal }).catch(() => undefined);
  }
  metrics?.close().closeAllConnections();
  await Promise.all(sources.map(async (source) => source.close?.()));
  await closeSoon(db);
}

/** Where mails are written that no SMTP server is there for. */
export function mailFolder(dataDir: string): string {
  return join(dataDir, 'mail');
}

/** A mail that was not waited for still holds its session; so does one of a server that is away. */
async function closeSoon(db: Database): Promise<void> {
  await Promise.race([db.close(), delay(5_000, undefined, { ref: false })]);
}

/** Ends with the signal, or when the queue gives up, such as for want of its database. */
async function runQueue(options: QueueOptions, logger: Logger, signal: AbortSignal): Promise<void> {
  const { db, mail, sources } = options;
  const end = new AbortController();
  let sweeping: Promise<unknown> | undefined;
  try {
    const runner = await run(describeQueue(options, logger, end.signal));
    logger.info('the worker is ready');
    const either = AbortSignal.any([signal, end.signal]);
    const sweepNow = () => sweepWatches(db, sources, mail.now());
    sweeping = Promise.all([
      sweep(() => sweepOnce(mail, logger), sweep_ms, logger, either),
      sweep(sweepNow, watchSweep_ms, logger, either),
    ]);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= runner.stop());
    // After a session that was lost at its very first look the queue fails for good, and says nothing
    // above its debug messages (graphile-worker 0.18.0, taskIdentifiers.ts): it is started anew.
    runner.events.once('worker:getJob:error', ({ error }) => {
      logger.warn(`Jobs cannot be looked for, the queue starts anew: ${(error as Error).message}`);
      stop().catch(() => undefined);
    });
    const stopped = whenAborted(signal).then(stop);
    const over = runner.promise.then(() => (signal.aborted ? stopped : undefined));
    const cut = whenAborted(signal)
      .then(() => delay(grace_ms, undefined, { ref: false, signal: end.signal }))
      .then(() => logger.warn('What was under way is cut off, and begun again another time'));
    // Whichever does not come first is no news.
    for (const promise of [stopped, cut]) promise.catch(() => undefined);
    await Promise.race([over, cut]);
  } finally {
    // Only now: until here its jobs were under way.
    end.abort();
    await sweeping;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Takes care, again and again until the signal, of what nobody else would ever touch again. */
async function sweep(
  once: () => Promise<void>,
  every_ms: number,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await once();
    } catch (error) {
      logger.warn(`What was left behind cannot be looked for: ${(error as Error).message}`);
    }
    await delay(every_ms, undefined, { signal }).catch(() => undefined);
  }
}

/** Jobs and mails. */
async function sweepOnce({ pool, now }: SendOptions, logger: Logger): Promise<void> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    for (const worker of await releaseJobs(client)) {
      logger.warn({ worker }, 'the jobs of a worker that is gone are given back');
    }
    const [failed] = await runFile(client, 'mail/fail_mails.sql', [now()]);
    for (const row of failed!.rows as object[]) logger.error(row, 'mail: failed');
    await runFile(client, 'mail/requeue_mails.sql');
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}
