import {
  type JobHelpers,
  parseCronItems,
  Logger as QueueLogger,
  type LogLevel,
  type RunnerOptions,
  type TaskList,
} from 'graphile-worker';
import type pg from 'pg';
import type { Level, Logger } from 'pino';
import type { Environment } from '../environment.ts';
import { worker as figures } from '../figures/worker-pauses.ts';
import { importAwaited, type OnDemandSource } from '../import/import.ts';
import { sendMail, type SendOptions } from '../mail/send.ts';
import type { Database } from '../../sql/connection/database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { keepAlive } from './liveness.ts';
import { applyRetention } from './retention.ts';

export type QueueName = keyof typeof figures.slots;

export interface QueueOptions {
  db: Database;
  mail: SendOptions;
  sources: readonly OnDemandSource[];
  settings: Environment;
  logger: Logger;
  complain: Complain;
}

/** Returns the options of a queue with its tasks. @param signal aborted when the worker has ended */
export function describeQueue(
  name: QueueName,
  options: QueueOptions,
  signal: AbortSignal,
): RunnerOptions {
  const { pool } = name === 'mail' ? options.mail : options.db;
  let alive: Promise<void> | undefined;
  // The hook runs before the first job; jobs carry the id of the worker pool.
  const hooks = {
    startWorker: (_: unknown, { worker }: { worker: { workerPool: { id: string } } }) =>
      (alive ??= keepAlive(pool, worker.workerPool.id, signal)),
  };
  return {
    pgPool: withSafeRelease(pool),
    concurrency: figures.slots[name],
    taskList: createTasks(options)[name],
    // These cron items replace a file in the working directory. The job of an hour without a worker runs later.
    parsedCronItems: parseCronItems(
      name === 'mail'
        ? []
        : [{ task: 'delete_done', match: '17 * * * *', options: { backfillPeriod: 3_600_000 } }],
    ),
    noHandleSignals: true,
    logger: logInto(options),
    preset: {
      // A delay of 0 turns on batches of done jobs: the queue retries them, and waits for them at its end.
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      plugins: [{ name: 'liveness', version: '1.0.0', worker: { hooks } }],
    },
  };
}

function createTasks(options: QueueOptions): Record<QueueName, TaskList> {
  const { db, mail, sources, settings, logger } = options;
  return {
    mail: {
      send_mail: async (payload: unknown, { job }: JobHelpers) => {
        const { mail_id } = payload as { mail_id: number };
        const log = logger.child({ mail_id, attempt: job.attempts });
        const sending = await sendMail(mail, mail_id, job.attempts >= job.max_attempts);
        if (sending.state === 'failed') log.error(sending, 'mail: failed');
        else if (sending.state !== 'queued') log.info(sending, `mail: ${sending.state}`);
        else {
          log.warn(sending, 'mail: waits for another attempt');
          throw new AnotherAttempt(sending.reason);
        }
      },
    },
    import: {
      delete_done: async () => {
        const counts = await applyRetention(db.pool, settings, mail.now());
        logger.info(counts, 'mail: done mails and one-time tokens are deleted');
      },
      import: (_payload: unknown, { abortSignal: signal }: JobHelpers) =>
        importAwaited({ db, logger, sources, now: mail.now, signal }),
    },
  };
}

/**
 * Makes a session ignore a second release. The queue releases its listening session twice if the session is lost
 * during the shutdown (graphile-worker 0.18.0, main.ts, `listenForChanges`).
 */
function withSafeRelease(pool: pg.Pool): pg.Pool {
  type Callback = Parameters<typeof pool.connect>[0];
  const connect = (callback?: Callback) => {
    if (!callback) return pool.connect();
    return pool.connect((error, client, release) => {
      let isReleased = false;
      const releaseOnce: typeof release = (reason) => {
        if (!isReleased) release(reason);
        isReleased = true;
      };
      // Without a session there is nothing to release.
      callback(error, client, client ? releaseOnce : release);
    });
  };
  return Object.create(pool, { connect: { value: connect } }) as pg.Pool;
}

/** Logs a fault. @param error the cause of the fault, if known */
type Complain = (level: Level, text: string, error?: unknown) => void;

/**
 * Returns a function that logs a lost database once a minute, in one sentence. All slots, sessions and sweeps
 * of a worker lose the database in the same moment.
 */
export function createComplaints(logger: Logger): Complain {
  let said_at = -Infinity;
  return (level, text, error) => {
    if (!isLostConnection(error)) {
      logger[level](error === undefined ? {} : { err: error }, text);
    } else if (performance.now() - said_at >= figures.complaint_ms) {
      said_at = performance.now();
      logger.warn(`The database is away, jobs wait until it is back: ${(error as Error).message}`);
    }
  };
}

/** The error that makes the queue retry a mail; the log has the reason already. */
class AnotherAttempt extends Error {}

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

function logInto({ logger, complain }: QueueOptions): QueueLogger {
  type Meta = { error?: unknown; fatalError?: unknown };
  return new QueueLogger(() => (level: LogLevel, message: string, meta?: Meta) => {
    const error = meta?.error ?? meta?.fatalError;
    if (error instanceof AnotherAttempt) return;
    if (isLostConnection(error)) complain(levels[level], message, error);
    else logger[levels[level]](message);
  });
}
