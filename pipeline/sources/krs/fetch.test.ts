import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInbox, hasty, planOf, readObjects } from '../../../fixtures/registry/fetching.ts';
import {
  currentExtract,
  fullExtract,
  type KrsEntry,
  startKrsStub,
} from '../../../fixtures/registry/krs-stub.ts';
import { page, type Stub } from '../../../fixtures/registry/service-stub.ts';
import { Refusal } from '../../errors.ts';
import { type Extract, fetchKrs, Krs } from './fetch.ts';
import type { ServiceSettings } from '../../fetch/service.ts';

const date = '2026-11-19';

const entries: Record<string, KrsEntry> = {
  '0009000001': { register: 'P', current: currentExtract('0009000001', 'ZMYŚLONA SP. Z O.O.') },
  '0009000002': { register: 'S', current: currentExtract('0009000002', 'FUNDACJA ŻUK', 'RejS') },
  '0009000003': { register: 'P', full: fullExtract('0009000003', 'DAWNA S.A.') },
  '0009000004': { register: 'P' },
};
const moved = currentExtract('0009000006', 'FUNDACJA DALEJ', 'RejS');
const gone = fullExtract('0009000007', 'DAWNIEJ S.A.');
/** KRS numbers that both registers had; one or both of the registers have struck off the company. */
const inBoth: Record<string, KrsEntry[]> = {
  '0009000006': [
    { register: 'P', full: fullExtract('0009000006', 'DAWNIEJ S.A.') },
    { register: 'S', current: moved },
  ],
  '0009000007': [{ register: 'P' }, { register: 'S', full: gone }],
};
/**
 * The numbers in the bulletin, the list of changed numbers: unsorted, one of them twice, and one that KRS does not
 * know.
 */
const bulletin = ['0009000003', '0009000001', '0009000005', '0009000002', '0009000001'];

let inbox: string;
let stub: Stub;
const folder = () => join(inbox, 'krs', date);

beforeEach(async () => {
  inbox = await createInbox();
  const bulletins = {
    [date]: [...bulletin, '0009000004'],
    '2026-11-15': [],
  };
  stub = await startKrsStub({ bulletins, entries: { ...entries, ...inBoth } });
});

function connect(options: ServiceSettings = {}): Krs {
  return new Krs({ url: stub.url, ...hasty, ...options });
}

function fetchDay(day = date, options: ServiceSettings = {}) {
  return fetchKrs(connect(options), planOf(inbox, day));
}

const wanted = ['0009000001', '0009000002', '0009000003'].map((krs) => {
  const { current, full } = entries[krs]!;
  return current ?? full;
});

/** Expects that the dump has each wanted extract exactly once. */
async function expectWhole(): Promise<void> {
  const extracts = await readObjects<Extract>(join(folder(), 'extracts.ndjson'));
  expect(extracts).toHaveLength(wanted.length);
  expect(extracts).toEqual(expect.arrayContaining(wanted));
}

describe('fetchKrs', () => {
  test('writes the extract of each company; 204 and 404 are outcomes', async () => {
    expect(await fetchDay()).toEqual({
      source: 'krs',
      dump_date: date,
      state: 'fetched',
      asked: 5,
      had: 3,
      not_found: ['0009000005'],
      without_extract: ['0009000004'],
      odd: [],
      missing: [],
      left: 0,
    });
    expect(await readdir(folder())).toEqual(['deleted.txt', 'extracts.ndjson']);
    expect(await readFile(join(folder(), 'deleted.txt'), 'utf8')).toBe('0009000004\n');
    await expectWhole();
    expect(stub.requests[0]!.path).toBe(`/api/krs/Biuletyn/${date}`);
  });

  test('a day without entries has an empty file', async () => {
    expect(await fetchDay('2026-11-15')).toMatchObject({ asked: 0, had: 0 });
    const path = join(inbox, 'krs', '2026-11-15', 'extracts.ndjson');
    expect(await readFile(path, 'utf8')).toBe('');
  });

  test('a bulletin that is not there is a fault, for an empty day has an empty one', async () => {
    stub.interfere(() => ({ status: 404 }));
    await expect(fetchDay()).rejects.toThrow('KRS answers with HTTP 404');
    expect(existsSync(folder())).toBe(false);
  });

  test.each([
    ['a page', page, 'KRS sends a page of HTML in place of JSON'],
    [
      'half of it',
      { status: 200, body: '["0009000001",' },
      'KRS sends something unreadable in place of JSON',
    ],
    ['an object', { status: 200, body: '{"krs":[]}' }, 'KRS sends no list of KRS numbers'],
    ['other things', { status: 200, body: '["PL12"]' }, 'KRS sends no list of KRS numbers'],
    ['nothing', { status: 200, body: '' }, 'KRS sends an empty answer in place of JSON'],
  ])('a bulletin that is none is asked again: %s', async (_, interference, sentence) => {
    const sentences: string[] = [];
    stub.interfere((_request, count) => (count === 1 ? interference : undefined));
    const onRetry = (said: string) => sentences.push(said);
    expect(await fetchDay(date, { onRetry })).toMatchObject({ asked: 5 });
    expect(sentences).toEqual([sentence]);
  });

  test.each([
    ['500', { status: 500 }],
    [
      'the extract of another company',
      { status: 200, body: JSON.stringify(currentExtract('0009000009', 'INNA')) },
    ],
    ['no extract', { status: 200, body: '{"odpis":{"naglowekA":null}}' }],
    ['null', { status: 200, body: 'null' }],
  ])('an extract that is none is asked again: %s', async (_, interference) => {
    stub.interfere(({ path }, count) =>
      path.includes('Odpis') && count % 3 === 0 ? interference : undefined,
    );
    expect(await fetchDay()).toMatchObject({ asked: 5, had: 3, missing: [] });
    await expectWhole();
  });

  test('refuses when too much cannot be had, and asks only for that the next time', async () => {
    stub.interfere(({ path }) =>
      path.includes('Odpis') && !path.includes('0009000001') ? { status: 500 } : undefined,
    );
    const fetching = fetchDay();
    await expect(fetching).rejects.toThrow(Refusal);
    await expect(fetching).rejects.toThrow(/^4 of 5 numbers could not be had/);
    expect(existsSync(folder())).toBe(false);
    stub.requests.length = 0;
    stub.interfere(() => undefined);
    expect(await fetchDay()).toMatchObject({ asked: 5, had: 3 });
    expect(stub.requests.filter(({ path }) => /Biuletyn|0009000001/.test(path))).toEqual([]);
    await expectWhole();
  });
});

test.each([
  ['current in the register that has not struck it off', '0009000006', moved],
  ['full of whichever register has it', '0009000007', gone],
])('an extract is %s', async (_, number, extract) => {
  expect(await connect().extract(number)).toEqual({ outcome: 'had', extract });
});
