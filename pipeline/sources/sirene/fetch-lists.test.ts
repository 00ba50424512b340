import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../fixtures/process/cli.ts';
import {
  createClock,
  createInbox,
  hasty,
  planOf,
  readObjects,
} from '../../../fixtures/registry/fetching.ts';
import { page, type Stub } from '../../../fixtures/registry/service-stub.ts';
import {
  rememberStock,
  type SireneKnowledge,
  startCatalogueStub,
  startSireneStub,
} from '../../../fixtures/registry/sirene-stub.ts';
import { NothingToDo, Refusal, WrongUsage } from '../../errors.ts';
import type { ServiceSettings } from '../../fetch/service.ts';
import { type Page, Sirene } from './fetch-lists.ts';
import { fetchSirene } from './fetch.ts';
import { StockCatalogue } from './fetch-stock.ts';

const date = '2026-11-20';
const token = 'a1b2c3d4-key';

const rows = (first: number, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ siren: String(900_000_000 + first + at), ...more }));
const establishments = (first: number, count: number) =>
  rows(first, count).map(({ siren }) => ({ siren, siret: `${siren}00012` }));

/** The data of the stub of SIRENE: five units and three establishments of one day, on pages of two rows. */
const knowledge: SireneKnowledge = {
  readyAt: '2026-11-21T07:40:39.000',
  pageRows: 2,
  days: { [date]: { siren: rows(0, 5), siret: establishments(0, 3) } },
};

let inbox: string;
let stub: Stub;
const notes: string[] = [];
/** The stub of a catalogue that lists no stock. */
const catalogue = await startCatalogueStub([]);

beforeEach(async () => {
  inbox = await createInbox();
});

async function start(more: SireneKnowledge = {}): Promise<void> {
  stub = await startSireneStub({ token, ...knowledge, ...more });
}

function connect(settings: ServiceSettings & { token?: string } = {}): Sirene {
  return new Sirene({ url: stub.url, token, ...hasty, ...settings });
}

function fetchDay(day = date, settings: ServiceSettings & { token?: string } = {}) {
  const stocks = new StockCatalogue({ ...hasty, url: catalogue.url });
  return fetchSirene(connect(settings), stocks, planOf(inbox, day, notes));
}

const folder = (day = date) => join(inbox, 'sirene', day);

/** Returns the SIRENs and SIRETs of a dump, in the order of the dump. */
async function readNumbers(day = date): Promise<string[]> {
  expect(await readdir(folder(day))).toEqual(['answers.ndjson']);
  const pages = await readObjects<Page>(join(folder(day), 'answers.ndjson'));
  return pages
    .flatMap(({ unitesLegales, etablissements }) => [...(unitesLegales ?? etablissements)!])
    .map(({ siren, siret }) => siret ?? siren);
}

const all = [
  ...rows(0, 5).map(({ siren }) => siren),
  ...establishments(0, 3).map(({ siret }) => siret),
];

const asked = () => stub.requests.map(({ path }) => path.replace('/api-sirene/3.11', ''));

