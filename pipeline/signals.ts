import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../sql/connection/database.ts';
import { sessionsInUse } from '../sql/connection/pool.ts';
import { nights } from './figures/night-timeouts.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof signals)[number];

/** Calls a listener at SIGINT, SIGTERM or SIGHUP. @returns a function that removes the listener */
export function onEndSignal(listener: (signal: Signal) => void): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** The error of work that a signal has aborted; the error's message ends with the consequence for the work. */
export class Interrupted extends Error {
  readonly signal: Signal;

  constructor(signal: Signal, consequence: string) {
    super(`Stopped by ${signal}; ${consequence}`);
    this.signal = signal;
  }
}

/**
 * Returns an AbortSignal that the first SIGINT, SIGTERM or SIGHUP aborts. Signals after the first have no effect,
 * because a terminal and `npm` may both send the same signal.
 *
 * @param consequence the end of the error's message: what happens to the aborted work; absent: the work ends by itself
 */
export function endSignal(consequence?: string) {
  const controller = new AbortController();
  const stopListening = onEndSignal((name) =>
    controller.abort(consequence && new Interrupted(name, consequence)),
  );
  return { signal: controller.signal, stopListening };
}

export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Runs `use`, and aborts `use` at SIGINT, SIGTERM or SIGHUP. An abort terminates the database sessions of `use`, which
 * rolls back their transactions. An abort also marks the process's night run as stopped, and throws `Interrupted`.
 */
export async function interruptible<T>(
  db: Database,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, stopListening } = endSignal('what was under way is rolled back');
  const interruption = whenAborted(signal).then(async () => {
    const ending = endSessions(db, `stopped by ${(signal.reason as Interrupted).signal}`)
      // An unreachable server ends the sessions itself later; the next run of the source marks this run as abandoned.
      .catch(() => undefined);
    await Promise.race([ending, delay(nights.grace_ms, undefined, { ref: false })]);
    throw signal.reason;
  });
  // Without this handler, Node would end the process if `interruption` is rejected before `Promise.race` awaits it.
  interruption.catch(() => undefined);
  try {
    return await Promise.race([use(signal), interruption]);
  } finally {
    // After an abort, `Interrupted` is thrown in place of the work's error, which only says that its sessions ended.
    if (signal.aborted) await interruption;
    stopListening();
  }
}

async function endSessions(db: Database, message: string): Promise<void> {
  // The driver stores the id of a session's server process in `processID`, which its TypeScript types lack.
  const pids = [...sessionsInUse(db.pool)].map(
    (client) => (client as unknown as { processID: number }).processID,
  );
  // A run belongs to this process if a database session of this process holds the lock of the run's source.
  const { rows } = await db.pool.query<{ run_id: string }>(
    `select run.run_id
     from registry.run
     join registry.lock on lock.lock_name = run.source
     where run.state = 'running' and lock.pid = any($1::integer[])`,
    [pids],
  );
  await db.pool.query(
    `select pg_terminate_backend(pid, 5000)
     from pg_stat_activity
     where pid = any($1::integer[])
       and pid <> pg_backend_pid()
       and application_name = current_setting('application_name')`,
    [pids],
  );
  await db.pool.query(
    `with stopped as (
       update registry.run
       set state = 'stopped', finished_at = clock_timestamp(), message = $2
       where run_id = any($1::bigint[]) and state = 'running'
       returning run_id
     )
     select registry.give_back_ids(run_id) from stopped`,
    [rows.map(({ run_id }) => run_id), message],
  );
}
