import { beforeEach, expect, test } from 'vitest';
import { fieldOf, makeReports, type Reports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { runBad } from '../../fixtures/dump/bad-night.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const submitted_at = new Date('2026-11-19T10:05:00Z');

let { database, api } = {} as Awaited<ReturnType<typeof useApi>>;

beforeEach(async () => {
  ({ database, api } = await useApi({ now: () => submitted_at }));
});

/**
 * Returns reports of eight companies each. In mazowieckie, the first company has no NIP, and the second company has a
 * NIP and a REGON.
 */
function firstDay(): Reports {
  const reports = makeReports({});
  const lines = reports.mazowieckie!;
  lines[1] = withFields(lines[1]!, { Nip: '' });
  return reports;
}

const [, one = '', other = ''] = firstDay().mazowieckie!;
const [older, newer] = [fieldOf(one, 'Regon'), fieldOf(other, 'Regon')];
const nip = fieldOf(other, 'Nip');

/**
 * Returns the reports of the first day with one change: the first company of mazowieckie has the NIP of the second
 * company.
 */
function secondDay(): Reports {
  const reports = firstDay();
  const lines = reports.mazowieckie!;
  lines[1] = withFields(lines[1]!, { Nip: nip });
  return reports;
}

/** Adds events to the feed of an account, as a nightly job does for the company with the given REGON. */
async function tell({ account_id }: Submitter, regon: string, ...event_ids: number[]) {
  await database.pool.query(
    `with told as (
      insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
      select $1, event_id, (select company_id from registry.entry where regon9 = $2),
        '2026-11-02', 'COMPANY_NAME_CHANGED'
      from unnest($3::bigint[]) as event_id
      returning feed.*
    )
    update customer.watch
    set events_count = cardinality($3), last_event_at = '2026-11-02T00:00:00Z'::timestamptz
      + make_interval(hours => $3[1]::int)
    where (account_id, company_id) in (select account_id, company_id from told)`,
    [account_id, regon, event_ids],
  );
}

test('the watch follows with its events, and an account that watches both keeps the older', async () => {
  await runBad(database, firstDay(), '2026-11-02');
  const both = await createSubmitter(database, api);
  const single = await createSubmitter(database, api);
  await both.add('REGON9', newer);
  await both.add('REGON9', older, '990200011');
  await single.add('REGON9', newer);
  await tell(both, newer, 3, 4);
  await tell(both, older, 5);
  await tell(single, newer, 3);
  await database.pool.query(
    `update customer.watch set has_custom_settings = true, alerts_enabled = true,
        notify_via_email = true, alert_min_severity = 'high', alert_categories = '{status}',
        reference = 'Supplier 17'
      where account_id = $1 and identifier_value = $2`,
    [both.account_id, older],
  );
  expect(await both.list()).toEqual([
    expect.stringMatching(`^NIP ${nip} ready`),
    expect.stringMatching(`^REGON9 ${older} ready`),
    'REGON9 990200011 queued',
  ]);

  await runBad(database, secondDay(), '2026-11-03');
  const watchesOf = async ({ account_id }: Submitter) => {
    const { rows } = await database.pool.query<{ events_count: number; event_ids: number[] }>(
      `select watch.identifier_value, events_count::int, alert_min_severity, alert_categories,
        (select array_agg(event_id::int order by event_id) from customer.feed
          where feed.account_id = watch.account_id and feed.company_id = watch.company_id)
          as event_ids,
        watch.reference,
        (select count(*)::int from customer.submission_item
          where submission_item.watch_id = watch.watch_id) as items
      from customer.watch
      join registry.company using (company_id)
      where account_id = $1 and regon9 is not null and merged_into_id is null`,
      [account_id],
    );
    return rows;
  };
  const merged = await watchesOf(both);
  expect(merged).toMatchObject([
    {
      identifier_value: newer,
      alert_min_severity: 'high',
      alert_categories: ['status'],
      event_ids: expect.arrayContaining([3, 4, 5]),
      // The older watch has no reference of its own, so the merged watch keeps the reference of the newer watch.
      reference: 'Supplier 17',
      items: 2,
    },
  ]);
  expect(merged[0]!.events_count).toBe(merged[0]!.event_ids.length);
  expect(await watchesOf(single)).toMatchObject([
    { identifier_value: newer, alert_min_severity: null, items: 1 },
  ]);
  expect(await both.list()).toEqual([
    expect.stringMatching(`^NIP ${nip} ready`),
    'REGON9 990200011 queued',
  ]);
});

test('what is waited for under two numbers becomes one watch, of both submissions', async () => {
  const submitter = await createSubmitter(database, api);
  await submitter.add('NIP', nip);
  await submitter.add('REGON9', newer);
  await runBad(database, firstDay(), '2026-11-02');
  expect(await submitter.list()).toEqual([expect.stringMatching(`^NIP ${nip} ready`)]);
  expect(await submitter.mails()).toMatchObject([
    { data: { ready: [{ identifier_value: nip }] } },
    { data: { ready: [{ identifier_value: newer }] } },
  ]);
});

test('what is waited for gives way to the watch of a company that is given its number', async () => {
  const reports = firstDay();
  // On the first day no company has the NIP, because the row of its company is removed from the report.
  reports.mazowieckie!.splice(2, 1);
  await runBad(database, reports, '2026-11-02');
  const submitter = await createSubmitter(database, api);
  await submitter.add('NIP', nip);
  await submitter.add('REGON9', older, '990200011');
  const next = secondDay();
  next.mazowieckie!.splice(2, 1);
  await runBad(database, next, '2026-11-03');
  expect(await submitter.list()).toEqual([
    expect.stringMatching(`^NIP ${nip} ready`),
    'REGON9 990200011 queued',
  ]);
  // The first submission is settled; the second submission still waits for its second number.
  const { rows } = await database.pool.query(
    `select watch.identifier_value, settled_at is null as is_open from customer.submission_item
      join customer.submission using (submission_id)
      join customer.watch using (watch_id) order by submission_id, item_no`,
  );
  expect(rows).toEqual([
    { identifier_value: older, is_open: false },
    { identifier_value: older, is_open: true },
    { identifier_value: '990200011', is_open: true },
  ]);
  expect(await submitter.mails()).toMatchObject([{ data: { ready: [{ identifier_value: nip }] } }]);
});
