import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../fixtures/registry/bir-entity.ts';
import { type BirStub, startBirStub } from '../../fixtures/registry/bir-stub.ts';
import { offerFixture, startCeidgStub } from '../../fixtures/registry/ceidg-stub.ts';
import { runCommand, startCommand } from '../../fixtures/process/cli.ts';
import { createInbox, readObjects } from '../../fixtures/registry/fetching.ts';
import { currentExtract, type KrsEntry, startKrsStub } from '../../fixtures/registry/krs-stub.ts';
import { startCatalogueStub, startSireneStub } from '../../fixtures/registry/sirene-stub.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { dayIn } from '../../sql/country.ts';
import { checkDay } from '../fetch/fetcher.ts';
import type { FetchReport } from '../fetch/report.ts';

const day = '2026-11-03';
const key = 'klucz-klucz-klucz-00';
const krsNumbers = Array.from({ length: 8 }, (_, at) => `000900000${at}`);
/** The address of an unreachable database: `fetch` must work without a database. */
const DATABASE_URL = 'postgresql://nobody:secret@127.0.0.1:1/none';

let inbox: string;

/** Starts a stub of KRS with eight entries. @returns the stub, and the settings with which a command requests it */
async function startKrs() {
  const entries = krsNumbers.map((krs): [string, KrsEntry] => [
    krs,
    { register: 'P', current: currentExtract(krs, 'ZMYŚLONA') },
  ]);
  const bulletins = { [day]: krsNumbers };
  const stub = await startKrsStub({ bulletins, entries: Object.fromEntries(entries) });
  return { stub, settings: variables({ KRS_URL: stub.url }) };
}

function startBir(): Promise<BirStub> {
  const entities = [
    legalPerson('997102004', '1000700502', 'ZMYŚLONA'),
    naturalPerson('997142044', '1004704508', 'ĆWIĘKAŁA'),
  ];
  const list = 'BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych';
  return startBirStub({ key, lists: { [list]: ['997102004', '997142044'] }, entities });
}

function variables(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { DATABASE_URL, INBOX_DIR: inbox, ...more };
}

const fetchDay = (source: string, settings: NodeJS.ProcessEnv, ...options: string[]) =>
  runCommand(['fetch', source, '--date', day, ...options], settings);

