import { z } from 'zod';
import { WrongUsage } from '../errors.ts';
import type { RateLimit } from './rate.ts';
import { Service, ServiceFault, type ServiceSettings } from './service.ts';

/** The public plan. The quota is shared and measured otherwise there: 429 comes below it too. */
const limits: readonly RateLimit[] = [{ count: 30, window_ms: 60_000 }];

/** The most that a page holds. */
const PAGE_ROWS = 1000;

/** After a 429 without Retry-After. */
const quota_wait_ms = 5000;

/** A duplicate leads to the unit that stays, which is no duplicate. */
const MOST_LEADS = 3;

/** The two lists of the API, with the names of their rows, keys and days. */
export const lists = {
  siren: { rows: 'unitesLegales', day: 'dateDernierTraitementUniteLegale' },
  siret: { rows: 'etablissements', day: 'dateDernierTraitementEtablissement' },
} as const;

export type List = keyof typeof lists;

const moment = z.string().regex(/^\d{4}-\d{2}-\d{2}T/);

const informations = z.object({
  datesDernieresMisesAJourDesDonnees: z.array(
    z.looseObject({ collection: z.string(), dateDerniereMiseADisposition: moment }),
  ),
});

const row = z.looseObject({ siren: z.string(), siret: z.string().optional() });

const page = z.looseObject({
  header: z.looseObject({
    total: z.int().min(0),
    curseur: z.string().optional(),
    curseurSuivant: z.string().optional(),
  }),
  unitesLegales: z.array(row).optional(),
  etablissements: z.array(row).optional(),
});

/** An answer of a list, as it stands in a dump. */
export type Page = z.output<typeof page>;

const single = z.looseObject({ uniteLegale: row });

/** The API Sirene 3.11 of INSEE. */
export class Sirene {
  readonly service: Service;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  /** @param settings.url up to and with the version, `/api-sirene/3.11` */
  constructor({ url, token, ...settings }: ServiceSettings & { url: string; token: string }) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = { 'X-INSEE-Api-Key-Integration': token, Accept: 'application/json' };
    // A thousand establishments with their history take some five megabytes.
    this.service = new Service('SIRENE', { limits, max_bytes: 32 * 1024 ** 2, ...settings });
  }

  /** When units and establishments were set available last, in French time: the earlier of both. */
  async readyAt(signal?: AbortSignal): Promise<string> {
    const answer = informations.safeParse(await this.#get('/informations', signal));
    const moments = answer.data?.datesDernieresMisesAJourDesDonnees
      .filter(({ collection }) => /^(unités légales|établissements)$/i.test(collection))
      .map(({ dateDerniereMiseADisposition: at }) => at);
    if (!moments?.length) throw this.service.fault('does not say when its data were made');
    return moments.toSorted()[0]!;
  }

  /**
   * A page of a list; undefined where it has nothing.
   * @param query as the parameter `q` has it
   * @param day the only day whose period counts and is answered; absent: of any period
   */
  async page(
    list: List,
    query: string,
    cursor: string,
    signal?: AbortSignal,
    day?: string,
  ): Promise<Page | undefined> {
    const date = day === undefined ? {} : { date: day };
    const parameters = { q: query, ...date, nombre: String(PAGE_ROWS), curseur: cursor };
    const found = await this.#get(`/${list}?${new URLSearchParams(parameters).toString()}`, signal);
    if (found === undefined) return undefined;
    const answer = page.safeParse(found);
    if (!answer.success || !answer.data[lists[list].rows]) {
      throw this.service.fault(`sends no page of /${list}`, answer.error);
    }
    const { curseur = cursor } = answer.data.header;
    if (curseur !== cursor) {
      throw this.service.fault(`skips to the cursor ${curseur} after ${cursor}`);
    }
    return answer.data;
  }

  /** The answer of a unit; undefined for an unknown one. A duplicate has that of the unit that stays. */
  async unit(siren: string, signal?: AbortSignal): Promise<z.output<typeof single> | undefined> {
    const found = await this.#get(`/siren/${encodeURIComponent(siren)}`, signal);
    if (found === undefined) return undefined;
    const answer = single.safeParse(found);
    if (!answer.success) throw this.service.fault(`sends no unit ${siren}`, answer.error);
    return answer.data;
  }

  /** What an address says; undefined for 404, which is how the API says "none". */
  async #get(path: string, signal?: AbortSignal): Promise<unknown> {
    let url = this.#url + path;
    for (let leads = 0; leads <= MOST_LEADS; leads += 1) {
      const read = async (answer: Response) => {
        if (answer.status === 404) return { content: undefined };
        if (answer.status === 301) return { lead: this.#followLead(url, answer) };
        if (answer.status !== 200) throw await this.#statusFault(answer);
        return { content: await this.service.readJson(answer) };
      };
      const outcome = await this.service.ask(url, { headers: this.#headers }, read, signal);
      if ('content' in outcome) return outcome.content;
      url = outcome.lead;
    }
    throw new ServiceFault('SIRENE leads from one duplicate to the next', { isPassing: false });
  }

  /** The address of the unit that a duplicate leads to: below ours, since the key goes there. */
  #followLead(url: string, { headers }: Response): string {
    const lead = URL.parse(headers.get('location') ?? '', url)?.href;
    if (lead?.startsWith(`${this.#url}/`)) return lead;
    throw new ServiceFault('SIRENE leads to another service', { isPassing: false });
  }

  async #statusFault(answer: Response): Promise<Error> {
    const { status } = answer;
    const fault = this.service.statusFault(answer);
    if (status === 401 || status === 403) {
      return new WrongUsage(`SIRENE_TOKEN is not accepted: SIRENE answers with HTTP ${status}.`);
    }
    if (status === 429 && fault.break_ms === undefined) {
      return new ServiceFault(fault.message, { isPassing: true, break_ms: quota_wait_ms });
    }
    if (status !== 400) return fault;
    const said = await this.service.readJson(answer).catch(() => undefined);
    const message = z.object({ header: z.object({ message: z.string() }) }).safeParse(said);
    const reason = message.success ? `: ${message.data.header.message.slice(0, 200)}` : '';
    return new ServiceFault(fault.message + reason, { isPassing: false });
  }
}
