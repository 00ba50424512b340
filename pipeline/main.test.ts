import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../fixtures/process/cli.ts';
import { fixtureFolder } from '../fixtures/dump/night.ts';
import { administer, withDatabase } from '../fixtures/database/test-cluster.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';

const folder = fixtureFolder('2026-11-02');
/** Nobody listens there. */
const nowhere = 'postgresql://nobody:secret@127.0.0.1:1/none';

describe('wrong usage exits with 2, says what is wrong, and needs no database', () => {
  test.concurrent.each([
    { args: [], says: 'Usage: registry' },
    { args: ['ingets'], says: "unknown command 'ingets'" },
    { args: ['status', 'now'], says: 'too many arguments' },
    { args: ['status', '--xml'], says: "unknown option '--xml'" },
    {
      args: ['ingest', 'ceidg', '--date', '2026-11-02'],
      says: "missing required argument 'path'",
    },
    { args: ['ingest', 'ceidg', folder], says: "required option '--date <day>' not specified" },
    {
      args: ['ingest', 'regno', folder, '--date', '2026-11-02'],
      says: "There is no source 'regno'; is it regon? There is: ceidg, krs, regon, sirene",
    },
    { args: ['verify', '../ceidg'], says: "There is no source '../ceidg'" },
    {
      args: ['ingest', 'ceidg', folder, '--date', '2026-02-30'],
      says: "'2026-02-30' is no day YYYY-MM-DD",
    },
    {
      args: ['ingest', 'ceidg', '/no/such/dump', '--date', '2026-11-02'],
      says: '/no/such/dump: no such file or folder',
    },
    {
      args: ['ingest', 'ceidg', folder, '--date', '2026-11-02', '--accept', ' '],
      says: '--accept needs a reason',
    },
    { args: ['check', '--max-age', 'two'], says: '--max-age must be a whole number' },
    { args: ['runs', '--source', 'ceidgg'], says: "There is no source 'ceidgg'; is it ceidg?" },
    { args: ['rejects', '1; drop table'], says: "'1; drop table' is no number of a run" },
  ])('registry $args', async ({ args, says }) => {
    const command = await runCommand(args, { DATABASE_URL: nowhere });
    expect(command.stderr).toContain(says.replaceAll('"', '\\"'));
    expect(command.stdout).toBe('');
    expect(command.code).toBe(2);
  });

  test.concurrent.each([
    ['DATABASE_URL', 'mysql://root:secret@host/name'],
    ['LOG_LEVEL', 'secret'],
    ['NIGHTLY_CRON', 'every secret day'],
  ])('%s that is wrong is named, its value is not', async (name, value) => {
    const command = await runCommand(['status', '--json'], {
      DATABASE_URL: nowhere,
      [name]: value,
    });
    expect(command.sentences()).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be .+\\.$`)),
    ]);
    expect(command.stderr).not.toContain('secret');
    expect(command.stdout).toBe('');
    expect(command.code).toBe(2);
  });
});

test('help names every command and every registry that can be fetched, and marks required options', async () => {
  const [all, fetching, exporting] = await Promise.all(
    [['--help'], ['fetch', '--help'], ['export', '--help']].map((args) => runCommand(args, {})),
  );
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(all!.stdout.match(/(?<=^ {2})[a-z|]+(?= )/gm)).toEqual(
    expect.arrayContaining(['nightly', 'ingest', 'worker|work', 'rejects', 'verify', 'migrate']),
  );
  const [, listed] = /^ {2}source +(.*)$/m.exec(fetching!.stdout)!;
  expect(listed).toBe('ceidg, krs, regon or sirene');
  expect(fetching!.stdout).toMatch(/--date <day> .*\(required\)\n/);
  expect(exporting!.stdout).toMatch(/--format <format> .*\(required\)\n/);
  expect(exporting!.stdout.match(/\(required\)/g)).toHaveLength(1);
});

describe('wrong settings that different parts of the program read are named together', () => {
  test.concurrent.each([
    ['serve', ['NIGHTLY_CRON', 'PORT']],
    ['worker', ['NIGHTLY_CRON', 'KRS_URL']],
    ['nightly --fetch', ['NIGHTLY_CRON', 'KRS_URL']],
    ['schedule --fetch', ['NIGHTLY_CRON', 'KRS_URL']],
    ['nightly', ['NIGHTLY_CRON']],
  ])('%s: %j', async (line, names) => {
    const wrong = { NIGHTLY_CRON: 'never', KRS_URL: 'krs', PORT: 'http' };
    const command = await runCommand(line.split(' '), { DATABASE_URL: nowhere, ...wrong });
    const named = command.sentences().map((sentence) => sentence.split(' ')[0]);
    expect(named).toEqual(names);
    expect(command.code).toBe(2);
  });
});

describe('a fault', () => {
  test('exits with 1 and one sentence, without the password', async () => {
    const command = await runCommand(['nightly'], { DATABASE_URL: nowhere });
    expect(command.sentences()).toEqual([
      expect.stringMatching(/^The database cannot be reached: .*ECONNREFUSED/),
    ]);
    expect(command.stderr).not.toContain('secret');
    expect(command.stdout).toBe('');
    expect(command.code).toBe(1);
  });

  test('with --json is an object too', async () => {
    const command = await runCommand(['status', '--json'], { DATABASE_URL: nowhere });
    const message = expect.stringMatching(/^The database cannot be reached: /) as string;
    expect(JSON.parse(command.stdout)).toEqual({ state: 'failed', message });
    expect(command.code).toBe(1);
  });
});

describe('--version', () => {
  test('is that of the package with the commit', async () => {
    const command = await runCommand(['--version'], { DATABASE_URL: nowhere });
    expect(command.stdout).toMatch(/^\d+\.\d+\.\d+( \([\da-f]{7,}\))?\n$/);
    expect(command.stderr).toBe('');
    expect(command.code).toBe(0);
  });
});

describe('migrate', () => {
  const name = `registry_test_${randomUUID().replaceAll('-', '')}`;

  beforeAll(() => administer(inject('serverUrl'), `create database ${name} template template0`));
  afterAll(() => administer(inject('serverUrl'), `drop database ${name} with (force)`));

  test('names what it applied, and the second time that there is nothing left', async () => {
    const variables = { DATABASE_URL: withDatabase(inject('serverUrl'), name) };
    const first = await runCommand(['migrate'], variables);
    expect(first.stdout).toMatch(
      /^applied release \d\S+\n(applied \d{4}_\w+\n)+(applied function\/\d\d_\w+\.sql\n)+$/,
    );
    expect(first.code).toBe(0);
    const second = await runCommand(['migrate'], variables);
    expect(second.stdout).toBe('up to date\n');
    expect(second.code).toBe(0);
  });
});

describe('before the first run', async () => {
  const db = await createTestDatabase();

  test('status says how to begin', async () => {
    const command = await runCommand(['status'], { DATABASE_URL: db.url });
    const [said] = command.stdout.split('Sessions: ');
    expect(said).toBe(
      'No run yet. Start with: registry ingest <source> <path> --date <day>\nWatch lists\n  0 ready; 0 queued; 0 failed in the last 7 days; 0 submissions open\nMail\n  0 queued; 0 failed in the last 7 days\n',
    );
    expect(command.code).toBe(0);
  });

  test('verify has nothing to do: 5', async () => {
    const command = await runCommand(['verify', 'ceidg'], { DATABASE_URL: db.url });
    expect(command.sentences()).toEqual(['Nothing of ceidg is published yet']);
    expect(command.stdout).toBe('');
    expect(command.code).toBe(5);
  });

  test('rejects of a run that is not there: 2', async () => {
    const command = await runCommand(['rejects', '1'], { DATABASE_URL: db.url });
    expect(command.sentences()).toEqual(['There is no run 1']);
    expect(command.code).toBe(2);
  });
});