// The tests in this file run in parallel and use no hooks, because a hook cannot know for which test it runs.
describe('fetch with wrong options', () => {
  test.concurrent.each([
    [['fetch', '--date', day], "missing required argument 'source'"],
    [['fetch', 'krs'], "required option '--date <day>' not specified"],
    [['fetch', 'rne', '--date', day], 'these can: ceidg, krs, regon, sirene'],
    [['fetch', 'krs', '--date', '2026-02-30'], "'2026-02-30' is no day YYYY-MM-DD"],
    [['fetch', 'krs', '--date', dayIn(new Date())], 'is not over'],
    [['fetch', 'krs', '--date', day], 'KRS_URL is not set'],
    [['fetch', 'regon', '--date', day], 'BIR_API_KEY is not set'],
    [['fetch', 'ceidg', '--date', day], 'CEIDG_TOKEN is not set'],
  ])('2 for %j', async (args, sentence) => {
    const command = await runCommand(args, { DATABASE_URL, INBOX_DIR: '/nonexistent' });
    expect(command.stderr).toContain(sentence);
    expect(command).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('fetch', () => {
  beforeEach(async () => {
    inbox = await createInbox();
  });

  test('0 says what it has brought; 5 when it is asked again', async () => {
    const { stub, settings } = await startKrs();
    const command = await fetchDay('krs', settings);
    const path = join(inbox, 'krs', day);
    expect(command.sentences()).toEqual([]);
    expect(command.stdout).toBe(`krs ${day}: fetched, 8 of 8 had, in ${path}\n`);
    expect(command.logs().map(({ step, done }) => [step, done])).toEqual([
      ['bulletin', undefined],
      ['extracts', 8],
    ]);
    expect(command.code).toBe(0);

    const again = await fetchDay('krs', settings);
    expect(again.sentences()).toEqual([`Nothing to do: ${path} is there already`]);
    expect(again).toMatchObject({ code: 5, stdout: '' });
    const json = JSON.parse((await fetchDay('krs', settings, '--json')).stdout) as object;
    expect(json).toMatchObject({ source: 'krs', dump_date: day, state: 'nothing' });
    expect(stub.requests).toHaveLength(9);
  });

  const krs404 = async () => {
    const { stub, settings } = await startKrs();
    stub.interfere(() => ({ status: 404 }));
    return settings;
  };
  const wrongKey = async () => ({ BIR_URL: (await startBir()).url, BIR_API_KEY: 'wrong-secret' });
  const noReport = async () => {
    const stub = await startCeidgStub({ token: 'token', reports: [] });
    return { CEIDG_URL: stub.url, CEIDG_TOKEN: 'token' };
  };
  const noDay = `Refused: CEIDG has no reports made on ${day}; it has those of no day`;
  test.each([
    [1, 'krs', krs404, 'KRS answers with HTTP 404'],
    [2, 'regon', wrongKey, 'BIR_API_KEY is not accepted: REGON opens no session with it.'],
    [3, 'ceidg', noReport, noDay],
  ])('%d of %s, in one sentence', async (code, source, start, sentence) => {
    const command = await fetchDay(source, variables(await start()));
    expect(command).toMatchObject({ code, stdout: '' });
    expect(command.sentences()).toEqual([sentence]);
    expect(existsSync(join(inbox, source, day))).toBe(false);
  });

  test('4 while another process fetches the same', async () => {
    const { stub, settings } = await startKrs();
    const end = Promise.withResolvers<void>();
    stub.interfere(() => ({ held: end.promise }));
    const first = startCommand(['fetch', 'krs', '--date', day], settings);
    await stub.isAsked(() => true);
    const second = await fetchDay('krs', settings);
    expect(second.sentences()).toEqual([
      `Not started: Process ${first.child.pid} is fetching krs of ${day}`,
    ]);
    expect(second.code).toBe(4);
    end.resolve();
    expect(await first.end).toBe(0);
  });

  test('kill -9 anywhere, and again: nothing is asked twice, nothing is there twice', async () => {
    const { stub, settings } = await startKrs();
    const path = join(inbox, 'krs', day);
    for (const stopAt of [1, 4, 3]) {
      const before = stub.requests.length;
      // The stub of KRS answers `stopAt - 1` requests, and leaves all later requests without an answer.
      stub.interfere((_, count) => (count >= stopAt ? { silent: true } : undefined));
      const command = startCommand(['fetch', 'krs', '--date', day], settings);
      await stub.isAsked(() => stub.requests.length >= before + stopAt);
      command.child.kill('SIGKILL');
      expect(await command.end).toBe('SIGKILL');
      expect(existsSync(path)).toBe(false);
    }
    const done = await readObjects(join(inbox, 'krs', `.${day}.part`, 'journal.ndjson'));
    const before = stub.requests.length;
    stub.interfere(() => undefined);
    const command = await fetchDay('krs', settings);
    expect(command.code).toBe(0);
    expect(stub.requests.length - before).toBe(krsNumbers.length - done.length);
    const extracts = await readObjects<{ odpis: { naglowekA: { numerKRS: string } } }>(
      join(path, 'extracts.ndjson'),
    );
    const numbers = extracts.map(({ odpis }) => odpis.naglowekA.numerKRS);
    expect(numbers.toSorted()).toEqual(krsNumbers);
    expect(await readdir(join(inbox, 'krs'))).toEqual([day, `${day}.fetched.json`]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: a sentence, and what was had is kept',
    async (signal) => {
      const stub = await startBir();
      const settings = variables({ BIR_URL: stub.url, BIR_API_KEY: key });
      stub.interfere(({ body }) => (body.includes('<ns:pRegon>') ? { silent: true } : undefined));
      const command = startCommand(['fetch', 'regon', '--date', day], settings);
      await stub.isAsked(({ body }) => body.includes('<ns:pRegon>'));
      command.child.kill(signal);
      expect(await command.end).toBe(signal);
      expect(command.sentences()).toEqual([
        `Stopped by ${signal}; what was had is kept, run it again to go on`,
      ]);
      expect(await readdir(join(inbox, 'regon'))).toEqual([`.${day}.part`]);
      expect(await readdir(join(inbox, 'regon', `.${day}.part`, 'lists'))).toHaveLength(6);
    },
  );
});

test('a day that is not over is known by the clock of the country', async () => {
  const night = new Date('2026-11-20T23:30:00Z');
  const check = (source: string, date: string) => checkDay(source, date, night);
  await expect(check('regon', '2026-11-20')).resolves.toBeUndefined();
  await expect(check('regon', '2026-11-21')).rejects.toThrow('2026-11-21 is not over');
  // CEIDG makes the reports of a day in the morning of this day, so the current day can be fetched.
  await expect(check('ceidg', '2026-11-21')).resolves.toBeUndefined();
  await expect(check('ceidg', '2026-11-22')).rejects.toThrow('2026-11-22 is in the future');
});

test('what is fetched from CEIDG is a night for `nightly`, and half of it is none', async () => {
  const db = await createTestDatabase();
  inbox = await createInbox();
  const stub = await startCeidgStub({ token: 'token', reports: await offerFixture('2026-11-02') });
  const service = { CEIDG_URL: stub.url, CEIDG_TOKEN: 'token' };
  const settings = variables({ DATABASE_URL: db.url, ...service });
  const { id } = (await offerFixture('2026-11-02'))[5]!;
  stub.interfere(({ path }) => (path.endsWith(id) ? { status: 404 } : undefined));
  const half = await runCommand(['fetch', 'ceidg', '--date', '2026-11-02'], settings);
  expect(half.code).toBe(3);
  const nothing = await runCommand(['nightly'], settings);
  expect(nothing.code).toBe(5);
  expect(nothing.logs().filter(({ level }) => level !== 30)).toEqual([]);
  // Creates the hidden folders that unfinished fetches of other days left; no later fetch continues these fetches.
  for (const other of ['2026-11-01', '2026-11-03']) {
    await mkdir(join(inbox, 'ceidg', `.${other}.part`));
  }

  stub.interfere(() => undefined);
  const whole = await runCommand(['fetch', 'ceidg', '--date', '2026-11-02'], settings);
  expect(whole.code).toBe(0);
  const left = await readdir(join(inbox, 'ceidg'));
  expect(left.filter((name) => name.endsWith('.part'))).toEqual(['.2026-11-03.part']);
  const night = await runCommand(['nightly', '--json'], settings);
  expect(night.code).toBe(0);
  const { runs } = JSON.parse(night.stdout) as { runs: { entries: number; notices: unknown[] }[] };
  expect(runs).toMatchObject([{ dump_date: '2026-11-02', state: 'published', entries: 81 }]);
  const report = await readFile(join(inbox, 'ceidg', '2026-11-02.fetched.json'), 'utf8');
  expect(JSON.parse(report)).toMatchObject({ asked: 17, had: 17 });
});

test('SIRENE is asked for the lists since the stock that is published, and for those of the day without a database', async () => {
  const db = await createTestDatabase();
  await db.pool.query(
    `insert into registry.run (source, dump_date, dump_kind, state, started_at, finished_at, path)
     values ('sirene', '2026-10-31', 'full', 'published', now(), now(), '')`,
  );
  const stub = await startSireneStub({ token: 'key' });
  const catalogue = await startCatalogueStub([]);
  const fetchLists = async (url: string) => {
    inbox = await createInbox();
    const service = { SIRENE_URL: stub.url, SIRENE_STOCK_URL: catalogue.url, SIRENE_TOKEN: 'key' };
    const settings = variables({ DATABASE_URL: url, ...service });
    const { stdout } = await fetchDay('sirene', settings, '--json');
    return (JSON.parse(stdout) as FetchReport).days;
  };
  expect(await fetchLists(db.url)).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
  expect(await fetchLists(DATABASE_URL)).toEqual(['2026-11-03']);
});
