import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runMeasured } from '../../../fixtures/process/measured.ts';
import { legalPerson } from '../../../fixtures/registry/bir-entity.ts';
import { type BirStub, startBirStub } from '../../../fixtures/registry/bir-stub.ts';
import {
  createClock,
  createInbox,
  hasty,
  planOf,
  readObjects,
} from '../../../fixtures/registry/fetching.ts';
import { Bir } from './bir.ts';
import { fetchRegon } from './fetch.ts';
import type { ReportLine } from './fetch-report.ts';
import type { FetchPlan, FetchReport } from '../../fetch/report.ts';
import type { ServiceSettings } from '../../fetch/service.ts';

const key = 'klucz-klucz-klucz-00';
const [day, nextDay] = ['2026-11-18', '2026-11-19'];
const updated = 'BIR11AktualizowanePodmiotyPrawneOrazDzialalnosciOsFizycznych';
const deleted = 'BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych';

const regons = Array.from({ length: 120 }, (_, at) => `998${String(at).padStart(6, '0')}`);
const entities = regons.map((regon) => legalPerson(regon, '', 'SPÓŁKA'));
/** The numbers of the watched companies, the last four numbers of the lists. */
const watched = regons.slice(-4);

let inbox: string;
let notes: string[];
const folder = (date: string) => join(inbox, 'regon', date);

beforeEach(async () => {
  inbox = await createInbox();
  notes = [];
});

const start = (lists: Record<string, readonly string[]>) => startBirStub({ key, lists, entities });

/** Fetches a day with a limit of ten calls an hour; the test's clock advances without real waiting. */
function fetchSlowly(
  stub: BirStub,
  date: string,
  find: (due: readonly string[]) => Promise<string[]> = findWatched,
  changed: ServiceSettings = {},
): Promise<FetchReport> {
  const limits = () => [{ count: 10, window_ms: 3_600_000 }];
  const clock = createClock('2026-11-20T05:00:00Z');
  const bir = new Bir({ url: stub.url, key, ...hasty, limits, clock, ...changed });
  const query: FetchPlan['query'] = async (_, [due]) =>
    (await find(due as string[])).map((regon9) => ({ regon9 }));
  return fetchRegon(bir, { ...planOf(inbox, date, notes), query });
}

function findWatched(due: readonly string[]): Promise<string[]> {
  return Promise.resolve(watched.filter((regon) => due.includes(regon)));
}

function failToFind(): Promise<string[]> {
  return Promise.reject(new Error('The database cannot be reached'));
}

async function readList(date: string, file: string): Promise<string[]> {
  return (await readFile(join(folder(date), file), 'utf8')).split('\n').slice(0, -1);
}

async function readRegons(date: string): Promise<string[]> {
  const lines = await readObjects<ReportLine>(join(folder(date), 'reports.ndjson'));
  return [...new Set(lines.map(({ regon }) => regon))];
}

function asked(stub: BirStub): string[] {
  const calls = stub.calls().filter((call) => call.startsWith('DanePobierzPelnyRaport'));
  return calls.map((call) => call.split(' ')[2]!);
}

