import { describe, expect, test } from 'vitest';
import { runCommand } from '../../fixtures/process/cli.ts';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { runFixture, shareDays } from '../../fixtures/dump/night.ts';

const db = await (await shareDays()).copy();
const { rows } = await db.pool.query<{ date: string; run_id: number }>(
  'select dump_date as date, run_id::int from registry.run',
);
const runs = new Map(rows.map(({ date, run_id }) => [date, run_id]));
await runFixture(db, '2026-11-02', { dump_date: '2026-11-01' }).catch(() => undefined);

const runOf = (date: string) => `${runs.get(date)}`;

test('rejects shows file, line, reason and the row, each on one line; --json has the code too', async () => {
  const rejects = (...args: string[]) => runCommand(['rejects', ...args], { DATABASE_URL: db.url });
  const text = await rejects(runOf('2026-11-05'));
  expect(text.stdout).toMatch(
    /^Zarejestrowane działalności - województwo podlaskie\.csv:2: 21 fields instead of 24: ia Ryb.*2026-11-31.*\n$/,
  );
  const json = await rejects(runOf('2026-11-05'), '--json');
  expect(JSON.parse(json.stdout)).toEqual({
    run_id: runs.get('2026-11-05'),
    rejects: [
      {
        file: 'Zarejestrowane działalności - województwo podlaskie.csv',
        line: 2,
        code: 'damaged_row',
        reason: '21 fields instead of 24',
        raw: expect.stringContaining('2026-11-31') as string,
      },
    ],
  });
  await db.pool.query(
    `insert into registry.reject (run_id, file, line, reject_code, reason, raw) values
       ($1, 'a.csv', 2, 'no_name', 'all names are blank', E'1;"a\r\nb"\t\x1b[2J'),
       ($1, 'a.csv', 4, 'no_name', 'x', 'y')`,
    [runs.get('2026-11-03')],
  );
  const broken = await rejects(runOf('2026-11-03'));
  expect(broken.stdout).toBe(
    String.raw`a.csv:2: all names are blank: 1;"a\r\nb"\t\u001b[2J` + '\na.csv:4: x: y\n',
  );
  const none = await rejects(runOf('2026-11-02'));
  expect(none.stdout).toBe(`Run ${runOf('2026-11-02')} rejected no rows\n`);
  expect([text, json, broken, none].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
});

describe('status', () => {
  test('--json has the newest snapshot of each source, its age, and the last runs', async () => {
    const command = await runCommand(['status', '--json'], { DATABASE_URL: db.url });
    const status = JSON.parse(command.stdout) as { snapshots: object[]; runs: object[] };
    expect(status.snapshots).toEqual([
      {
        source: 'ceidg',
        dump_date: '2026-11-06',
        age_days: age_days(),
        entries: 80,
        refused_nights: 1,
        duplicates: 0,
        is_invented: true,
      },
    ]);
    const message = 'The dump of 2026-11-01 is older than the newest published one, of 2026-11-06';
    const moment = expect.stringMatching(/^2026-11-20T05:00:00/) as string;
    expect(status.runs[0]).toEqual({
      run_id: 6,
      source: 'ceidg',
      dump_date: '2026-11-01',
      state: 'refused',
      reason: null,
      message,
      started_at: moment,
      finished_at: moment,
    });
    expect(status.runs).toHaveLength(6);
    expect(Object.keys(status)).toEqual([
      'snapshots',
      'runs',
      'mail',
      'jobs',
      'watch_lists',
      'sessions',
      'readers',
    ]);
    expect(command.code).toBe(0);
  });

  test('says it in words, the newest run first', async () => {
    const command = await runCommand(['status'], { DATABASE_URL: db.url });
    expect(command.stdout.split('\n')).toEqual([
      'Newest snapshots',
      expect.stringMatching(
        /^ {2}ceidg {4}2026-11-06 {2}\d+ days? old {2}80 entries {2}invented {2}refused last night$/,
      ),
      'Last runs',
      '      6  ceidg    2026-11-01  refused   The dump of 2026-11-01 is older than the newest published one, of 2026-11-06',
      '      5  ceidg    2026-11-06  published',
      '      4  ceidg    2026-11-05  published',
      '      3  ceidg    2026-11-04  published',
      '      2  ceidg    2026-11-03  published',
      '      1  ceidg    2026-11-02  published',
      'Watch lists',
      '  0 ready; 0 queued; 0 failed in the last 7 days; 0 submissions open',
      'Mail',
      '  0 queued; 0 failed in the last 7 days',
      expect.stringMatching(/^Sessions: \d+ of \d+ that the server admits$/),
      expect.stringMatching(/^ {2}registry tests {5}\d+$/),
      expect.stringMatching(/^ {2}registry-pipeline {2}\d+$/),
      '',
    ]);
    expect(command.code).toBe(0);
  });
});

describe('status of mails', () => {
  const reason = "Can't send mail - all recipients were rejected: 550 No such user";

  test('names those that wait and those that failed, and why', async () => {
    const first = await leaveMail(db, { recipient: 'jan@firma.example' });
    const second = await leaveMail(db, { recipient: 'ewa@firma.example', template: 'recover' });
    const third = await leaveMail(db);
    // The fourth mail failed long ago, so `status` does not count it.
    const old = await leaveMail(db);
    await db.pool.query(`
      update customer.mail set state = 'failed', attempt_count = 1, ended_at = now(),
        last_error = '${reason.replace("'", "''")}'
      where mail_id = ${first.mail_id};
      update customer.mail set state = 'failed', last_error = 'x', ended_at = now() - interval '9 days'
      where mail_id = ${old.mail_id};
      update customer.mail set attempt_count = 2, last_error = 'connect ECONNREFUSED'
      where mail_id = ${second.mail_id};
      update customer.mail set created_at = '2026-11-20T10:05:07Z' where state = 'queued';
      update customer.mail set next_attempt_at = '2026-11-20T10:12:59Z';
      update customer.mail set attempt_count = 12 where mail_id = ${third.mail_id}`);

    const words = await runCommand(['status'], { DATABASE_URL: db.url });
    expect(words.stdout.split('\n').slice(-10, -4)).toEqual([
      'Mail',
      '  2 queued, the oldest since 2026-11-20 10:05 UTC; 1 failed in the last 7 days',
      '      2  recover  ewa@firma.example  queued after 2 attempts, the next at 2026-11-20 10:12 UTC: connect ECONNREFUSED',
      `      1  init     jan@firma.example  failed after 1 attempt: ${reason}`,
      'Jobs',
      '  send_mail    1 waiting, 0 running, 1 given up',
    ]);

    const json = await runCommand(['status', '--json'], { DATABASE_URL: db.url });
    const { mail, jobs } = JSON.parse(json.stdout) as Record<string, unknown>;
    const moments = {
      created_at: '2026-11-20T10:05:07+00:00',
      next_attempt_at: '2026-11-20T10:12:59+00:00',
    };
    expect(mail).toMatchObject({
      queued: 2,
      oldest_queued_at: moments.created_at,
      failed: 1,
      troubled: [
        {
          mail_id: second.mail_id,
          attempt_count: 2,
          last_error: 'connect ECONNREFUSED',
          ...moments,
        },
        { mail_id: first.mail_id, state: 'failed', last_error: reason, next_attempt_at: null },
      ],
    });
    expect(jobs).toEqual([{ task: 'send_mail', waiting: 1, running: 0, given_up: 1 }]);
  });
});

/** Returns the number of days since the newest fixture day, in the time zone of Poland. */
function age_days(): number {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw' }).format(new Date());
  return (Date.parse(today) - Date.parse('2026-11-06')) / 86_400_000;
}
