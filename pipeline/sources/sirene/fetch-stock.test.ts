import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { makeZip } from '../../../fixtures/dump/bad-dump.ts';
import { createInbox, hasty, planOf } from '../../../fixtures/registry/fetching.ts';
import type { Stub } from '../../../fixtures/registry/service-stub.ts';
import {
  type OfferedFile,
  rememberStock,
  startCatalogueStub,
  startSireneStub,
} from '../../../fixtures/registry/sirene-stub.ts';
import type { FetchPlan } from '../../fetch/report.ts';
import { Sirene } from './fetch-lists.ts';
import { fetchSirene } from './fetch.ts';
import { StockCatalogue } from './fetch-stock.ts';

const token = 'a1b2c3d4-key';

let inbox: string;
let stub: Stub;
let catalogue: Stub;

async function offer(...files: OfferedFile[]): Promise<void> {
  catalogue = await startCatalogueStub(files);
}

function fetchDay(
  day: string,
  query: FetchPlan['query'] = () => Promise.resolve([]),
  notes: string[] = [],
) {
  const stocks = new StockCatalogue({ ...hasty, url: catalogue.url });
  const sirene = new Sirene({ url: stub.url, token, ...hasty });
  return fetchSirene(sirene, stocks, { ...planOf(inbox, day, notes), query });
}

const publish = (newest: string, full?: string) => () =>
  Promise.resolve([{ newest, full: full ?? null }]);

/** Creates the folder of a stock in the inbox, as an operator does who downloads the stock by hand. */
async function placeStock(day: string): Promise<void> {
  await mkdir(folder(day), { recursive: true });
  for (const part of ['StockUniteLegale', 'StockEtablissement']) {
    await writeFile(join(folder(day), `${part}_utf8.csv`), 'siren\n');
  }
}

const archive = makeZip({ content: Buffer.from('siren\n') });

const folder = (day: string) => join(inbox, 'sirene', day);