describe('a day that takes longer than the rates allow', () => {
  test('is said so beforehand, with its calls and hours, and begins with the watched companies', async () => {
    const stub = await start({ [updated]: regons });
    await fetchSlowly(stub, day, (due) => {
      expect(notes).toEqual([
        'REGON lists 120 entities: at least 366 calls, 37 hours at the rates that GUS allows. Watched companies come first; what is not had within 20 hours is left to the next fetch.',
      ]);
      expect(asked(stub)).toEqual([]);
      return findWatched(due);
    });
    // Four entities are requested in parallel; the first four are the watched entities.
    expect([...new Set(asked(stub))].slice(0, 4).toSorted()).toEqual(watched);
  });

  test('leaves the rest to the next fetch after 20 hours, with its place in the lists', async () => {
    const stub = await start({ [updated]: regons.slice(10), [deleted]: regons.slice(0, 110) });
    const report = await fetchSlowly(stub, day);
    expect(report).toMatchObject({ asked: 100, had: 100, missing: [], left: 20 });
    const first = await readRegons(day);
    expect(first).toHaveLength(100);
    const left = regons.filter((regon) => !first.includes(regon));
    expect(await readList(day, 'updated.txt')).toEqual(
      regons.slice(10).filter((regon) => first.includes(regon)),
    );
    expect(await readList(day, 'deleted.txt')).toEqual(regons.slice(0, 110));

    const next = await start({ [deleted]: [regons[0]!] });
    expect(await fetchSlowly(next, nextDay)).toMatchObject({ asked: 21, had: 21, left: 0 });
    expect((await readRegons(nextDay)).toSorted()).toEqual([regons[0]!, ...left]);
    expect(await readList(nextDay, 'updated.txt')).toEqual(left);
    expect(await readList(nextDay, 'deleted.txt')).toEqual([regons[0]]);
    const reports = [day, nextDay].flatMap((one) => [one, `${one}.fetched.json`]);
    expect(await readdir(join(inbox, 'regon'))).toEqual(reports);
  });

  test('goes on where it was interrupted, the watched companies first', async () => {
    const stub = await start({ [updated]: regons });
    const controller = new AbortController();
    stub.interfere(({ body }) => {
      if (asked(stub).length >= 60 && body.includes('<ns:pRegon>')) {
        controller.abort(new Error('told to end'));
      }
      return undefined;
    });
    const late = watched.slice(0, 1);
    const { signal } = controller;
    const broken = fetchSlowly(stub, day, () => Promise.resolve(watched.slice(1)), { signal });
    await expect(broken).rejects.toThrow('told to end');
    expect(existsSync(folder(day))).toBe(false);
    const journal = await readObjects<{ number: string }>(
      join(folder(`.${day}.part`), 'journal.ndjson'),
    );
    const done = journal.map(({ number }) => number);
    expect(done.length).toBeGreaterThan(10);
    expect(done).not.toContain(late[0]);

    stub.interfere(() => undefined);
    const before = stub.requests.length;
    expect(await fetchSlowly(stub, day)).toMatchObject({ asked: 120, had: 120, left: 0 });
    const again = stub.calls().slice(before).join('\n');
    expect(again).not.toContain('DanePobierzRaportZbiorczy');
    for (const regon of done) expect(again).not.toContain(`BIR12OsPrawna ${regon}`);
    const reports = again.split('\n').filter((call) => call.startsWith('DanePobierzPelnyRaport'));
    expect(reports.slice(0, 8).join()).toContain(late[0]);
    expect(await readRegons(day)).toHaveLength(120);
  });

  test('is fetched all the same where the watch lists cannot be read', async () => {
    const stub = await start({ [updated]: regons });
    expect(await fetchSlowly(stub, day, failToFind)).toMatchObject({ had: 100, left: 20 });
    expect(notes.at(-1)).toBe(
      'Which companies are watched is not known: The database cannot be reached',
    );
  });
});

test('a day that the rates allow asks for no watch lists', async () => {
  const stub = await start({ [updated]: regons.slice(0, 60) });
  expect(await fetchSlowly(stub, day, failToFind)).toMatchObject({ had: 60, left: 0 });
  expect(notes).toEqual([]);
});

const script = `
  const [bir, regon] = await Promise.all(process.argv.slice(1, 3).map((module) => import(module)));
  const [url, key, inboxDir, date] = process.argv.slice(3);
  const write = (object) => process.stdout.write(JSON.stringify(object) + '\\n');
  const progress = { step() {}, count() {}, close() {}, note: (note) => write({ note }) };
  // The fetch calls query() after it has read the lists and has planned all requests of the day.
  const query = (file, [{ length }]) => {
    write({ length, megabytes: process.resourceUsage().maxRSS / 1024 });
    process.exit();
  };
  const plan = { inboxDir, date, progress, query };
  await regon.fetchRegon(new bir.Bir({ url, key }), plan);
`;

test('a list of 200,000 numbers takes less than 288 MB', async () => {
  const many = Array.from({ length: 200_000 }, (_, at) => String(100_000_000 + at));
  const stub = await start({ [updated]: many });
  const modules = ['bir.ts', 'fetch.ts'].map((file) => new URL(file, import.meta.url).href);
  const written = await runMeasured(script, [...modules, stub.url, key, inbox, day]);
  const [note, planned] = written.split('\n').map((line) => JSON.parse(line || '{}') as object);
  expect(note).toEqual({
    note: expect.stringMatching(/^REGON lists 200,000 entities: at least 610,000 calls, 7\d hours/),
  });
  expect(planned).toMatchObject({ length: 200_000 });
  // The process takes 254 to 268 MB of memory, depending on when V8 collects garbage.
  expect((planned as { megabytes: number }).megabytes).toBeLessThan(288);
});
