import { z } from 'zod';
import type { RateLimit } from './rate.ts';
import { Service, ServiceFault, type ServiceSettings } from './service.ts';

/** The limit of the public plan. INSEE measures the shared quota differently: 429 comes below the limit too. */
const limits: readonly RateLimit[] = [{ count: 30, window_ms: 60_000 }];

/** The most rows of a page. */
const PAGE_ROWS = 1000;

/** The pause after a 429 without Retry-After, in ms. */
const quota_wait_ms = 5000;

/** The most redirects of a request. A duplicate redirects to the unit that stays, which is no duplicate. */
const MOST_LEADS = 3;

/** The two lists of the API by their key, with the names of the fields for rows and day. */
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

/** A page of a list, as a dump stores it. */
export type Page = z.output<typeof page>;

const single = z.looseObject({ uniteLegale: row });

/** Calls the API Sirene 3.11 of INSEE. */
export class Sirene {
  readonly service: Service;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  /** @param settings.url the address up to and including the version, `/api-sirene/3.11` */
  constructor({ url, token, ...settings }: ServiceSettings & { url: string; token: string }) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = { 'X-INSEE-Api-Key-Integration': token, Accept: 'application/json' };
    // A thousand establishments with their history take some five megabytes.
    const defaults = { secret: 'SIRENE_TOKEN', limits, max_bytes: 32 * 1024 ** 2 };
    this.service = new Service('SIRENE', { ...defaults, ...settings });
  }

  /** Returns the time of the last publication of units and of establishments, in French time: the earlier of both. */
  async readyAt(signal?: AbortSignal): Promise<string> {
    const answer = await this.#get('/informations', informations, 'informations', signal);
    const moments = answer?.datesDernieresMisesAJourDesDonnees
      .filter(({ collection }) => /^(unités légales|établissements)$/i.test(collection))
      .map(({ dateDerniereMiseADisposition: at }) => at);
    if (!moments?.length) throw this.service.fault('does not say when its data were made');
    return moments.toSorted()[0]!;
  }

  /**
   * Returns a page of a list; undefined where the list has no rows.
   * @param query the value of the parameter `q`
   * @param day the day whose period is searched and returned; absent: any period
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
    const path = `/${list}?${new URLSearchParams(parameters).toString()}`;
    const ofList = page.refine((found) => found[lists[list].rows]);
    const found = await this.#get(path, ofList, `page of /${list}`, signal);
    const { curseur = cursor } = found?.header ?? {};
    if (curseur !== cursor) {
      throw this.service.fault(`skips to the cursor ${curseur} after ${cursor}`);
    }
    return found;
  }

  /** Returns the answer for a unit; undefined for an unknown unit. For a duplicate, answers for the unit that stays. */
  async unit(siren: string, signal?: AbortSignal): Promise<z.output<typeof single> | undefined> {
    return await this.#get(`/siren/${encodeURIComponent(siren)}`, single, `unit ${siren}`, signal);
  }

  /** Returns the answer at a path, in the given shape; undefined for 404, by which the API means "none". */
  async #get<T>(
    path: string,
    shape: z.ZodType<T>,
    what: string,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    let url = this.#url + path;
    for (let leads = 0; leads <= MOST_LEADS; leads += 1) {
      const read = async (answer: Response) => {
        if (answer.status === 404) return { content: undefined };
        if (answer.status === 301) return { lead: this.#followLead(url, answer) };
        if (answer.status === 400 || answer.status === 429) throw await this.#statusFault(answer);
        return { content: await this.service.readJson(answer, shape, what) };
      };
      const outcome = await this.service.ask(url, { headers: this.#headers }, read, signal);
      if ('content' in outcome) return outcome.content;
      url = outcome.lead;
    }
    throw new ServiceFault('SIRENE leads from one duplicate to the next', { isPassing: false });
  }

  /** Returns the address to which a duplicate redirects. It must lie below the API, since it receives the key. */
  #followLead(url: string, { headers }: Response): string {
    const lead = URL.parse(headers.get('location') ?? '', url)?.href;
    if (lead?.startsWith(`${this.#url}/`)) return lead;
    throw new ServiceFault('SIRENE leads to another service', { isPassing: false });
  }

  /** Returns the fault of a bad request, with its reason, or of a request above the quota. */
  async #statusFault(answer: Response): Promise<Error> {
    const fault = this.service.statusFault(answer);
    if (answer.status === 429) {
      const { break_ms = quota_wait_ms } = fault;
      return new ServiceFault(fault.message, { isPassing: true, break_ms });
    }
    const said = z
      .object({ header: z.object({ message: z.string() }) })
      .safeParse(await answer.json().catch(() => undefined));
    const reason = said.success ? `: ${said.data.header.message.slice(0, 200)}` : '';
    return new ServiceFault(fault.message + reason, { isPassing: false });
  }
}
