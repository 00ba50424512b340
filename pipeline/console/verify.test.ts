import { expect, test } from 'vitest';
import { runCommand } from '../../fixtures/process/cli.ts';
import { shareDays } from '../../fixtures/dump/night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from '../night/verify.ts';

const origin = await shareDays();

/** @returns a copy of the database in which the SQL `statement` has changed one published row */
async function tamper(statement: string): Promise<TestDatabase> {
  const db = await origin.copy();
  expect((await db.pool.query(statement)).rowCount).toBe(1);
  return db;
}

const newestEntry = `(select max(entry_id) from registry.entry where status = 'ACTIVE')`;

const otherFlow =
  /^the (ACTIVE|SUSPENDED) entries of ceidg in .+ change by -?\d+ on 2026-11-\d+, its flows and moves say -?\d+$/m;

const tamperings: [what: string, statement: string, finding: RegExp][] = [
  [
    'an entry that is no longer gone',
    `update registry.entry set gone_date = null
     where entry_id = (select min(entry_id) from registry.entry where gone_date is not null)`,
    /^run 5 counts 80 entries, there are 81$/m,
  ],
  [
    'the stock of a group of entries',
    `update registry.stock_change set entry_change = entry_change + 1
     where (stat_date, voivodeship, activity_section, status) = ('2026-11-02', '10', 'C', 'ACTIVE')`,
    /^the stock of ceidg ACTIVE entries in 10, C, 099 is \d+, the entries give \d+$/m,
  ],
  [
    'the stock of a day',
    `update registry.stock_change set stat_date = '2026-11-01'
     where (stat_date, voivodeship, activity_section, status) = ('2026-11-02', '10', 'C', 'ACTIVE')`,
    /^the stock of ceidg on 2026-11-02 is \d+ entries, the daily statistics say 81$/m,
  ],
  [
    'the flow of a day',
    `update registry.stock_change set new_count = new_count + 1
     where ctid = (select ctid from registry.stock_change where new_count > 0 limit 1)`,
    otherFlow,
  ],
  [
    'the moves of a day',
    `update registry.stock_move set entry_count = entry_count + 1
     where ctid = (select ctid from registry.stock_move where not is_recoded limit 1)`,
    otherFlow,
  ],
  [
    'a lost entry',
    `delete from registry.entry where entry_id = ${newestEntry}`,
    /^run 5 counts 80 entries, there are 79$/m,
  ],
  [
    'an entry of another company',
    `update registry.entry set company_id = 1000000 where entry_id = ${newestEntry}`,
    /^entry \d+ belongs to no company$/m,
  ],
  [
    'the new value of an event',
    `update registry.event set new_value = 'Somebody else'
     where event_id = (
       select max(event_id) from registry.event where event_type = 'COMPANY_PHONE_CHANGED'
     )`,
    /^event \d+, COMPANY_PHONE_CHANGED of 2026-11-06, says 'Somebody else'; the entry \d+ does not$/m,
  ],
  [
    'a lost event',
    `delete from registry.event where event_id = 1`,
    /^run 2 counts 20 events, there are 19$/m,
  ],
  [
    'the deleted of a run',
    `update registry.run set deleted_count = deleted_count + 1 where dump_date = '2026-11-04'`,
    /^run 3: 81 entries, where 82 \+ 1 new - 3 deleted are expected$/m,
  ],
  [
    'the status of a company',
    `update registry.company set status = 'DELETED'
     where company_id = (
       select company_id from registry.entry where entry_id = ${newestEntry}
     )`,
    /^company \d+ does not show what its entries say$/m,
  ],
];

test('verify finds nothing, of one source, of all, and in a database that is only read', async () => {
  const db = await origin.copy();
  const urls = { DATABASE_URL: db.url, DATABASE_READ_URL: db.url };
  const whole = 'ceidg 2026-11-06: whole, 80 entries\n';
  const found = { source: 'ceidg', dump_date: '2026-11-06', is_whole: true, findings: [] };
  for (const [options, said] of [
    [[], whole],
    [['ceidg', '--on', 'read'], whole],
    [['ceidg', '--json'], `${JSON.stringify(found)}\n`],
    [['--json'], `${JSON.stringify({ snapshots: [found] })}\n`],
  ] as const) {
    const command = await runCommand(['verify', ...options], urls);
    expect(command).toMatchObject({ code: 0, stdout: said, stderr: '' });
  }
});

test('verify --on read fails without a reader; status and check name one that is away', async () => {
  const db = await origin.copy();
  const DATABASE_URL = db.url;
  const none = await runCommand(['verify', '--on', 'read'], { DATABASE_URL });
  const stderr = expect.stringContaining('DATABASE_READ_URL is not set') as string;
  expect(none).toMatchObject({ code: 1, stderr });
  const wrong = await runCommand(['verify', '--on', 'both'], { DATABASE_URL });
  expect(wrong).toMatchObject({ code: 2 });
  const nowhere = 'postgresql://nobody:secret@127.0.0.1:1/none';
  const away = { DATABASE_URL, DATABASE_READ_URL: nowhere };
  const status = await runCommand(['status'], away);
  expect(status.stdout).toContain('Readers\n  The reader 127.0.0.1:1 does not answer\n');
  const check = await runCommand(['check', '--json'], away);
  expect(check.stdout).toContain('"kind":"reader","subject":"127.0.0.1:1"');
});

test.each(tamperings)('verify finds %s', async (_, statement, finding) => {
  const db = await tamper(statement);
  expect((await verify(db, 'ceidg')).join('\n')).toMatch(finding);
});

test('verify ends with 1 and has the sentences, as text and with --json', async () => {
  const db = await tamper(
    `update registry.entry set name = name || '.' where entry_id = ${newestEntry}`,
  );
  const sentences = [
    expect.stringMatching(/^company \d+ does not show what its entries say$/),
    expect.stringMatching(/^the state hash of run 5 is /),
    expect.stringMatching(/^the hash of entry \d+ is not that of its content$/),
  ];
  const text = await runCommand(['verify', 'ceidg'], { DATABASE_URL: db.url });
  expect(text.stdout.trim().split('\n')).toEqual(sentences);
  const command = await runCommand(['verify', 'ceidg', '--json'], { DATABASE_URL: db.url });
  expect(JSON.parse(command.stdout)).toMatchObject({ is_whole: false, findings: sentences });
  expect([text.code, command.code]).toEqual([1, 1]);
});
