import { describe, expect, test } from 'vitest';
import { startCommand } from '../../fixtures/process/cli.ts';
import { createOrigin } from '../../fixtures/database/database-copy.ts';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { fixtureFolder, runDump, runFixture } from '../../fixtures/dump/night.ts';
import { company, nipOf, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { serveMail } from '../../fixtures/process/mail-delivery.ts';
import { startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { createReader } from '../../fixtures/client/watch.ts';
import { Refusal } from '../errors.ts';
import { sendMail } from '../mail/send.ts';

const origin = await createOrigin(async (db) => {
  await runFixture(db, '2026-11-02');
  const found = `nip in ('1001001002', '1001201008')`;
  await createReader(db, { email: 'reader@company.example', found, severity: 'critical' });
});

async function counts(db: TestDatabase): Promise<object> {
  const { rows } = await db.pool.query<object>(
    `select
       (select count(*)::int from customer.mail where template = 'digest') as mails,
       (select count(*)::int from customer.alert) as alerts,
       (select count(*)::int from customer.job) as jobs`,
  );
  return rows[0]!;
}

const nothing = { mails: 0, alerts: 0, jobs: 0 };
const once = { mails: 1, alerts: 2, jobs: 1 };
const command = ['ingest', 'ceidg', fixtureFolder('2026-11-03'), '--date', '2026-11-03'];

describe('mails of a night', () => {
  test('are not left by one that is refused or only tries, once by the good one, and not by the next', async () => {
    const db = await origin.copy();
    const tooLate = runDump(db, fixtureFolder('2026-11-03'), '2026-11-21');
    await expect(tooLate).rejects.toThrow(Refusal);
    await runFixture(db, '2026-11-03', { isDryRun: true });
    expect(await counts(db)).toEqual(nothing);
    await runFixture(db, '2026-11-03');
    expect(await counts(db)).toEqual(once);
    await runFixture(db, '2026-11-04');
    expect(await counts(db)).toEqual(once);
  });

  test('are not left by one that is killed over them, and once by the next', async () => {
    const db = await origin.copy();
    const client = await db.pool.connect();
    await client.query('begin; lock table customer.alert in access exclusive mode');
    const killed = startCommand(command, { DATABASE_URL: db.url });
    await killed.says('"step":"statistics"');
    // A night that waits for the locked table `customer.alert` has already inserted its mail into `customer.mail`.
    const waiting = `select from pg_locks where relation = 'customer.alert'::regclass and not granted`;
    while ((await db.pool.query(waiting)).rowCount === 0);
    killed.child.kill('SIGKILL');
    expect(await killed.end).toBe('SIGKILL');
    client.release(true);
    expect(await counts(db)).toEqual(nothing);

    const again = startCommand(command, { DATABASE_URL: db.url });
    expect(await again.end).toBe(0);
    expect(await counts(db)).toEqual(once);
    const third = startCommand(command, { DATABASE_URL: db.url });
    expect(await third.end).toBe(5);
    expect(await counts(db)).toEqual(once);
  });

  test('name a company that their reader begins to watch while the night waits for the watch list', async () => {
    const db = await origin.copy();
    const [reader] = await db.kysely.selectFrom('customer.account').select('account_id').execute();
    const end = await hold(
      db.pool,
      `with list as (select customer.lock_accounts(array[$1::bigint]))
       insert into customer.watch (
         account_id, company_id, identifier_type, identifier_value, state, created_at, ready_at
       )
       select $1, company_id, 'NIP', nip, 'ready', now(), now()
       from list cross join registry.company where nip = '1002201016'`,
      [reader!.account_id],
    );
    const night = runFixture(db, '2026-11-03');
    while ((await countWaiting(db.pool)) === 0);
    await end('commit');
    await night;
    expect(await counts(db)).toEqual({ ...once, alerts: 3 });
  });

  test('are sent by the worker', async () => {
    const db = await origin.copy();
    const smtp = await startTestSmtp();
    const worker = await startTestWorker(db.url, smtp.url);
    await runFixture(db, '2026-11-03');
    await worker.says('mail: sent');
    expect(smtp.mails.map(({ to, email }) => [to, email.subject])).toEqual([
      [['reader@company.example'], '3 November 2026: 2 changes at companies you watch, 2 critical'],
    ]);
    await worker.stop();
    expect(await counts(db)).toEqual({ ...once, jobs: 0 });
  });
});

const numbers = Array.from({ length: 130 }, (_, at) => at + 1);
const nameOf = (number: number) => `FIRMA ${String(number).padStart(3, '0')}`;
// The greater the number of a company, the smaller its REGON and NIP, so the order by name differs from the order by
// identifier.
const owner = (number: number) => [regonOf(200 - number), nipOf(200 - number)] as const;

test('a mail of more than 200 events has the worst 200, in the order of names, and counts the others', async () => {
  const db = await createTestDatabase();
  const before = numbers.toReversed().flatMap((number) => company(...owner(number)));
  await runRegon(db, '2026-11-02', { reports: before });
  await createReader(db, { severity: 'info' });
  // The changes cause 10 critical, 90 high and 130 warning events; the companies that come last by name have the most
  // severe events.
  const after = numbers.flatMap((number) =>
    company(...owner(number), {
      nazwa: nameOf(number),
      ...(number > 30 && number <= 120 ? { szczegolnaFormaPrawna_Symbol: '116' } : {}),
      ...(number > 120 ? { dataSkresleniaZRegon: '2026-11-03' } : {}),
    }),
  );
  const summary = await runRegon(db, '2026-11-03', { reports: after }, { reason: 'all of them' });
  expect(summary).toMatchObject({ updated: 120, deleted: 10, events: 230 });

  const mails = await db.pool.query<{ mail_id: string; alerts: number }>(
    `select mail_id, count(*)::int as alerts
     from customer.mail join customer.alert using (mail_id) group by mail_id`,
  );
  expect(mails.rows).toEqual([{ mail_id: expect.any(String), alerts: 230 }]);
  const { smtp, options } = await serveMail(db);
  await sendMail(options, Number(mails.rows[0]!.mail_id));
  const text = smtp.mails[0]!.email.text!;
  // Matches the headings of the mail's sections, and each company with its change, in the order of the mail.
  const parts = text.matchAll(
    /^((?:Critical|High|Warning).*)\n=+$|^(FIRMA \d+\nNIP \d+)\n.*\n- .*(struck off|legal form|name)/gm,
  );
  const lines = (first: number, last: number, change: string) =>
    numbers
      .slice(first, last)
      .map((number) => `${nameOf(number)}\nNIP ${owner(number)[1]} ${change}`);
  expect([...parts].map(([, heading, one, change]) => heading ?? `${one} ${change}`)).toEqual([
    'Critical: 10',
    ...lines(120, 130, 'struck off'),
    'High: 90',
    ...lines(30, 120, 'legal form'),
    'Warning: 100 of 130',
    ...lines(0, 100, 'name'),
  ]);
  expect(text).toContain('\nAnd 30 more\n===========\n\n30 warning.');
  expect(text).not.toContain(`The name changed: SPÓŁKA ${owner(101)[0]}`);
});
