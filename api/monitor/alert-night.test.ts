import { describe, expect, test } from 'vitest';
import type { TestAccount } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createFirstDay, runFixture, testNow } from '../../fixtures/dump/night.ts';
import { createReader } from '../../fixtures/client/watch.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { NothingToDo } from '../../pipeline/errors.ts';

const { database, api } = await useApi({}, createFirstDay);

/** Creates an account that watches every company. */
const createWatcher = () => createReader(database);

async function set({ master_token }: TestAccount, body: object): Promise<void> {
  const answer = await askJson(api, 'PATCH /watchlist/alerts', { token: master_token, body });
  expect(answer).toMatchObject({ status: 200 });
}

/** Returns the types of the events in an account's mails, in the order of the mails. */
async function findTold({ account_id }: TestAccount) {
  const { rows } = await database.pool.query<{ events: { event_type: string }[] }>(
    `select data -> 'events' as events from customer.mail
     where account_id = $1 and template = 'digest' order by mail_id`,
    [account_id],
  );
  const { rows: alerts } = await database.pool.query<{ event_type: string }>(
    `select event.event_type from customer.alert
     join registry.event using (event_id)
     join customer.feed using (account_id, event_id)
     where account_id = $1`,
    [account_id],
  );
  const events = rows.flatMap((row) => row.events.map(({ event_type }) => event_type));
  expect(alerts.map(({ event_type }) => event_type).toSorted()).toEqual(events.toSorted());
  return { mails: rows.length, events };
}

const on = { alerts_enabled: true, notify_via_email: true };
// The critical events of 2026-11-03, sorted by severity, then by the name of the company.
const critical = [
  'COMPANY_CLOSED_DATE',
  'COMPANY_TAX_IDENTITY_CHANGED',
  'ANOMALY_REGON_CHANGE',
  'COMPANY_SUSPENDED',
  'COMPANY_STRUCK_OFF',
];
const suspended = { identifier_type: 'NIP', identifier_value: '1001001002' };
const renamed = { identifier_type: 'NIP', identifier_value: '1003201001' };

const allButSuspended = critical.filter((type) => type !== 'COMPANY_SUSPENDED');

/**
 * Each case: the alert settings, the types of the mailed events of 2026-11-03, and a company that is removed before
 * that night.
 */
const cases: [name: string, settings: object[], told: string[], removed?: string][] = [
  ['nothing is set', [], []],
  ['alerts are off', [{ alert_min_severity: 'info', notify_via_email: true }], []],
  ['mails are off', [{ alert_min_severity: 'info', alerts_enabled: true }], []],
  ['the least severity is critical', [{ ...on, alert_min_severity: 'critical' }], critical],
  [
    'a company was removed',
    [{ ...on, alert_min_severity: 'critical' }],
    allButSuspended,
    `nip = '1001001002'`,
  ],
  ['all companies were removed', [{ ...on, alert_min_severity: 'info' }], [], 'true'],
  [
    'severity, class and category are chosen',
    [
      {
        ...on,
        alert_min_severity: 'warning',
        alert_event_classes: ['change', 'anomaly'],
        alert_categories: ['identity', 'contacts'],
      },
    ],
    [
      'COMPANY_TAX_IDENTITY_CHANGED',
      'ANOMALY_REGON_CHANGE',
      'COMPANY_NAME_CHANGED',
      'COMPANY_NAME_CHANGED',
    ],
  ],
  [
    'the least severity is raised later',
    [{ ...on, alert_min_severity: 'info' }, { alert_min_severity: 'critical' }],
    critical,
  ],
  [
    'one company has none',
    [
      { ...on, alert_min_severity: 'critical' },
      { alert_min_severity: 'critical', alerts_enabled: false, ...suspended },
    ],
    allButSuspended,
  ],
  [
    'one company has more than the others',
    [
      { ...on, alert_min_severity: 'critical' },
      { alert_min_severity: 'info', alert_categories: ['location', 'contacts'], ...renamed },
    ],
    [...critical, 'COMPANY_ADDRESS_CHANGED', 'COMPANY_PHONE_CHANGED'],
  ],
  [
    'what was set for one company was overwritten',
    [
      { ...on, alert_min_severity: 'info', ...suspended },
      { ...on, alert_min_severity: 'critical', alert_categories: ['identity'], force: true },
    ],
    ['COMPANY_TAX_IDENTITY_CHANGED', 'ANOMALY_REGON_CHANGE'],
  ],
];

describe('a night', () => {
  test('tells each account what its settings ask for, once', async () => {
    const watchers: { name: string; account: TestAccount }[] = [];
    for (const [name, settings, , removed = 'false'] of cases) {
      const account = await createWatcher();
      for (const body of settings) await set(account, body);
      await database.pool.query(
        `delete from customer.watch using registry.company
        where watch.company_id = company.company_id and account_id = $1 and ${removed}`,
        [account.account_id],
      );
      watchers.push({ name, account });
    }

    await runFixture(database, '2026-11-03');
    const expected = cases.map(([name, , events]) => [
      name,
      { mails: Math.min(1, events.length), events },
    ]);
    const told = async () =>
      Promise.all(watchers.map(async ({ name, account }) => [name, await findTold(account)]));
    expect(await told()).toEqual(expected);

    await expect(runFixture(database, '2026-11-03')).rejects.toThrow(NothingToDo);
    expect(await told()).toEqual(expected);
  });

  test('leaves what the mail is made of', async () => {
    const account = await createWatcher();
    await set(account, {
      ...on,
      alert_min_severity: 'critical',
      alert_event_classes: ['risk'],
      identifier_type: 'NIP',
      identifier_value: '1001002007',
    });
    await runFixture(database, '2026-11-04');
    const { rows } = await database.pool.query(
      `select mail_key, recipient, template, data, created_at, run_id from customer.mail
       join registry.run on dump_date = '2026-11-04'
       where account_id = $1`,
      [account.account_id],
    );
    const [{ run_id }] = rows as [{ run_id: string }];
    expect(rows).toMatchObject([
      {
        mail_key: `digest:${run_id}:${account.account_id}`,
        recipient: account.email,
        template: 'digest',
        data: {
          account_id: Number(account.account_id),
          source: 'ceidg',
          event_date: '2026-11-04',
          totals: [{ severity: 'critical', event_count: 1 }],
          events: [{ primary_identifier: '1001002007', event_type: 'COMPANY_SUSPENDED' }],
        },
        created_at: testNow,
      },
    ]);
  });
});
