import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import { addDays } from '../calendar.ts';
import { Refusal } from '../errors.ts';
import { Service, type ServiceSettings } from './service.ts';

/** The stock of establishments has three gigabytes, and grows by four per cent a year. */
const FILE_BYTES = 16 * 1024 ** 3;

/** A stock comes out within days of its date. More: the year in its title is wrong, as in January 2026. */
const MOST_DAYS = 20;

const resource = z.looseObject({
  id: z.string(),
  title: z.string(),
  /** Changes every month. */
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
  /** Is found by its title. */
  StockDoublons: undefined,
};

export type StockPart = keyof typeof parts;

/** A file of a month's stock, as the catalogue offers it. */
export interface StockFile {
  part: StockPart;
  /** Its name in a dump. */
  name: string;
  url: string;
  bytes: number | undefined;
  /** Says which file half a download is of. */
  version: string;
}

export interface Stock {
  /** A stock that came out on the 1st has the last day of the month before, another one the day of its title. */
  date: string;
  files: StockFile[];
}

/**
 * The last day that a stock of a day shows whole. One that INSEE adds in the middle of a month has the day on
 * which it came out, as the recoding of NAF 2025 is announced for that day; it shows the evening before.
 */
export function lastWhole(date: string): string {
  return addDays(date, 1).endsWith('-01') ? date : addDays(date, -1);
}

const months =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** The day of publication in a title such as "Sirene : Fichier StockUniteLegale du 01 décembre 2026". */
function readDay(title: string): string | undefined {
  const found = /(\d{1,2})(?:er)? (\p{L}+) (\d{4})/u.exec(title.normalize('NFC'));
  const month = months.indexOf(found?.[2]?.toLowerCase() ?? '') + 1;
  if (!found || month === 0) return undefined;
  return [found[3]!, String(month), found[1]!].map((part) => part.padStart(2, '0')).join('-');
}

/** `isDated`: its title agrees with the day on which it was made. */
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

/** The catalogue of data.gouv.fr that lists the stocks of INSEE. */
export class StockCatalogue {
  readonly service: Service;
  readonly #url: string;

  /** @param settings.url of the data set; what it lists may lie elsewhere */
  constructor({ url, ...settings }: ServiceSettings & { url: string }) {
    this.#url = url;
    const defaults = { limits: [], max_bytes: 16 * 1024 ** 2, retry: { retries: 2 } };
    this.service = new Service('data.gouv.fr', { ...defaults, ...settings });
  }

  /** The newest stock. Throws a `Refusal` where no two of its files are of one day. */
  async newest(signal?: AbortSignal): Promise<Stock> {
    const read = (answer: Response) => this.service.readJson(answer, catalogue, 'catalogue');
    const { resources: offered } = await this.service.ask(this.#url, {}, read, signal);
    const units = this.#list('StockUniteLegale', offered);
    const establishments = this.#list('StockEtablissement', offered);
    // INSEE replaces the files of a month one by one: both have to be of one day.
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
   * The offers of a part, the newest first and of one day a zip: an offer that is no longer renewed may be left
   * behind. The whole name counts: others begin alike. None for a list of duplicates that is not there.
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
   * Downloads a file in one attempt. What an earlier attempt has left at `path` is gone on with. Throws a
   * `ServiceFault` where the file then has not the size that the catalogue gives.
   */
  async download({ url, bytes }: StockFile, path: string, signal?: AbortSignal): Promise<void> {
    const sizeOf = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
    const left = await sizeOf();
    if (left > 0 && left === bytes) return;
    // More than there is cannot be gone on with.
    const from = bytes === undefined || left < bytes ? left : 0;
    await this.service.download(url, path, { max_bytes: FILE_BYTES }, signal, from);
    const size = await sizeOf();
    if (bytes === undefined || size === bytes) return;
    throw this.service.fault(`sends ${size} bytes in place of ${bytes}`);
  }
}