describe('the lists of a day', () => {
  test('are asked for after the informations, page by page, and are the dump', async () => {
    await start();
    expect(await fetchDay()).toMatchObject({
      source: 'sirene',
      dump_date: date,
      asked: 1,
      had: 1,
      days: [date],
      rows: { siren: 5, siret: 3 },
      missing: [],
    });
    expect(await readNumbers()).toEqual(all);
    const list = (name: string, cursor: string) =>
      `/${name}?q=dateDernierTraitement${name === 'siren' ? 'UniteLegale' : 'Etablissement'}:${date}&nombre=1000&curseur=${cursor}`;
    expect(asked()).toEqual([
      '/informations',
      ...['*', '2', '4'].map((cursor) => list('siren', cursor)),
      ...['*', '2'].map((cursor) => list('siret', cursor)),
    ]);
    await expect(fetchDay()).rejects.toThrow(NothingToDo);
  });

  test('are gone on with where an attempt was broken off, anywhere', async () => {
    await start();
    for (const stopAt of [3, 3]) {
      const controller = new AbortController();
      stub.interfere((_, count) => {
        if (count === stopAt) controller.abort(new Error('told to end'));
        return undefined;
      });
      await expect(fetchDay(date, { signal: controller.signal })).rejects.toThrow('told to end');
      expect(existsSync(folder())).toBe(false);
    }
    stub.requests.length = 0;
    stub.interfere(() => undefined);
    await fetchDay();
    expect(await readNumbers()).toEqual(all);
    // The last fetch does not request pages again that the interrupted fetches have received.
    expect(asked().filter((path) => path.includes('/siren?'))).toHaveLength(1);
  });

  test('begin again where INSEE has set other data available in between', async () => {
    await start();
    stub.interfere((_, count) => (count > 3 ? { status: 400 } : undefined));
    await expect(fetchDay()).rejects.toThrow('SIRENE answers with HTTP 400');
    await start({ readyAt: '2026-11-22T07:41:00.000' });
    await fetchDay();
    expect(asked()).toHaveLength(6);
    expect(await readNumbers()).toEqual(all);
  });

  test('are empty where the API knows of nothing', async () => {
    await start({ days: {} });
    expect(await fetchDay()).toMatchObject({ had: 1, rows: { siren: 0, siret: 0 } });
    expect(await readNumbers()).toEqual([]);
    expect(notes.slice(-2)).toEqual(
      ['siren', 'siret'].map(
        (list) =>
          `SIRENE has nothing in /${list} of ${date}: a quiet day, or one that only the next stock tells`,
      ),
    );
  });

  test('are not asked for before they are complete', async () => {
    await start({ readyAt: '2026-11-20T07:40:39.000' });
    const sentence = `SIRENE has not set the data of ${date} available yet; the last are of ${date}T07:40:39.000`;
    await expect(fetchDay()).rejects.toThrow(new Refusal(sentence));
    expect(asked()).toEqual(['/informations']);
  });

  test('of every day since the last stock that is missing are one dump, those of the 1st and 2nd too', async () => {
    const days = Object.fromEntries(
      ['01', '02', '03', '04', '05'].map((day, at) => [
        `2026-11-${day}`,
        { siren: rows(at * 10, 1), siret: [] },
      ]),
    );
    await start({ days });
    await rememberStock(inbox, '2026-10-31');
    await fetchDay('2026-11-03');
    expect(await readNumbers('2026-11-03')).toEqual(['900000000', '900000010', '900000020']);
    expect(await fetchDay('2026-11-05')).toMatchObject({ days: ['2026-11-04', '2026-11-05'] });
    expect(await readNumbers('2026-11-05')).toEqual(['900000030', '900000040']);
  });
});

