import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { z } from 'zod';
import { addDays, daysBetween } from '../../calendar.ts';
import { readArchive } from '../../dump/archive.ts';
import { Refusal } from '../../errors.ts';
import type { DumpFolder } from '../../fetch/folder.ts';
import { createReport, type FetchPlan, type FetchReport } from '../../fetch/report.ts';
import { Service, type ServiceSettings } from '../../fetch/service.ts';

/** The maximum size of a stock file, in bytes. The stock of establishments has 3 GB and grows by 4 % a year. */
const FILE_BYTES = 16 * 1024 ** 3;

/** The number of days between a file's last change and the day in its title from which the title counts as wrong. */
const MOST_DAYS = 20;

const resource = z.looseObject({
  title: z.string(),
  /** The address of a file of the stock, which changes every month. */
  url: z.url({ protocol: /^https?$/ }),
  filesize: z.int().nullish(),
  last_modified: z.string().regex(/^\d{4}-\d{2}-\d{2}/),
});

const catalogue = z.object({ resources: z.array(resource) });

const months =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** Returns the date YYYY-MM-DD in a title such as "Sirene : Fichier StockUniteLegale du 01 décembre 2026". */
function readDay(title: string): string | undefined {
  const found = /(\d{1,2})(?:er)? (\p{L}+) (\d{4})/u.exec(title.normalize('NFC'));
  const month = months.indexOf(found?.[2]?.toLowerCase() ?? '') + 1;
  if (!found || month === 0) return undefined;
  return [found[3]!, String(month), found[1]!].map((part) => part.padStart(2, '0')).join('-');
}

/** Returns a list with the description of a file in the catalogue; an empty list if the file is not part of a stock. */
function describeOffer({ title, url, filesize, last_modified }: z.output<typeof resource>) {
  // The whole name of the file is compared, because other files have names such as `StockUniteLegaleHistorique`.
  const [part] = /\bStock(?:UniteLegale|Etablissement|Doublons)\b/.exec(title) ?? [];
  const extension = extname(url);
  const made = last_modified.slice(0, 10);
  // The title of StockDoublons (the list of duplicates) states no day, so the day of its last change is used.
  const day = readDay(title) ?? (part === 'StockDoublons' ? made : '');
  const isDated = Math.abs(daysBetween(made, day)) < MOST_DAYS;
  if (part === undefined || !['.zip', '.parquet'].includes(extension) || !isDated) return [];
  const name = `${part}_utf8${extension}`;
  // The time of the file's last change, as digits: a retry continues a partial download only of the same version.
  const version = last_modified.replaceAll(/\D/g, '');
  return [{ part, day, name, url, bytes: filesize ?? undefined, version }];
}

type StockFile = ReturnType<typeof describeOffer>[number];

/** A stock (full dump). Its `date` is the day in the titles of its files; a 1st of a month counts as the day before. */
type Stock = Awaited<ReturnType<StockCatalogue['newest']>>;

/** Reads the catalogue of data.gouv.fr, which lists the stocks (full dumps) that INSEE publishes. */
export class StockCatalogue extends Service {
  readonly #dataSet: string;

  /** @param settings.url the address of the data set; its files may lie on another server */
  constructor({ url, ...settings }: ServiceSettings & { url: string }) {
    const defaults = { limits: () => [], max_bytes: 16 * 1024 ** 2, retry: { retries: 2 } };
    super('data.gouv.fr', { ...defaults, ...settings });
    this.#dataSet = url;
  }

  /** Returns the newest stock of SIRENE. Throws a `Refusal` if no day has files of legal units and establishments. */
  async newest() {
    const { resources } = await this.askJson(this.#dataSet, catalogue, 'catalogue');
    // The newest files are sorted first, because the catalogue may keep old ones; of one day's files, the zip is first.
    const offers = resources
      .flatMap(describeOffer)
      .toSorted((a, b) => b.day.localeCompare(a.day) || b.name.localeCompare(a.name));
    const [units, establishments] = ['StockUniteLegale', 'StockEtablissement'].map((part) => {
      const ofPart = offers.filter((offer) => offer.part === part);
      if (ofPart.length > 0) return ofPart;
      throw new Refusal(`${this.name} lists no ${part} whose title has the day of the file`);
    }) as [StockFile[], StockFile[]];
    // INSEE replaces the files of a stock one by one, so a stock needs legal units and establishments of the same day.
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
   * Downloads a file of a stock to `path`, without a retry. Continues the part left by an earlier attempt. Throws a
   * `ServiceFault` if the size of the file differs from the size in the catalogue.
   */
  async download({ url, bytes }: StockFile, path: string): Promise<void> {
    const sizeOf = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
    const left = await sizeOf();
    if (left > 0 && left === bytes) return;
    // If the partial file at `path` is larger than the catalogue states, the file is downloaded from the start.
    const from = bytes === undefined || left < bytes ? left : 0;
    await this.save(url, path, FILE_BYTES, from);
    const size = await sizeOf();
    if (bytes === undefined || size === bytes) return;
    throw this.fault(`sends ${size} bytes in place of ${bytes}`);
  }
}

/** Downloads the files of a stock into the dump folder. */
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

/** Checks a zip or Parquet file. Throws a `Refusal` for a damaged zip, another error for a damaged Parquet file. */
async function checkWhole(path: string): Promise<void> {
  if (path.endsWith('.parquet')) await parquetMetadataAsync(await asyncBufferFromFile(path));
  else for await (const chunk of readArchive(path)) void chunk;
}
