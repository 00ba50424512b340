import type { Pool } from 'pg';
import type { Gauge, Registry } from 'prom-client';
import { queryFile } from '../connection/database.ts';
import type { ServerState } from '../connection/readers.ts';

/** A row of `registry.sql`: a value of a metric with its labels. The metrics omit a row whose value is null. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: string | number | null;
}

/** The help text of each metric, by the metric's name. A metric whose name ends with `_total` is a counter. */
const descriptions: Record<string, string> = {
  registry_process_info: 'What the process is: always 1.',
  registry_database_up: '1 where the last question to the database was answered, else 0.',
  registry_snapshot_age_seconds: 'Since the day of the newest published dump began.',
  registry_snapshot_entries: 'Entries of the newest snapshot.',
  registry_run_state: 'The state of the last run: always 1.',
  registry_run_seconds: 'What the last run took, by step and in total.',
  registry_run_rows:
    'Rows that the last run read, accepted and rejected, and entries that it changed.',
  registry_refused_in_a_row: 'Nights that refused a dump since the last dump was published.',
  registry_jobs: 'Queued mails, and the import while a number is due.',
  registry_job_wait_seconds: 'How long the oldest due job waits.',
  registry_import_accounts: 'Accounts with numbers whose import is due.',
  registry_import_wait_seconds:
    'How long the oldest number of an account is due for its import, over the accounts.',
  registry_mails: 'Mails that are queued, and that failed in the last seven days.',
  registry_mail_wait_seconds: 'How long the oldest queued mail waits.',
  registry_webhooks: 'Webhooks that are active, failing or disabled.',
  registry_credits_sold_total: 'Credits that were bought.',
  registry_credits_spent_total: 'Credits that were withdrawn.',
  registry_reader_up: '1 where a standby answered the last look, else 0.',
  registry_reader_lag_seconds: 'How far a standby is behind.',
  registry_reader_snapshot: 'The number of the newest snapshot of a standby.',
  registry_pool_connections: 'Sessions of this process, and requests that wait for one.',
};

/**
 * Adds the metrics of registries, jobs, mails, webhooks and credits, which are read from tables, and the numbers of the
 * pool's sessions. While the database is unreachable, the metrics that are read from tables are absent.
 */
export function addRegistryMetrics(
  registry: Registry,
  pool: Pool,
  process: 'api' | 'worker' | 'schedule',
  readers: () => ServerState[] = () => [],
): void {
  let pending: Promise<Sample[]> | undefined;
  // All metrics of one request are collected in parallel, and share one read of the tables.
  const read = () =>
    (pending ??= readSamples(pool, process, readers()).finally(() => (pending = undefined)));
  for (const [name, help] of Object.entries(descriptions)) {
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    const get = async () => {
      const found = (await read()).filter((one) => one.name === name && one.value !== null);
      const values = found.map(({ labels, value }) => ({ labels, value: Number(value) }));
      return { name, help, type, values };
    };
    // A `Gauge` without labels would show 0 if it has no value.
    registry.registerMetric({ name, get } as unknown as Gauge);
  }
}

async function readSamples(pool: Pool, process: string, readers: ServerState[]): Promise<Sample[]> {
  const rows = await queryFile<Sample>(pool, 'metrics/registry.sql').catch(() => undefined);
  const { totalCount, idleCount, waitingCount } = pool;
  const sessions = { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  return [
    ...(rows ?? []),
    { name: 'registry_process_info', labels: { process }, value: 1 },
    { name: 'registry_database_up', labels: {}, value: rows ? 1 : 0 },
    ...Object.entries(sessions).map(([state, value]) => {
      return { name: 'registry_pool_connections', labels: { state }, value };
    }),
    ...readers.flatMap(({ name: reader, is_up, lag_seconds, snapshot_no }) => [
      { name: 'registry_reader_up', labels: { reader }, value: Number(is_up) },
      { name: 'registry_reader_lag_seconds', labels: { reader }, value: lag_seconds },
      { name: 'registry_reader_snapshot', labels: { reader }, value: snapshot_no },
    ]),
  ];
}
