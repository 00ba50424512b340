import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
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
  /** The day whose evening it shows. */
  date: string;
  files: StockFile[];
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

  /** The newest stock. Throws a `Refusal` where its files are of different days. */
  async newest(signal?: AbortSignal): Promise<Stock> {
    const read = async (answer: Response) => {
      if (answer.status !== 200) throw this.service.statusFault(answer);
      const list = catalogue.safeParse(await this.service.readJson(answer));
      if (!list.success) throw this.service.fault('sends no catalogue', list.error);
      return list.data.resources;
    };
    const offered = await this.service.ask(this.#url, {}, read, signal);
    const found = (Object.keys(parts) as StockPart[]).map((part) => this.#find(part, offered));
    const [units, establishments] = found.map((one) => one?.day);
    if (units === undefined || units !== establishments) {
      throw new Refusal(
        `The stock is being published: its files are of ${units} and ${establishments}`,
      );
    }
    return { date: addDays(units, -1), files: found.flatMap((one) => (one ? [one.file] : [])) };
  }

  /** Undefined for a list of duplicates that is not there. The whole name counts: others begin alike. */
  #find(part: StockPart, offered: readonly Resource[]) {
    const isNamed = new RegExp(`\\b${part}\\b`);
    const isStable = ({ id }: Resource) => id === parts[part];
    const isOf = (one: Resource) => isStable(one) || isNamed.test(one.title);
    const [best] = ['.zip', '.parquet']
      .flatMap((end) => offered.filter((one) => isOf(one) && one.url.endsWith(end)))
      .toSorted((one, other) => Number(isStable(other)) - Number(isStable(one)));
    if (!best) {
      if (part === 'StockDoublons') return undefined;
      throw this.service.fault(`lists no ${part}`);
    }
    const { title, url, filesize, last_modified } = best;
    const made = last_modified.slice(0, 10);
    // The list of duplicates has no day in its title.
    const day = readDay(title) ?? (part === 'StockDoublons' ? made : '');
    if (!(Math.abs(Date.parse(made) - Date.parse(day)) < MOST_DAYS * 86_400_000)) {
      throw new Refusal(`The title '${title}' does not agree with the day of the file, ${made}`);
    }
    const name = `${part}_utf8${extname(url)}`;
    const version = last_modified.replaceAll(/\D/g, '');
    return { day, file: { part, name, url, bytes: filesize ?? undefined, version } };
  }

  /**
   * Downloads a file in one attempt. What an earlier attempt has left at `path` is gone on with. Throws a
   * `ServiceFault` where the file then has not the size that the catalogue gives.
   */
  async download({ url, bytes }: StockFile, path: string, signal?: AbortSignal): Promise<void> {
    const sizeOf = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
    const had = await sizeOf();
    if (had > 0 && had === bytes) return;
    const read = async (answer: Response) => {
      if (answer.status === 416) await rm(path);
      if (answer.status !== 200 && answer.status !== 206) throw this.service.statusFault(answer);
      const flags = answer.status === 206 ? 'a' : 'w';
      await pipeline(answer.body ?? [], createWriteStream(path, { flags, flush: true }));
    };
    const headers: Record<string, string> = had > 0 ? { Range: `bytes=${had}-` } : {};
    await this.service.askOnce(url, { headers, max_bytes: FILE_BYTES }, read, signal);
    const size = await sizeOf();
    if (bytes === undefined || size === bytes) return;
    if (size > bytes) await rm(path);
    throw this.service.fault(`sends ${size} bytes in place of ${bytes}`);
  }
}
