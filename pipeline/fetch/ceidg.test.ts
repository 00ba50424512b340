import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type OfferedReport,
  offerFixture,
  startCeidgStub,
} from '../../fixtures/registry/ceidg-stub.ts';
import { createInbox, hasty, planOf } from '../../fixtures/registry/fetching.ts';
import { page, type Stub } from '../../fixtures/registry/service-stub.ts';
import { Refusal, WrongUsage } from '../errors.ts';
import { Ceidg } from './ceidg.ts';
import { fetchCeidg } from './ceidg-dump.ts';

const date = '2026-11-03';
const token = 'eyJhbGciOi.token';

const today = await offerFixture(date);
const yesterday = await offerFixture('2026-11-02');

function other(report: OfferedReport, changed: Partial<OfferedReport>): OfferedReport {
  return { ...report, id: `${report.id}-other`, bytes: Buffer.from('not to be asked'), ...changed };
}

/** As CEIDG offers them: of several days, of both kinds, in both formats. */
const offered = [
  ...yesterday,
  ...today,
  other(today[0]!, { format: '.xml' }),
  other(today[0]!, { nazwa: today[0]!.nazwa.replace(/^[^-]+-/, 'Złożone wnioski -') }),
  other(today[1]!, { 'data-utworzenia': `${date} 01:00:00` }),
];
const entry = {
  id: '31F87519-9395-4FCF-8E19-6D5C0522FA7A',
  nazwa: 'ZMYŚLONA Dobrożyźń Ćwiękała',
  wlasciciel: { imie: 'Dobrożyźń', nazwisko: 'Ćwiękała', nip: '1004704508', regon: '997142044' },
  status: 'AKTYWNY',
  pkdGlowny: { kod: '8623Z', nazwa: 'Praktyka dentystyczna' },
};

let inbox: string;
let stub: Stub;
const folder = () => join(inbox, 'ceidg', date);

beforeEach(async () => {
  inbox = await createInbox();
});

async function start(reports: readonly OfferedReport[] = offered): Promise<Stub> {
  const started = await startCeidgStub({ token, reports, entries: [entry] });
  stub = started;
  return started;
}

function connect(options: Partial<ConstructorParameters<typeof Ceidg>[0]> = {}): Ceidg {
  return new Ceidg({ url: stub.url, token, ...hasty, ...options });
}

function fetchDay(options: Partial<ConstructorParameters<typeof Ceidg>[0]> = {}) {
  return fetchCeidg(connect(options), planOf(inbox, date));
}

async function expectWhole(): Promise<void> {
  expect(await readdir(folder())).toHaveLength(17);
  for (const { nazwa, bytes } of today) {
    expect((await readFile(join(folder(), `${nazwa}.zip`))).equals(bytes)).toBe(true);
  }
}

describe('fetchCeidg', () => {
  test('writes the 17 archives of the day, the newest of each', async () => {
    await start();
    expect(await fetchDay()).toMatchObject({
      source: 'ceidg',
      dump_date: date,
      asked: 17,
      had: 17,
    });
    await expectWhole();
    expect(stub.requests).toHaveLength(18);
    // The token goes to the configured address alone, never to an address in the list.
    expect(stub.requests.every(({ headers }) => headers.host === new URL(stub.url).host)).toBe(
      true,
    );
  });

  test('refuses a day of which there is nothing, and names those of which there is', async () => {
    await start(yesterday);
    await expect(fetchDay()).rejects.toThrow(Refusal);
    await expect(fetchDay()).rejects.toThrow(
      `CEIDG has no reports made on ${date}; it has those of 2026-11-02`,
    );
  });

  test('refuses a day that is not all there yet', async () => {
    await start(today.filter(({ nazwa }) => !/ (łódzkie|pomorskie)$/.test(nazwa)));
    await expect(fetchDay()).rejects.toThrow(
      `CEIDG has 15 of the 17 reports of ${date}; not yet: łódzkie, pomorskie`,
    );
    expect(existsSync(folder())).toBe(false);
  });

  test.each([
    ['cut', { cut: true as const }],
    ['cut between chunks', { cut: true as const, isChunked: true }],
    ['short of its end', { status: 200, body: today[0]!.bytes.subarray(0, 200) }],
    ['a page', page],
    ['empty', { status: 200, body: '' }],
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'Retry-After': '0' } }],
    ['403 with a break', { status: 403, headers: { 'Retry-After': '0' } }],
  ])('an archive that is not whole is asked again: %s', async (_, interference) => {
    await start();
    stub.interfere(({ path }, count) =>
      path.includes('/raport/') && count % 5 === 0 ? interference : undefined,
    );
    expect(await fetchDay()).toMatchObject({ had: 17 });
    await expectWhole();
  });

  test('silence in the middle of an archive ends at the time limit', async () => {
    await start();
    stub.interfere((_, count) => (count === 4 ? { silent: true } : undefined));
    expect(await fetchDay({ timeout_ms: 300 })).toMatchObject({ had: 17 });
  });

  test('refuses while an archive cannot be had, and goes on from there the next time', async () => {
    await start();
    const { id, nazwa } = today[4]!;
    stub.interfere(({ path }) => (path.endsWith(id) ? { cut: true } : undefined));
    await expect(fetchDay()).rejects.toThrow(Refusal);
    await expect(fetchDay()).rejects.toThrow(
      /^1 of the 17 reports of 2026-11-03 could not be had: .+ \(CEIDG breaks off in the middle/,
    );
    expect(existsSync(folder())).toBe(false);
    stub.requests.length = 0;
    stub.interfere(() => undefined);
    await fetchDay();
    expect(stub.requests.map(({ path }) => path)).toEqual([
      '/api/ceidg/v3/raporty',
      `/api/ceidg/v3/raport/${id}`,
    ]);
    expect(nazwa).toMatch(/^Zarejestrowane/);
    await expectWhole();
  });

  test('half a file of a killed attempt is not taken for an archive', async () => {
    await start();
    const work = join(inbox, 'ceidg', `.${date}.part`);
    await mkdir(work, { recursive: true });
    const { nazwa, bytes } = today[2]!;
    await writeFile(join(work, `${nazwa}.zip`), bytes.subarray(0, 100));
    await fetchDay();
    await expectWhole();
  });

  test('a wrong token is named in one sentence, which does not hold it', async () => {
    await start();
    const fetching = fetchDay({ token: 'wrong-secret' });
    await expect(fetching).rejects.toThrow(WrongUsage);
    await expect(fetching).rejects.toThrow(
      /^CEIDG_TOKEN is not accepted: CEIDG answers with HTTP 401\.$/,
    );
    expect(stub.requests).toHaveLength(1);
  });

  test.each([
    ['a page', page, 'CEIDG sends a page of HTML in place of JSON'],
    ['no list', { status: 200, body: '{"raporty":null}' }, 'CEIDG sends no list of reports'],
    ['a number', { status: 200, body: '17' }, 'CEIDG sends no list of reports'],
  ])('a list that is none: %s', async (_, interference, sentence) => {
    await start();
    stub.interfere(() => interference);
    await expect(fetchDay()).rejects.toThrow(sentence);
    expect(stub.requests).toHaveLength(hasty.retry.retries + 1);
  });
});

describe('the entries of a number', () => {
  test('are those of a NIP or REGON, or none', async () => {
    await start();
    expect(await connect().entries({ nip: '1004704508' })).toEqual([entry]);
    expect(await connect().entries({ regon: '997142044' })).toEqual([entry]);
    expect(await connect().entries({ nip: '1003703501' })).toEqual([]);
  });
});
