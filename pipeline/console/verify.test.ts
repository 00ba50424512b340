import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/process/cli.ts';
import type { Origin } from '../../fixtures/database/database-copy.ts';
import { shareDays } from '../../fixtures/dump/night.ts';

let origin: Pick<Origin, 'copy'>;

beforeAll(async () => {
  origin = await shareDays();
});

/** Runs verify after a change of one row past the pipeline. */
async function verify(statement: string | undefined, ...options: string[]) {
  const db = await origin.copy();
  try {
    const changed = statement === undefined ? 1 : (await db.pool.query(statement)).rowCount;
    expect(changed).toBe(1);
    return await runCommand(['verify', 'ceidg', ...options], { DATABASE_URL: db.url });
  } finally {
    await db.drop();
  }
}

const newestEntry = `(select max(entry_id) from registry.entry where status = 'ACTIVE')`;
const newestRun = `dump_date = '2026-11-06'`;

const tamperings: [what: string, statement: string, finding: RegExp][] = [
  [
    'the name of an entry',
    `update registry.entry set name = name || '.' where entry_id = ${newestEntry}`,
    /^the state hash of run 5 is /m,
  ],
  [
    'the activity codes of an entry',
    `update registry.entry set activity_codes = '{}' where entry_id = ${newestEntry}`,
    /^the state hash of run 5 is /m,
  ],
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
    /^the standing entries of ceidg change by -?\d+ on 2026-11-\d+, where \d+ new - \d+ ended are expected$/m,
  ],
  [
    'the moves of a day',
    `update registry.stock_move set entry_count = entry_count + 1
     where ctid = (select ctid from registry.stock_move where not is_recoded limit 1)`,
    /^the (ACTIVE|SUSPENDED) entries of ceidg in .+ change by -?\d+ on 2026-11-\d+, its flows and moves say -?\d+$/m,
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
    /^run 2 counts 19 events, there are 18$/m,
  ],
  [
    'the deleted of a run',
    `update registry.run set deleted_count = deleted_count + 1 where dump_date = '2026-11-04'`,
    /^run 3: 81 entries, where 82 \+ 1 new - 3 deleted are expected$/m,
  ],
  [
    'the events of a run',
    `update registry.run set event_count = event_count - 1 where ${newestRun}`,
    /^run 5 counts 14 events, there are 15$/m,
  ],
  [
    'the entries of a run',
    `update registry.run set entry_count = entry_count + 1 where ${newestRun}`,
    /^run 5 counts 81 entries, there are 80$/m,
  ],
  [
    'the state hash of a run',
    `update registry.run set state_hash = state_hash + 1 where ${newestRun}`,
    /^the state hash of run 5 is /m,
  ],
  [
    'the hash of an entry',
    `update registry.entry set content_hash = content_hash + 1 where entry_id = ${newestEntry}`,
    /^the hash of entry \d+ is not that of its content$/m,
  ],
  [
    'the status of a company',
    `update registry.company set status = 'DELETED'
     where company_id = (
       select company_id from registry.entry where entry_id = ${newestEntry}
     )`,
    /^the status of company \d+ is not that of its entries$/m,
  ],
];

describe('verify', () => {
  test('0 finds nothing', async () => {
    const command = await verify(undefined);
    expect(command.stdout).toBe('ceidg 2026-11-06: whole, 80 entries\n');
    expect(command.stderr).toBe('');
    expect(command.code).toBe(0);
  });

  test('0 without a source looks at all that are published', async () => {
    const db = await origin.copy();
    const words = await runCommand(['verify'], { DATABASE_URL: db.url });
    expect(words.stdout).toBe('ceidg 2026-11-06: whole, 80 entries\n');
    const json = await runCommand(['verify', '--json'], { DATABASE_URL: db.url });
    expect(JSON.parse(json.stdout)).toEqual({
      snapshots: [{ source: 'ceidg', dump_date: '2026-11-06', is_whole: true, findings: [] }],
    });
    await db.drop();
  });

  test('--on read asks a reader, and fails without one', async () => {
    const db = await origin.copy();
    onTestFinished(() => db.drop());
    const asked = ['verify', 'ceidg', '--on', 'read'];
    const DATABASE_READ_URL = db.url;
    const found = await runCommand(asked, { DATABASE_URL: db.url, DATABASE_READ_URL });
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('whole') as string });
    const none = await runCommand(asked, { DATABASE_URL: db.url });
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DATABASE_READ_URL is not set') as string,
    });
    const away = 'postgresql://nobody:secret@127.0.0.1:1/none';
    const status = await runCommand(['status'], { DATABASE_URL: db.url, DATABASE_READ_URL: away });
    expect(status.stdout).toContain('Readers\n  The reader 127.0.0.1:1 does not answer\n');
    const check = await runCommand(['check', '--json'], {
      DATABASE_URL: db.url,
      DATABASE_READ_URL: away,
    });
    expect(check.stdout).toContain('"kind":"reader","subject":"127.0.0.1:1"');
    const wrong = await runCommand([...asked.slice(0, 3), 'both'], { DATABASE_URL: db.url });
    expect(wrong).toMatchObject({ code: 2 });
  });

  test('--json is one object', async () => {
    const command = await verify(undefined, '--json');
    expect(JSON.parse(command.stdout)).toEqual({
      source: 'ceidg',
      dump_date: '2026-11-06',
      is_whole: true,
      findings: [],
    });
    expect(command.code).toBe(0);
  });

  test.each(tamperings)('1 finds %s', async (_, statement, finding) => {
    const command = await verify(statement);
    expect(command.stdout).toMatch(finding);
    expect(command.code).toBe(1);
  });

  test('1 with --json has the sentences', async () => {
    const [, statement, finding] = tamperings[0]!;
    const command = await verify(statement, '--json');
    const found = JSON.parse(command.stdout) as { is_whole: boolean; findings: string[] };
    expect(found.is_whole).toBe(false);
    expect(found.findings).toEqual([
      expect.stringMatching(/^company \d+ does not show what its entries say$/),
      expect.stringMatching(finding),
      expect.stringMatching(/^the hash of entry \d+ is not that of its content$/),
    ]);
    expect(command.code).toBe(1);
  });
});
