import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type OfferedReport,
  offerFixture,
  startCeidgStub,
} from '../../../fixtures/registry/ceidg-stub.ts';
import { createInbox, hasty, planOf } from '../../../fixtures/registry/fetching.ts';
import { page, type Stub } from '../../../fixtures/registry/service-stub.ts';
import { Refusal, WrongUsage } from '../../errors.ts';
import { Ceidg, fetchCeidg } from './fetch.ts';
import type { ServiceSettings } from '../../fetch/service.ts';

const date = '2026-11-03';
const token = 'eyJhbGciOi.token';

const today = await offerFixture(date);
const yesterday = await offerFixture('2026-11-02');

function other(report: OfferedReport, changed: Partial<OfferedReport>): OfferedReport {
  return { ...report, id: `${report.id}-other`, bytes: Buffer.from('not to be asked'), ...changed };
}

/** The list of reports that the stub of CEIDG offers: of several days, of two kinds, and in two formats. */
const offered = [
  ...yesterday,
  ...today,
  other(today[0]!, { format: '.xml' }),
  other(today[0]!, { nazwa: today[0]!.nazwa.replace(/^[^-]+-/, 'Złożone wnioski -') }),
  other(today[1]!, { 'data-utworzenia': `${date} 01:00:00` }),
];

let inbox: string;
let stub: Stub;
const folder = () => join(inbox, 'ceidg', date);

beforeEach(async () => {
  inbox = await createInbox();
  stub = await startCeidgStub({ token, reports: offered });
});

function fetchDay(options: ServiceSettings & { token?: string } = {}) {
  const ceidg = new Ceidg({ url: stub.url, token, ...hasty, ...options });
  return fetchCeidg(ceidg, planOf(inbox, date));
}

async function expectWhole(): Promise<void> {
  expect(await readdir(folder())).toHaveLength(17);
  for (const { nazwa, bytes } of today) {
    expect((await readFile(join(folder(), `${nazwa}.zip`))).equals(bytes)).toBe(true);
  }
}

describe('fetchCeidg', () => {
  test('writes the 17 archives of the day, the newest of each', async () => {
    expect(await fetchDay()).toMatchObject({ dump_date: date, asked: 17, had: 17 });
    await expectWhole();
    expect(stub.requests).toHaveLength(18);
    // The token is sent only to the configured address, never to an address in the list of reports.
    const hosts = new Set(stub.requests.map(({ headers }) => headers.host));
    expect([...hosts]).toEqual([new URL(stub.url).host]);
  });

  const most = today.filter(({ nazwa }) => !/ (łódzkie|pomorskie)$/.test(nazwa));
  test.each([
    [most, `CEIDG has 15 of the 17 reports of ${date}; not yet: łódzkie, pomorskie`],
    [yesterday, `CEIDG has no reports made on ${date}; it has those of 2026-11-02`],
  ])('refuses a day that is not all there: %#', async (reports, sentence) => {
    stub = await startCeidgStub({ token, reports });
    await expect(fetchDay()).rejects.toThrow(new Refusal(sentence));
    expect(existsSync(folder())).toBe(false);
  });

  test.each([
    ['cut between chunks', { cut: true as const, isChunked: true }],
    ['short of its end', { status: 200, body: today[0]!.bytes.subarray(0, 200) }],
    ['a page', page],
    ['empty', { status: 200, body: '' }],
    ['403 with a break', { status: 403, headers: { 'Retry-After': '0' } }],
    ['silent', { silent: true as const }],
  ])('an archive that is not whole is asked again: %s', async (_, interference) => {
    stub.interfere(({ path }, count) =>
      path.includes('/raport/') && count % 5 === 0 ? interference : undefined,
    );
    expect(await fetchDay({ timeout_ms: 300 })).toMatchObject({ had: 17 });
    await expectWhole();
  });

  test('refuses while an archive cannot be had, and goes on from there the next time', async () => {
    const { id } = today[4]!;
    stub.interfere(({ path }) => (path.endsWith(id) ? { cut: true } : undefined));
    const fetching = fetchDay();
    await expect(fetching).rejects.toThrow(Refusal);
    await expect(fetching).rejects.toThrow(
      /^1 of the 17 reports of 2026-11-03 could not be had: .+ \(CEIDG breaks off in the middle/,
    );
    expect(existsSync(folder())).toBe(false);
    // A partial file that a killed fetch left is downloaded again.
    const work = join(inbox, 'ceidg', `.${date}.part`);
    await writeFile(join(work, `${today[4]!.nazwa}.zip`), today[4]!.bytes.subarray(0, 100));
    stub.requests.length = 0;
    stub.interfere(() => undefined);
    await fetchDay();
    expect(stub.requests.map(({ path }) => path)).toEqual([
      '/api/ceidg/v3/raporty',
      `/api/ceidg/v3/raport/${id}`,
    ]);
    await expectWhole();
  });

  test('a wrong token is named in one sentence, which does not hold it', async () => {
    const refusal = new WrongUsage('CEIDG_TOKEN is not accepted: CEIDG answers with HTTP 401.');
    await expect(fetchDay({ token: 'wrong-secret' })).rejects.toThrow(refusal);
    expect(stub.requests).toHaveLength(1);
  });
});
