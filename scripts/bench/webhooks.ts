// Measures the delivery of a night's events to webhooks on this machine: the time until the last call, and the memory.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createWebhook, startReceiver } from '../../fixtures/process/test-receiver.ts';
import { inParallel } from '../../pipeline/parallel.ts';
import { judgeAtMost, print } from './judge.ts';
import type { Setting } from './setting.ts';

/** The numbers of endpoints, of endpoints that get all events (each other one gets a hundredth), and of events. */
const [endpointCount, wholeCount, eventCount] = [1_000, 10, 20_000];
const eventsInAll = wholeCount * eventCount + (endpointCount - wholeCount) * (eventCount / 100);
/** The limits on the time in which the night's events reach all endpoints, and on the worker's memory. */
const [longest_s, most_mb] = [60, 250];

/** Publishes a night of `eventCount` events of different companies, and writes the events into the endpoints' feeds. */
async function publishEvents(pool: Pool): Promise<void> {
  await pool.query(`
    begin;
    with published as (
      insert into registry.event
      select company_id, last_id + row_number() over (), company_id, '2026-12-31', 'ceidg',
        'COMPANY_NAME_CHANGED', 'What was there before', 'What is there now'
      from (select company_id from registry.company where merged_into_id is null limit ${eventCount}) as company
      join registry.last_id on table_name = 'event'
      returning *
    )
    insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
    select account_id, published.event_id, company_id, event_date, event_type
    from published
    join customer.webhook on scope = 'watched' and account_id % 100 = published.event_id % 100;
    update registry.last_id set last_id = last_id + ${eventCount} where table_name = 'event';
    insert into registry.run (source, dump_date, state, started_at, finished_at)
    values ('ceidg', '2026-12-31', 'published', now(), now());
    select registry.end_publication(last_id - ${eventCount} + 1, last_id, 'PL')
    from registry.last_id where table_name = 'event';
    commit;
    analyze customer.feed, registry.event`);
}

/** Measures the time from the end of a night to the last delivered event, and the memory of the worker. */
export async function benchWebhooks({ db, startWorker }: Setting): Promise<void> {
  const told = { calls: 0, events: 0, at_ms: 0 };
  const { url, calls } = await startReceiver(({ data }) => {
    // The received calls are discarded, because all calls of the night together take 100 MB.
    calls.length = 0;
    told.calls += 1;
    told.events += data.events.length;
    told.at_ms = performance.now();
  });
  const { rows: accounts } = await db.pool.query<{ account_id: string }>(
    'select account_id from customer.account order by account_id limit $1',
    [endpointCount],
  );
  await inParallel([...accounts.entries()], 10, ([no, { account_id }]) =>
    createWebhook(db, account_id, url, { scope: no < wholeCount ? 'all' : 'watched' }),
  );
  const worker = await startWorker({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  await delay(2_000);
  const peak_mb = () => {
    const status = readFileSync(`/proc/${worker.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
  };
  print(`  The worker takes ${peak_mb().toFixed(0)} MB before the night`);
  await publishEvents(db.pool);
  const published_ms = performance.now();
  while (told.events < eventsInAll && performance.now() - published_ms < 5_000 * longest_s)
    await delay(100);
  const name = `${told.events} events in ${told.calls} calls of ${endpointCount} webhooks`;
  judgeAtMost(name, (told.at_ms - published_ms) / 1000, longest_s, 's');
  judgeAtMost('Memory of the worker', peak_mb(), most_mb, 'MB');
}