describe('answers that are no list', () => {
  const listed = (path: string) => path.includes('/siren?');
  const body = (header: object, from = 2) =>
    JSON.stringify({ header: { total: 5, ...header }, unitesLegales: rows(from, 2) });

  test.each<[string, object, string]>([
    ['a page of HTML', page, 'SIRENE sends a page of HTML in place of JSON'],
    ['a bad question', { status: 400 }, 'SIRENE answers with HTTP 400'],
    ['no page', { status: 200, body: '{"header":{"total":1}}' }, 'SIRENE sends no page of /siren'],
    [
      'a cursor that is skipped',
      { status: 200, body: body({ curseur: '4', curseurSuivant: '6' }) },
      'SIRENE skips to the cursor 4 after 2',
    ],
    [
      'a cursor that repeats',
      { status: 200, body: body({ curseur: '2', curseurSuivant: '*' }, 6) },
      'SIRENE repeats the cursor * of /siren',
    ],
    [
      'a page that repeats',
      { status: 200, body: body({ curseur: '2', curseurSuivant: '4' }, 0) },
      `SIRENE gives 900000000 twice in /siren of ${date}`,
    ],
    [
      'an end before the end',
      { status: 200, body: body({ curseur: '2', curseurSuivant: '2' }) },
      `SIRENE gives 4 of the 5 rows of /siren of ${date}`,
    ],
    [
      'a list that changes',
      { status: 200, body: body({ total: 7, curseur: '2', curseurSuivant: '4' }) },
      `The list /siren of ${date} changed while it was read; run it again`,
    ],
  ])('are refused with a sentence, and nothing stays of them: %s', async (_, answer, sentence) => {
    await start();
    stub.interfere(({ path }) =>
      listed(path) && path.endsWith('=2') ? (answer as { status: number }) : undefined,
    );
    await expect(fetchDay()).rejects.toThrow(sentence);
    expect(existsSync(folder())).toBe(false);
    stub.interfere(() => undefined);
    await fetchDay();
    expect(await readNumbers()).toEqual(all);
  });

  test('a list of a million units is left to the next stock, and asked for again until then', async () => {
    await start();
    const long = { header: { total: 15_000_000, curseur: '*' }, unitesLegales: rows(0, 2) };
    stub.interfere(({ path }) =>
      listed(path) ? { status: 200, body: JSON.stringify(long) } : undefined,
    );
    const reason = 'longer than 1,000,000 rows, left to the next stock';
    const missing = [{ number: `/siren ${date}`, reason }];
    expect(await fetchDay()).toMatchObject({ days: [], missing });
    expect(await readNumbers()).toEqual(all.slice(5));
  });

  test('a key that is not accepted is named in one sentence, which does not hold it', async () => {
    await start();
    const refusal = new WrongUsage('SIRENE_TOKEN is not accepted: SIRENE answers with HTTP 401.');
    await expect(fetchDay(date, { token: 'wrong-secret' })).rejects.toThrow(refusal);
    expect(stub.requests).toHaveLength(1);
  });
});

test('the pace is 30 calls a minute', async () => {
  const clock = createClock('2026-11-21T07:00:00Z');
  const { rate } = new Sirene({ url: stub.url, token, clock });
  const start_ms = clock.now();
  for (let at = 0; at < 60; at += 1) await rate.take();
  expect(clock.now() - start_ms).toBe(60_000);
  await rate.take();
  expect(clock.now() - start_ms).toBe(120_000);
});

describe('a unit', () => {
  const unit = { siren: '900000108', periodesUniteLegale: [{}] };

  test('is had by its number, a duplicate as the unit that stays, an unknown one not at all', async () => {
    await start({ units: { 900000108: unit, 900000207: '900000108' } });
    expect((await connect().unit('900000108'))?.uniteLegale).toEqual(unit);
    expect((await connect().unit('900000207'))?.uniteLegale).toEqual(unit);
    expect(await connect().unit('900000306')).toBeUndefined();
  });

  test('that leads on and on ends, and leads to no other service: the key stays here', async () => {
    await start();
    const elsewhere = await startSireneStub({ token, units: { 900000108: unit } });
    const Location = `${elsewhere.url}/siren/900000108`;
    stub.interfere(() => ({ status: 301, headers: { Location } }));
    await expect(connect().unit('900000207')).rejects.toThrow('SIRENE answers with HTTP 301');
    expect(asked()).toEqual(['/siren/900000207', '/siren/900000108']);
    expect(elsewhere.requests).toEqual([]);
  });
});

test('registry fetch sirene takes its settings from the environment', async () => {
  await start();
  const { code, stdout } = await runCommand(['fetch', 'sirene', '--date', date], {
    INBOX_DIR: inbox,
    SIRENE_URL: stub.url,
    SIRENE_TOKEN: token,
    SIRENE_STOCK_URL: catalogue.url,
  });
  expect(stdout).toBe(
    `sirene ${date}: fetched, 1 of 1 had, in ${folder()}\n  siren: 5 rows\n  siret: 3 rows\n`,
  );
  expect(code).toBe(0);
});
