// Measures the delivery of a night to webhooks on loopback: the time until the last call, and the worker's memory.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startCommand } from '../../fixtures/process/cli.ts';
import { between, look, serverPid } from './cpu.ts';
import { judgeAtMost, print } from './measurement.ts';
import type { Setting } from './setting.ts';

/** The endpoints, some of them with all events of the night; each other one has a hundredth of the events. */
const [endpointCount, wholeCount, eventCount] = [1_000, 10, 20_000];
const eventsInAll = wholeCount * eventCount + (endpointCount - wholeCount) * (eventCount / 100);
const [longest_s, most_mb] = [60, 250];

async function createEndpoints(pool: Pool, url: string): Promise<void> {
  await pool.query(
    `with account as (
       insert into customer.account (user_ref, email, name, password_hash, created_at)
       select upper(substr(md5('webhook' || no), 1, 12)), 'webhook' || no || '@company.example', 'Anna Nowak',
         '-', now()
       from generate_series(1, $2::integer) as no
       returning account_id
     )
     insert into customer.webhook (
       account_id, webhook_ref, url, scope, max_events, has_heartbeat, event_id, snapshot_no, published, created_at
     )
     select account_id, 'bench-' || account_id, $1,
       case when row_number() over (order by account_id) <= $3::integer then 'all' else 'watched' end, 50, true,
       coalesce((select last_event_id from registry.event_range order by snapshot_no desc limit 1), 0),
       (select max(snapshot_no) from registry.publication), registry.published_days(null), now()
     from account`,
    [url, endpointCount, wholeCount],
  );
}

/** Publishes a night with events of as many companies, which are in the feeds of the endpoints. */
async function publishEvents(pool: Pool): Promise<void> {
  await pool.query(`
    begin;
    create temporary table bench_event on commit drop as
    select company_id, row_number() over (order by company_id) as no
    from (select company_id from registry.company where merged_into_id is null limit ${eventCount}) as company;
    insert into registry.event
    select company_id, last_id + no, company_id, '2026-12-31', 'ceidg', 'COMPANY_NAME_CHANGED',
      'What was there before', 'What is there now'
    from bench_event
    join registry.last_id on table_name = 'event';
    insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
    select account_id, last_id + no, company_id, '2026-12-31', 'COMPANY_NAME_CHANGED'
    from bench_event
    join registry.last_id on table_name = 'event'
    join customer.webhook on scope = 'watched' and account_id % 100 = no % 100;
    update registry.last_id set last_id = last_id + ${eventCount} where table_name = 'event';
    insert into registry.run (source, dump_date, state, started_at, finished_at)
    values ('ceidg', '2026-12-31', 'published', now(), now());
    select registry.end_publication(last_id - ${eventCount} + 1, last_id, 'PL')
    from registry.last_id where table_name = 'event';
    commit;
    analyze customer.feed, registry.event`);
}

/** Judges the time from the end of a night to its last event at the last endpoint, and the memory of the worker. */
export async function benchWebhooks({ db, dataDir }: Setting): Promise<void> {
  const told = { calls: 0, events: 0, at_ms: 0 };
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      told.calls += 1;
      told.events += (JSON.parse(body) as { data: { events: object[] } }).data.events.length;
      told.at_ms = performance.now();
      response.writeHead(204).end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  await createEndpoints(db.pool, `http://127.0.0.1:${port}`);
  const worker = startCommand(['worker'], { DATA_DIR: dataDir, WEBHOOK_ALLOW_PRIVATE: 'true' });
  try {
    await worker.says('the worker is ready');
    await delay(2_000);
    const peak_mb = () => {
      const status = readFileSync(`/proc/${worker.child.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
    };
    print(`  The worker takes ${peak_mb().toFixed(0)} MB before the night`);
    const started_ms = performance.now();
    await publishEvents(db.pool);
    const published_ms = performance.now();
    const server = await serverPid(db.pool);
    const begun = look(server);
    while (told.events < eventsInAll && performance.now() - published_ms < 5_000 * longest_s) {
      await delay(100);
    }
    print(`  The night took ${((published_ms - started_ms) / 1000).toFixed(1)} s to publish`);
    const [calls, events] = [told.calls, told.events].map((count) => count.toLocaleString('en'));
    const name = `${events} events in ${calls} calls of ${endpointCount.toLocaleString('en')} webhooks`;
    const { node_cpu, server_cpu } = between(begun, look(server));
    print(
      `  CPU: ${node_cpu.toFixed(1)} s of worker and receiver, ${server_cpu.toFixed(1)} s of the server`,
    );
    judgeAtMost(name, (told.at_ms - published_ms) / 1000, longest_s, 's');
    judgeAtMost('Memory of the worker', peak_mb(), most_mb, 'MB');
  } finally {
    worker.child.kill('SIGTERM');
    await worker.end;
    receiver.close();
  }
}