describe('the stock of a month', () => {
  const day = '2026-11-30';
  const title = (name: string, published = '01 décembre 2026') =>
    `Sirene : Fichier ${name} du ${published} (format zip)`;
  const file = (name: string, more: Partial<OfferedFile> = {}): OfferedFile => ({
    title: title(name),
    last_modified: '2026-12-01T07:45:00.000000+00:00',
    file: `${name}_utf8.zip`,
    bytes: archive,
    ...more,
  });
  const units = file('StockUniteLegale');
  const places = file('StockEtablissement');
  const stockOf = (published: string, last_modified: string) =>
    ['StockUniteLegale', 'StockEtablissement'].map((name) =>
      file(name, { title: title(name, published), last_modified }),
    );
  const november = stockOf('1er novembre 2026', '2026-11-01');
  const january = stockOf('05 janvier 2027', '2027-01-05');
  const others = [file('StockUniteLegaleHistorique'), file('StockEtablissementLiensSuccession')];
  const duplicates = file('StockDoublons', { bytes: Buffer.from('half') });

  beforeEach(async () => {
    inbox = await createInbox();
    stub = await startSireneStub({ token, readyAt: '2026-12-02T07:40:39.000' });
  });

  test('is fetched where it is new, once, into the folder of the day that it shows', async () => {
    await offer(...others, units, places);
    expect(await fetchDay(day)).toMatchObject({ dump_date: day, had: 2 });
    expect(await readdir(folder(day))).toEqual([
      'StockEtablissement_utf8.zip',
      'StockUniteLegale_utf8.zip',
    ]);
    expect(stub.requests).toHaveLength(1);
    // The key for INSEE's API is never sent to the catalogue.
    expect(JSON.stringify(catalogue.requests)).not.toContain(token);
    expect(await fetchDay('2026-12-01')).toMatchObject({ days: ['2026-12-01'] });
  });

  test('is waited for on its day, and not for ever', async () => {
    await offer(...november);
    await rememberStock(inbox, '2026-10-31');
    await expect(fetchDay(day)).rejects.toThrow(
      'The stock of 2026-11-30 is not published yet; the newest one is of 2026-10-31',
    );
    stub = await startSireneStub({ token, readyAt: '2026-12-06T07:40:39.000' });
    expect(await fetchDay(day)).toMatchObject({ dump_date: day, had: 30 });
  });

  test('is gone on with where a download was cut', async () => {
    await offer(units, places);
    const work = join(inbox, 'sirene', `.${day}.part`);
    await mkdir(work, { recursive: true });
    const half = units.bytes.subarray(0, 50);
    const version = units.last_modified.replaceAll(/\D/g, '');
    await writeFile(join(work, `${version}-${units.file}`), half);
    catalogue.interfere((_, count) => (count === 2 ? { cut: true } : undefined));
    await fetchDay(day);
    const [, first] = catalogue.requests.map(({ headers }) => headers.range);
    expect(first).toBe('bytes=50-');
    expect(await readFile(join(folder(day), units.file))).toEqual(units.bytes);
  });

  test.each<[string, OfferedFile[], string]>([
    [
      'the files are of different months',
      [units, november[1]!],
      'The stock is being published: its files are of 2026-12-01 and 2026-11-01',
    ],
    [
      'the year of its title is wrong',
      [{ ...units, title: title('StockUniteLegale', '01 décembre 2025') }, places],
      'data.gouv.fr lists no StockUniteLegale whose title has the day of the file',
    ],
    [
      'a file is shorter than the catalogue says',
      [{ ...units, filesize: units.bytes.length + 9 }, places],
      `data.gouv.fr sends ${units.bytes.length} bytes in place of ${units.bytes.length + 9}`,
    ],
    [
      'an archive is damaged',
      [units, places, duplicates],
      'StockDoublons_utf8.zip: End of central directory record signature not found',
    ],
  ])('is refused where %s', async (_, files, sentence) => {
    await rememberStock(inbox, '2026-10-31');
    await offer(...files);
    await expect(fetchDay(day)).rejects.toThrow(sentence);
    expect(existsSync(folder(day))).toBe(false);
  });

  test('is waited for where the catalogue does not answer on its day; other lists are had without it', async () => {
    await offer(units, places);
    catalogue.interfere(() => ({ status: 500 }));
    await expect(fetchDay(day)).rejects.toThrow('data.gouv.fr answers with HTTP 500');
    expect(existsSync(folder(day))).toBe(false);
    expect(await fetchDay('2026-11-20')).toMatchObject({ days: ['2026-11-20'] });
    catalogue.interfere(() => undefined);
    // The fetch of a later day downloads the stock if it is still missing.
    expect(await fetchDay('2026-12-01')).toMatchObject({ dump_date: day, had: 2 });
  });

  describe('that is found late', () => {
    beforeEach(async () => {
      stub = await startSireneStub({ token });
    });

    test('is passed over where lists of its day or a later one are published, and the lists go on', async () => {
      await rememberStock(inbox, '2026-10-31');
      await offer();
      for (const other of ['2026-11-29', '2026-12-01']) await fetchDay(other);
      await offer(units, places);
      const notes: string[] = [];
      const fetched = await fetchDay('2026-12-02', publish('2026-12-01', '2026-10-31'), notes);
      expect(fetched).toMatchObject({ dump_date: '2026-12-02', days: ['2026-12-02'] });
      expect(notes).toContain(`The stock of ${day} came after later lists: the next one is taken`);
    });

    test('has its own folder while only later days wait in the inbox: it is published before them', async () => {
      await offer();
      await fetchDay('2026-12-01');
      await offer(units, places);
      const stock = await fetchDay('2026-12-02', publish('2026-11-29'));
      expect(stock).toMatchObject({ dump_date: day, had: 2 });
      expect(await fetchDay('2026-12-02')).toMatchObject({ days: ['2026-12-02'] });
    });

    test('is not asked for again where it was placed by hand, or is published', async () => {
      await offer(units, places);
      await placeStock(day);
      const since = ['2026-12-01', '2026-12-02', '2026-12-03'];
      expect(await fetchDay('2026-12-03')).toMatchObject({ days: since });
      inbox = await createInbox();
      expect(await fetchDay('2026-12-03', publish(day, day))).toMatchObject({ days: since });
    });

    test('is passed over for a day of the inbox while the database is away', async () => {
      await offer(units, places);
      await mkdir(folder('2026-12-01'), { recursive: true });
      const query = () => Promise.reject(new Error('The database is away'));
      const fetched = await fetchDay('2026-12-02', query);
      expect(fetched).toMatchObject({ days: ['2026-12-02'] });
    });

    test('that INSEE adds within a month has the day on which it came out, when all may be recoded', async () => {
      await rememberStock(inbox, '2026-12-31');
      await offer(units, places);
      // Until the morning of 5 January, the catalogue offers the stock of December.
      await fetchDay('2027-01-04');
      await offer(...january);
      const stock = await fetchDay('2027-01-05', publish('2027-01-04', '2026-12-31'));
      expect(stock).toMatchObject({ dump_date: '2027-01-05', had: 2 });
      // The fetch for 6 January also requests 5 January, because the stock has only the first minutes of that day.
      expect(await fetchDay('2027-01-06')).toMatchObject({ days: ['2027-01-05', '2027-01-06'] });
    });

    test('is a zip, or a newer Parquet beside a zip that was left behind', async () => {
      const bytes = Buffer.from(
        parquetWriteBuffer({ columnData: [{ name: 'siren', data: ['310000003'] }] }),
      );
      const asParquet = (one: OfferedFile): OfferedFile => ({
        ...one,
        file: one.file.replace('.zip', '.parquet'),
        bytes,
      });
      await offer(...[units, places].map(asParquet), units, places);
      await fetchDay('2026-12-01');
      expect(await readdir(folder(day))).toEqual([places.file, units.file]);
      await offer(units, places, ...january.map(asParquet));
      await rm(join(inbox, 'sirene'), { recursive: true });
      await fetchDay('2027-01-05');
      expect(await readdir(folder('2027-01-05'))).toEqual(
        [places, units].map((one) => asParquet(one).file),
      );
    });
  });
});
