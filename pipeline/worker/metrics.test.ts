import { describe, expect, test } from 'vitest';
import { findPort } from '../../fixtures/client/test-api.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { serveMetrics } from './metrics.ts';

const db = await createFirstDay();
await runFixture(db, '2026-11-05', { reason: 'for the rejected row' });
await runFixture(db, '2026-11-02', { dump_date: '2026-11-01' }).catch(() => undefined);
await createAccount(db.kysely);
await wait('0000000017', 10);
await wait('0000000018', 60);
await wait('0000000019', 90);
await db.pool.query(
  `update customer.watch set next_attempt_at = now() + interval '1 hour'
  where identifier_value = '0000000019'`,
);
await leaveMail(db);
await db.pool.query(
  `update customer.mail set created_at = now() - interval '2 hours' where state = 'queued'`,
);

/** Creates an account that has waited for the import of a KRS number for `minutes` minutes. */
async function wait(krs: string, minutes: number): Promise<void> {
  const { account_id } = await createAccount(db.kysely);
  await db.pool.query(
    `insert into customer.watch (account_id, identifier_type, identifier_value, state, created_at)
    values ($1, 'KRS', $2, 'queued', now() - make_interval(mins => $3))`,
    [account_id, krs, minutes],
  );
}

/** Returns the product's own metrics on /metrics: each value by the name and labels of the metric. */
async function scrape(pool: TestDatabase['pool']): Promise<Map<string, number>> {
  const port = await findPort();
  const server = await serveMetrics(pool, { host: '127.0.0.1', port }, 'worker');
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    // The product has exactly two metrics of the type `counter`: credits sold and credits spent.
    const counters = [...text.matchAll(/^# TYPE (registry_\S+) counter$/gm)];
    expect(counters.map(([, name]) => name)).toEqual([
      'registry_credits_sold_total',
      'registry_credits_spent_total',
    ]);
    const lines = text.matchAll(/^(registry_.+) (\S+)$/gm);
    return new Map([...lines].map(([, name, value]) => [name!, Number(value)]));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('/metrics of the worker', () => {
  test('says how old the snapshots are, and how the last run ended', async () => {
    const metrics = await scrape(db.pool);
    expect(metrics.get('registry_database_up')).toBe(1);
    const days = (Date.now() - Date.parse('2026-11-05T00:00:00+01:00')) / 86_400_000;
    expect(metrics.get('registry_snapshot_age_seconds{source="ceidg"}')! / 86_400).toBeCloseTo(
      days,
      1,
    );
    expect(metrics.get('registry_snapshot_entries{source="ceidg"}')).toBeGreaterThan(70);
    expect(metrics.get('registry_run_state{source="ceidg",state="refused"}')).toBe(1);
    expect(metrics.get('registry_refused_in_a_row{source="ceidg"}')).toBe(1);
    expect(metrics.has('registry_run_seconds{source="ceidg",step="total"}')).toBe(true);
    expect(metrics.has('registry_run_seconds{source="ceidg",step="read the list of files"}')).toBe(
      true,
    );
  });

  test('counts rows, mails, jobs and credits', async () => {
    const other = await createFirstDay();
    const first = await scrape(other.pool);
    expect(first.get('registry_run_rows{source="ceidg",kind="read"}')).toBe(81);
    expect(first.get('registry_run_rows{source="ceidg",kind="rejected"}')).toBe(0);
    expect(first.get('registry_refused_in_a_row{source="ceidg"}')).toBe(0);
    expect(first.get('registry_mail_wait_seconds')).toBe(0);
    await other.drop();

    const metrics = await scrape(db.pool);
    expect(metrics.get('registry_mails{state="queued"}')).toBe(1);
    expect(metrics.get('registry_mail_wait_seconds')).toBeGreaterThan(7_100);
    // One account has waited for 10 minutes, another for an hour; numbers whose next attempt is later do not count.
    expect(metrics.get('registry_import_accounts')).toBe(2);
    expect(metrics.get('registry_import_wait_seconds{quantile="0.5"}')! / 60).toBeCloseTo(10, 0);
    expect(metrics.get('registry_import_wait_seconds{quantile="1"}')! / 60).toBeCloseTo(60, 0);
    expect(first.get('registry_import_wait_seconds{quantile="1"}')).toBe(0);
    expect(metrics.get('registry_jobs{task="send_mail",state="waiting"}')).toBe(1);
    expect(metrics.get('registry_credits_sold_total')).toBe(0);
    expect(metrics.get('registry_credits_spent_total')).toBe(0);
    expect(metrics.has('registry_pool_connections{state="idle"}')).toBe(true);
  });

  test('is there when the database is not, whose figures are absent and not 0', async () => {
    const other = await createTestDatabase();
    await other.pool.end();
    const metrics = await scrape(other.pool);
    expect(metrics.get('registry_database_up')).toBe(0);
    expect([...metrics.keys()]).toEqual([
      'registry_process_info{process="worker"}',
      'registry_database_up',
      'registry_pool_connections{state="used"}',
      'registry_pool_connections{state="idle"}',
      'registry_pool_connections{state="waiting"}',
    ]);
    await other.drop();
  });
});
