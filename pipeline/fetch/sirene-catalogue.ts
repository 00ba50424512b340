import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import { addDays } from '../calendar.ts';
import { Refusal } from '../errors.ts';
import { Service, type ServiceSettings } from './service.ts';

/** The most bytes of a file. The stock of establishments has three gigabytes, and grows by four per cent a year. */
const FILE_BYTES = 16 * 1024 ** 3;

/** The most days between the title and the file of a stock. More days mean a wrong year, as in January 2026. */
const MOST_DAYS = 20;

const resource = z.looseObject({
  id: z.string(),
  title: z.string(),
  /** The address of the file, which changes every month. */
  url: z.url({ protocol: /^https?$/ }),
  filesize: z.int().nullish(),
  last_modified: z.string().regex(/^\d{4}-\d{2}-\d{2}/),
});

type Resource = z.output<typeof resource>;

const catalogue = z.object({ resources: z.array(resource) });

/** The files of a stock, and the stable ids of their archives at data.gouv.fr. */
const parts = {
  StockUniteLegale: '825f4199-cadd-486c-ac46-a65a8ea1a047',
  StockEtablissement: '0651fb76-bcf3-4f6a-a38d-bc04fa708576',
  /** The list of duplicates is found by its title, not by an id. */
  StockDoublons: undefined,
};

export type StockPart = keyof typeof parts;

/** A file of a month's stock, as the catalogue offers it. */
export interface StockFile {
  part: StockPart;
  /** The name of the file in a dump. */
  name: string;
  url: string;
  bytes: number | undefined;
  /** The time of the last change, in digits, by which a retry recognizes a partial download. */
  version: string;
}

export interface Stock {
  /** The day of the stock: the last day of the previous month for a title of the 1st, else the day of the title. */
  date: string;
  files: StockFile[];
}

/**
 * Returns the last day that a stock shows completely. A stock that INSEE adds in the middle of a month has the day
 * of its publication, as announced for the recoding of NAF 2025. Such a stock shows the evening before its day.
 */
export function lastWhole(date: string): string {
  return addDays(date, 1).endsWith('-01') ? date : addDays(date, -1);
}

const months =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** Returns the day of publication in a title such as "Sirene : Fichier StockUniteLegale du 01 décembre 2026". */
function readDay(title: string): string | undefined {
  const found = /(\d{1,2})(?:er)? (\p{L}+) (\d{4})/u.exec(title.normalize('NFC'));
  const month = months.indexOf(found?.[2]?.toLowerCase() ?? '') + 1;
  if (!found || month === 0) return undefined;
  return [found[3]!, String(month), found[1]!].map((part) => part.padStart(2, '0')).join('-');
}

/** Describes a file on offer. `isDated`: the day in its title agrees with the day of its last change. */
function describeOffer(part: StockPart, { title, url, filesize, last_modified }: Resource) {
  const made = last_modified.slice(0, 10);
  // The list of duplicates has no day in its title.
  const day = readDay(title) ?? (part === 'StockDoublons' ? made : '');
  const isDated = Math.abs(Date.parse(made) - Date.parse(day)) < MOST_DAYS * 86_400_000;
  const name = `${part}_utf8${extname(url)}`;
  const version = last_modified.replaceAll(/\D/g, '');
  const file: StockFile = { part, name, url, bytes: filesize ?? undefined, version };
  return { title, made, day, isDated, file };
}

/** Reads the catalogue of data.gouv.fr that lists the stocks of INSEE. */
export class StockCatalogue {
  readonly service: Service;
  readonly #url: string;

  /** @param settings.url the address of the data set; its files may lie on another server */
  constructor({ url, ...settings }: ServiceSettings & { url: string }) {
    this.#url = url;
    const defaults = { limits: [], max_bytes: 16 * 1024 ** 2, retry: { retries: 2 } };
    this.service = new Service('data.gouv.fr', { ...defaults, ...settings });
  }

  /** Returns the newest stock. Throws a `Refusal` where units and establishments have no files of the same day. */
  async newest(signal?: AbortSignal): Promise<Stock> {
    const read = (answer: Response) => this.service.readJson(answer, catalogue, 'catalogue');
    const { resources: offered } = await this.service.ask(this.#url, {}, read, signal);
    const units = this.#list('StockUniteLegale', offered);
    const establishments = this.#list('StockEtablissement', offered);
    // INSEE replaces the files of a month one by one: units and establishments have to be of the same day.
    const unit = units.find(({ day }) => establishments.some((other) => other.day === day));
    const establishment = establishments.find(({ day }) => day === unit?.day);
    if (!unit || !establishment) {
      const days = `${units[0]!.day} and ${establishments[0]!.day}`;
      throw new Refusal(`The stock is being published: its files are of ${days}`);
    }
    const [duplicates] = this.#list('StockDoublons', offered);
    const files = [unit, establishment, ...(duplicates ? [duplicates] : [])];
    const { day } = unit;
    return {
      date: day.endsWith('-01') ? addDays(day, -1) : day,
      files: files.map(({ file }) => file),
    };
  }

  /**
   * Lists the offers of a part, the newest first, since the catalogue may keep an outdated offer; of one day, the zip
   * first. The whole name counts: other names begin alike. A missing list of duplicates has no offers.
   */
  #list(part: StockPart, offered: readonly Resource[]) {
    const isNamed = new RegExp(`\\b${part}\\b`);
    const isStable = ({ id }: Resource) => id === parts[part];
    const isOf = (one: Resource) => isStable(one) || isNamed.test(one.title);
    const found = ['.zip', '.parquet']
      .flatMap((end) => offered.filter((one) => isOf(one) && one.url.endsWith(end)))
      .toSorted((one, other) => Number(isStable(other)) - Number(isStable(one)))
      .map((one) => describeOffer(part, one));
    const dated = found.filter(({ isDated }) => isDated);
    if (dated.length > 0) return dated.toSorted((a, b) => b.day.localeCompare(a.day));
    const [wrong] = found;
    if (wrong) {
      throw new Refusal(
        `The title '${wrong.title}' does not agree with the day of the file, ${wrong.made}`,
      );
    }
    if (part === 'StockDoublons') return [];
    throw this.service.fault(`lists no ${part}`);
  }

  /**
   * Downloads a file in one attempt. Continues the partial file that an earlier attempt has left at `path`. Throws a
   * `ServiceFault` where the file does not have the size that the catalogue states.
   */
  async download({ url, bytes }: StockFile, path: string, signal?: AbortSignal): Promise<void> {
    const sizeOf = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
    const left = await sizeOf();
    if (left > 0 && left === bytes) return;
    // A partial file that is too long is replaced.
    const from = bytes === undefined || left < bytes ? left : 0;
    await this.service.download(url, path, { max_bytes: FILE_BYTES }, signal, from);
    const size = await sizeOf();
    if (bytes === undefined || size === bytes) return;
    throw this.service.fault(`sends ${size} bytes in place of ${bytes}`);
  }
}
