import { readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';

type PoolFigures = Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;

/** A row of `registry.sql`. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: string | number;
}

/** How long what the tables say is shown again: a scrape asks for it once. */
const kept_ms = 5_000;

const descriptions: Record<string, { help: string; labels?: readonly string[] }> = {
  registry_database_up: { help: '1 where the last question to the database was answered, else 0.' },
  registry_snapshot_age_seconds: {
    help: 'Since the day of the newest published dump began.',
    labels: ['source'],
  },
  registry_snapshot_entries: { help: 'Entries of the newest snapshot.', labels: ['source'] },
  registry_run_state: { help: 'The state of the last run: always 1.', labels: ['source', 'state'] },
  registry_run_seconds: {
    help: 'What the last run took, by step and in total.',
    labels: ['source', 'step'],
  },
  registry_run_rows: {
    help: 'Rows that the last run read, accepted and rejected, and entries that it changed.',
    labels: ['source', 'kind'],
  },
  registry_refused_in_a_row: {
    help: 'Nights that refused a dump since the last dump was published.',
    labels: ['source'],
  },
  registry_jobs: { help: 'Jobs of the queue.', labels: ['task', 'state'] },
  registry_job_wait_seconds: { help: 'How long the oldest due job waits.', labels: ['task'] },
  registry_mails: {
    help: 'Mails that are queued, and that failed in the last seven days.',
    labels: ['state'],
  },
  registry_mail_wait_seconds: { help: 'How long the oldest queued mail waits.' },
  registry_credits_sold_total: { help: 'Credits that were bought.' },
  registry_credits_spent_total: { help: 'Credits that were withdrawn.' },
  registry_pool_connections: {
    help: 'Sessions of this process, and requests that wait for one.',
    labels: ['state'],
  },
};

/**
 * Adds what the tables say of registries, queue, mails and credits, and what the pool of the process says
 * of itself.
 *
 * @param source.read runs a statement, and gives its rows
 * @returns reads the figures again; to be awaited before the metrics are printed
 */
export function addRegistryMetrics(
  registry: Registry,
  source: { read: (text: string) => Promise<readonly unknown[]>; pool?: PoolFigures | undefined },
): () => Promise<void> {
  const gauges = new Map(
    Object.entries(descriptions).map(([name, { help, labels = [] }]) => [
      name,
      new Gauge({ name, help, labelNames: labels, registers: [registry] }),
    ]),
  );
  const show = (samples: readonly Sample[]) => {
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, labels, value } of [...samples, ...samplesOf(source.pool)]) {
      gauges.get(name)?.set(labels, Number(value));
    }
  };
  let reading: Promise<void> | undefined;
  let read_at = -Infinity;
  const refresh = async () => {
    const text = await readFile(new URL('registry.sql', import.meta.url), 'utf8');
    const up = { name: 'registry_database_up', labels: {} };
    await source.read(text).then(
      (samples) => show([...(samples as Sample[]), { ...up, value: 1 }]),
      () => show([{ ...up, value: 0 }]),
    );
    read_at = performance.now();
  };
  return () => {
    if (performance.now() - read_at < kept_ms) return Promise.resolve();
    return (reading ??= refresh().finally(() => (reading = undefined)));
  };
}

function samplesOf(pool: PoolFigures | undefined): Sample[] {
  if (!pool) return [];
  const { totalCount, idleCount, waitingCount } = pool;
  const figures = { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  return Object.entries(figures).map(([state, value]) => ({
    name: 'registry_pool_connections',
    labels: { state },
    value,
  }));
}
