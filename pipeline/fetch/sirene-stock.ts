import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { z } from 'zod';
import { addDays, daysBetween } from '../calendar.ts';
import { readArchive } from '../dump/archive.ts';
import { Refusal } from '../errors.ts';
import type { DumpFolder } from './folder.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import { Service, type ServiceSettings } from './service.ts';

/** The most bytes of a file. The stock of establishments has three gigabytes, and grows by four per cent a year. */
const FILE_BYTES = 16 * 1024 ** 3;

/** The most days between the title and the file of a stock. More days mean a wrong year, as in January 2026. */
const MOST_DAYS = 20;

const resource = z.looseObject({
  title: z.string(),
  /** The address of the file, which changes every month. */
  url: z.url({ protocol: /^https?$/ }),
  filesize: z.int().nullish(),
  last_modified: z.string().regex(/^\d{4}-\d{2}-\d{2}/),
});

const catalogue = z.object({ resources: z.array(resource) });

const months =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** Returns the day of publication in a title such as "Sirene : Fichier StockUniteLegale du 01 décembre 2026". */
function readDay(title: string): string | undefined {
  const found = /(\d{1,2})(?:er)? (\p{L}+) (\d{4})/u.exec(title.normalize('NFC'));
  const month = months.indexOf(found?.[2]?.toLowerCase() ?? '') + 1;
  if (!found || month === 0) return undefined;
  return [found[3]!, String(month), found[1]!].map((part) => part.padStart(2, '0')).join('-');
}

/** Returns a list with the description of one file of a stock; an empty list for any other file. */
function describeOffer({ title, url, filesize, last_modified }: z.output<typeof resource>) {
  // The whole name is compared, since the names of other files begin with it.
  const [part] = /\bStock(?:UniteLegale|Etablissement|Doublons)\b/.exec(title) ?? [];
  const extension = extname(url);
  const made = last_modified.slice(0, 10);
  // The list of duplicates has no day in its title.
  const day = readDay(title) ?? (part === 'StockDoublons' ? made : '');
  const isDated = Math.abs(daysBetween(made, day)) < MOST_DAYS;
  if (part === undefined || !['.zip', '.parquet'].includes(extension) || !isDated) return [];
  const name = `${part}_utf8${extension}`;
  // The time of the last change, in digits, by which a retry recognizes a partial download.
  const version = last_modified.replaceAll(/\D/g, '');
  return [{ part, day, name, url, bytes: filesize ?? undefined, version }];
}

type StockFile = ReturnType<typeof describeOffer>[number];

/** A stock. Its `date` is the day in the title of its files, or the day before if that is the 1st of a month. */
type Stock = Awaited<ReturnType<StockCatalogue['newest']>>;

/** Reads the catalogue of data.gouv.fr that lists the stocks of INSEE. */
export class StockCatalogue extends Service {
  readonly #dataSet: string;

  /** @param settings.url the address of the data set; its files may lie on another server */
  constructor({ url, ...settings }: ServiceSettings & { url: string }) {
    const defaults = { limits: () => [], max_bytes: 16 * 1024 ** 2, retry: { retries: 2 } };
    super('data.gouv.fr', { ...defaults, ...settings });
    this.#dataSet = url;
  }

  /** Returns the newest stock. Throws a `Refusal` where units and establishments have no files of the same day. */
  async newest() {
    const { resources } = await this.askJson(this.#dataSet, catalogue, 'catalogue');
    // Newer files come first, since the catalogue may keep outdated files; of one day, the zip comes first.
    const offers = resources
      .flatMap(describeOffer)
      .toSorted((a, b) => b.day.localeCompare(a.day) || b.name.localeCompare(a.name));
    const [units, establishments] = ['StockUniteLegale', 'StockEtablissement'].map((part) => {
      const ofPart = offers.filter((offer) => offer.part === part);
      if (ofPart.length > 0) return ofPart;
      throw new Refusal(`${this.name} lists no ${part} whose title has the day of the file`);
    }) as [StockFile[], StockFile[]];
    // INSEE replaces the files of a month one by one: units and establishments have to be of the same day.
    const unit = units.find(({ day }) => establishments.some((other) => other.day === day));
    const establishment = establishments.find(({ day }) => day === unit?.day);
    if (!unit || !establishment) {
      const days = `${units[0]!.day} and ${establishments[0]!.day}`;
      throw new Refusal(`The stock is being published: its files are of ${days}`);
    }
    const { day } = unit;
    const duplicates = offers.find(({ part }) => part === 'StockDoublons') ?? [];
    const date = day.endsWith('-01') ? addDays(day, -1) : day;
    return { date, files: [unit, establishment, duplicates].flat() };
  }

  /**
   * Downloads a file in one attempt. Continues the partial file that an earlier attempt has left at `path`. Throws a
   * `ServiceFault` where the file does not have the size that the catalogue states.
   */
  async download({ url, bytes }: StockFile, path: string): Promise<void> {
    const sizeOf = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
    const left = await sizeOf();
    if (left > 0 && left === bytes) return;
    // A partial file that is too long is replaced.
    const from = bytes === undefined || left < bytes ? left : 0;
    await this.save(url, path, FILE_BYTES, from);
    const size = await sizeOf();
    if (bytes === undefined || size === bytes) return;
    throw this.fault(`sends ${size} bytes in place of ${bytes}`);
  }
}

/** Downloads the files of a stock. */
export async function fetchStock(
  stocks: StockCatalogue,
  { date, files }: Stock,
  { progress }: FetchPlan,
  { dump, work }: DumpFolder,
): Promise<FetchReport> {
  progress.step('stock');
  for (const [at, file] of files.entries()) {
    const target = join(dump, file.name);
    const path = join(work, `${file.version}-${file.name}`);
    if (!existsSync(target)) {
      await stocks.retry(() => stocks.download(file, path));
      await checkWhole(path).catch(async (cause: unknown) => {
        await rm(path);
        throw cause;
      });
      await rename(path, target);
    }
    progress.count(at + 1, files.length);
  }
  const names = files.map(({ name }) => name);
  return createReport('sirene', { date }, names, new Map(), { had: names.length });
}

/** Reads an archive to its end. Throws a `Refusal` for a damaged archive, an error for a damaged Parquet file. */
async function checkWhole(path: string): Promise<void> {
  if (path.endsWith('.parquet')) await parquetMetadataAsync(await asyncBufferFromFile(path));
  else for await (const chunk of readArchive(path)) void chunk;
}
