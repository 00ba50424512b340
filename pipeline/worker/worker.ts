import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { format } from 'node:util';
import { run } from 'graphile-worker';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { connect, queryFile } from '../../sql/connection/database.ts';
import { openKysely } from '../../sql/connection/kysely.ts';
import { openPool } from '../../sql/connection/pool.ts';
import { readSecretKey } from '../../sql/secrets/secret-key.ts';
import { createAgent } from '../../sql/webhook/address.ts';
import type { Environment } from '../environment.ts';
import { webhookCall, webhooks } from '../figures/webhook-retries.ts';
import { worker as figures } from '../figures/worker-pauses.ts';
import { type FetchEnvironment, readFetchEnvironment } from '../fetch/environment.ts';
import { createOnDemandSources } from '../import/services.ts';
import { sweepWatches } from '../import/import.ts';
import type { SendOptions } from '../mail/send.ts';
import { createFileDelivery, createSmtpDelivery, mailFolder } from '../mail/transport.ts';
import { whenAborted } from '../signals.ts';
import { deliverWebhooks } from '../webhooks/deliver.ts';
import { repeat } from './liveness.ts';
import { serveMetrics } from './metrics.ts';
import { createComplaints, describeQueue, type QueueName, type QueueOptions } from './queue.ts';

/**
 * Does the jobs of the queue and calls webhooks until the signal is aborted, then waits up to 20 seconds for what is
 * under way.
 * Parallel workers take over the jobs of a killed worker. The database schema has to be up to date.
 *
 * @param settings.services the registries that can be asked; absent: those with settings in the environment
 */
export async function runWorker(
  settings: Environment & { services?: FetchEnvironment },
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const sources = createOnDemandSources(settings.services ?? readFetchEnvironment());
  const secretKey = await readSecretKey(settings.DATA_DIR, settings.SECRET_KEY);
  // The worker opens its own pool: an interruption of the command ends the sessions of the command's pool.
  const db = await connect({ ...settings, applicationName: 'registry-worker' });
  const mailPool = openPool({ ...db.connection, connectionTimeoutMillis: figures.patience_ms });
  const mail: SendOptions = {
    pool: mailPool,
    deliver: settings.SMTP_URL
      ? createSmtpDelivery(settings.SMTP_URL)
      : createFileDelivery(mailFolder(settings.DATA_DIR)),
    sender: settings.MAIL_FROM,
    secretKey,
    baseUrl: settings.BASE_URL,
    now: () => new Date(),
  };
  const metrics = settings.metrics && (await serveMetrics(db.pool, settings.metrics, 'worker'));
  // The queue also writes to the console (graphile-worker 0.18.0), but stderr holds lines of the log only.
  const log = (...values: unknown[]) => {
    const text = format(...values);
    // The queue itself logs every line that begins with `Trace: `.
    if (!text.startsWith('Trace: ')) logger.warn(text);
  };
  Object.assign(console, { error: log, warn: log });
  const complain = createComplaints(logger);
  const onFault = (error: Error) => complain('error', 'the job queue has stopped', error);
  const options = { db, mail, sources, settings, logger, complain };
  const runAgain = (name: QueueName) =>
    repeat(() => runQueue(name, options, signal), figures.pause_ms, signal, onFault);
  await Promise.all([
    runAgain('mail'),
    runAgain('import'),
    callWebhooks(settings, db.connection, secretKey, complain, signal),
  ]);
  metrics?.close().closeAllConnections();
  // The wait for closed pools is brief: a mail that was cut off, and a server that is away, still hold a session.
  const closed = mailPool.end().then(() => db.close());
  await Promise.race([closed, delay(figures.closing_ms, undefined, { ref: false })]);
}

/** Calls webhooks until the signal is aborted, with sessions of its own. */
async function callWebhooks(
  { WEBHOOK_ALLOW_PRIVATE: allowPrivate }: Environment,
  connection: ClientConfig,
  secretKey: string,
  complain: QueueOptions['complain'],
  signal: AbortSignal,
): Promise<void> {
  const { patience_ms } = figures;
  const pool = openPool({ ...connection, patience_ms, max: webhooks.sessions });
  // PostgreSQL would plan the query of a feed at each execution, which takes longer than the query.
  const setting = `set plan_cache_mode = 'force_generic_plan'`;
  pool.on('connect', (client) => void client.query(setting).catch(() => undefined));
  const agent = createAgent({ ...webhookCall, allowPrivate });
  const options = { db: openKysely(pool), agent, secretKey };
  const onFault = (error: Error) => complain('error', 'Webhooks cannot be called', error);
  const deliver = () => deliverWebhooks(options, signal, onFault);
  await repeat(deliver, figures.pause_ms, signal, onFault);
  await Promise.race([pool.end(), delay(figures.closing_ms, undefined, { ref: false })]);
}

/** Runs a queue until the signal is aborted or the queue stops by itself, for example when its database is away. */
async function runQueue(
  name: QueueName,
  options: QueueOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, mail, sources, logger, complain } = options;
  const end = new AbortController();
  let sweeping: Promise<unknown> | undefined;
  try {
    const runner = await run(describeQueue(name, options, end.signal));
    logger.info({ queue: name }, 'the worker is ready');
    const either = AbortSignal.any([signal, end.signal]);
    const onFault = (error: Error) =>
      complain('warn', 'What was left behind cannot be looked for', error);
    const sweep = () =>
      name === 'mail' ? sweepJobs(mail, logger) : sweepWatches(db, sources, mail.now());
    sweeping = repeat(sweep, figures.sweep_ms[name], either, onFault);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= runner.stop());
    // The queue fails for good when the session of its first query is lost, and reports this in debug messages
    // alone (graphile-worker 0.18.0, taskIdentifiers.ts): it is stopped, and started again.
    runner.events.once('worker:getJob:error', ({ error }) => {
      complain('warn', 'Jobs cannot be looked for, the queue starts anew', error);
      stop().catch(() => undefined);
    });
    const stopped = whenAborted(signal).then(stop);
    const over = runner.promise.then(() => (signal.aborted ? stopped : undefined));
    // A queue that ends may wait for ever for jobs that it could not mark as done (graphile-worker 0.18.0, main.ts,
    // `batch`).
    const ending = once(runner.events, 'pool:gracefulShutdown');
    const cutOff = async () => {
      await ending;
      const grace_ms = signal.aborted ? figures.grace_ms : figures.faultGrace_ms;
      await delay(grace_ms, undefined, { ref: false, signal: end.signal });
      logger.warn('What was under way is cut off, and begun again another time');
    };
    const cut = cutOff();
    // The promise that loses the race below may still fail.
    for (const promise of [stopped, cut]) promise.catch(() => undefined);
    await Promise.race([over, cut]);
  } finally {
    // The liveness lock ends last: until here, jobs of the queue were under way.
    end.abort();
    await sweeping;
  }
}

/**
 * Gives back the jobs of lost workers, for which graphile-worker would wait four hours, and fails the mails whose jobs
 * never ended.
 */
async function sweepJobs({ pool, now }: SendOptions, logger: Logger): Promise<void> {
  const [released] = await queryFile<{ workers: string[] }>(pool, 'mail/release_jobs.sql');
  for (const worker of released?.workers ?? []) {
    logger.warn({ worker }, 'the jobs of a worker that is gone are given back');
  }
  const failed = await queryFile<object>(pool, 'mail/fail_mails.sql', [now()]);
  for (const row of failed) logger.error(row, 'mail: failed');
}
