import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { figure } from '../../written-figure.ts';
import type { DumpFolder } from '../../fetch/folder.ts';
import { type Journal, openJournal } from '../../fetch/journal.ts';
import { createReport, type FetchPlan, type FetchReport } from '../../fetch/report.ts';
import type { Missing } from '../../fetch/missing-answers.ts';
import { Service, type ServiceSettings } from '../../fetch/service.ts';

/** The rate limit of INSEE's public plan. INSEE counts differently, and may send 429 below the limit. */
const limits = () => [{ count: 30, window_ms: 60_000 }];

/** The retries of a request to INSEE. All waits together exceed one minute, the period of INSEE's quota. */
const retry = { retries: 6, minTimeout: 1000, maxTimeout: 30_000 };

/** The number of rows that a page of a list of SIRENE may have at most. */
const PAGE_ROWS = 1000;

/** The maximum number of rows of a fetched list. Changes in a longer list are left to the next stock (full dump). */
const MOST_ROWS = 1_000_000;
const tooLong = `longer than ${figure(MOST_ROWS)} rows, left to the next stock`;
const quiet = 'a quiet day, or one that only the next stock tells';

/** The two lists of the API Sirene, with the names of their fields for the rows and for the day of a row's change. */
const lists = {
  siren: { rows: 'unitesLegales', day: 'dateDernierTraitementUniteLegale' },
  siret: { rows: 'etablissements', day: 'dateDernierTraitementEtablissement' },
} as const;

type List = keyof typeof lists;

const informations = z.object({
  datesDernieresMisesAJourDesDonnees: z.array(
    z.looseObject({
      collection: z.string(),
      dateDerniereMiseADisposition: z.string().regex(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/),
    }),
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

/** A page of a list of SIRENE, in the form in which the dump stores it. */
export type Page = z.output<typeof page>;

const single = z.looseObject({ uniteLegale: row });

/** The API Sirene answers with 404 if a list has no rows. */
const none = { 404: undefined };

/** Calls the API Sirene 3.11 of INSEE. */
export class Sirene extends Service {
  /** @param settings.url the address of the API up to and including the version, `/api-sirene/3.11` */
  constructor({ token, ...settings }: ServiceSettings & { url: string; token: string }) {
    const headers = { 'X-INSEE-Api-Key-Integration': token, Accept: 'application/json' };
    // A page of a thousand establishments with their history has about five megabytes.
    const defaults = { secret: 'SIRENE_TOKEN', headers, limits, retry, max_bytes: 32 * 1024 ** 2 };
    super('SIRENE', { ...defaults, ...settings });
  }

  /** Adds a break of five seconds to a 429 without `Retry-After`, because other processes may use up the quota. */
  override statusFault(answer: Response) {
    const fault = super.statusFault(answer);
    return answer.status === 429
      ? Object.assign(fault, { break_ms: fault.break_ms || 5_000 })
      : fault;
  }

  /** Returns when INSEE last published legal units or establishments, whichever time is earlier, in French time. */
  async readyAt(): Promise<string> {
    const answer = await this.askJson('/informations', informations, 'informations');
    const [first] = answer.datesDernieresMisesAJourDesDonnees
      .filter(({ collection }) => /^(unités légales|établissements)$/i.test(collection))
      .map(({ dateDerniereMiseADisposition: at }) => at)
      .toSorted();
    if (!first) throw this.fault('does not say when its data were made');
    return first;
  }

  /**
   * Returns a page of a list of SIRENE, or undefined if the list has no rows.
   * @param query the value of the parameter `q`
   * @param day the day whose values SIRENE searches and returns; if absent, the values of all periods
   */
  async page(list: List, query: string, cursor: string, day?: string): Promise<Page | undefined> {
    const date = day === undefined ? {} : { date: day };
    const parameters = { q: query, ...date, nombre: String(PAGE_ROWS), curseur: cursor };
    const path = `/${list}?${new URLSearchParams(parameters).toString()}`;
    const ofList = page.refine((found) => found[lists[list].rows]);
    const found = await this.askJson(path, ofList, `page of /${list}`, none);
    const { curseur = cursor } = found?.header ?? {};
    if (curseur !== cursor) throw this.fault(`skips to the cursor ${curseur} after ${cursor}`);
    return found;
  }

  /** Returns a legal unit; undefined for an unknown SIREN. For a duplicate SIREN, returns the unit that INSEE keeps. */
  async unit(siren: string): Promise<z.output<typeof single> | undefined> {
    const found = await this.ask(`/siren/${siren}`, async (answer) => {
      if (answer.status === 404) return undefined;
      const [, lead] = /\/siren\/(\d{9})$/.exec(answer.headers.get('location') ?? '') ?? [];
      return answer.status === 301 && lead ? lead : this.readJson(answer, single, `unit ${siren}`);
    });
    if (typeof found !== 'string') return found;
    // Only the SIREN in the redirect is used, because the redirect's address could send the key to another server.
    return await this.askJson(`/siren/${found}`, single, `unit ${found}`, none);
  }
}

/** Fetches SIRENE's lists of changes of the given days. Continues after the last page of an interrupted attempt. */
export async function fetchLists(
  sirene: Sirene,
  readyAt: string,
  days: readonly string[],
  plan: FetchPlan,
  { dump, work }: DumpFolder,
): Promise<FetchReport> {
  // All pages of a list must come from the same publication of INSEE, so each publication has a journal of its own.
  const folder = join(work, readyAt);
  const journal = await openJournal(folder);
  const { progress } = plan;
  const missing: Missing[] = [];
  const rows: Record<string, number> = {};
  try {
    for (const [at, day] of days.entries()) {
      progress.step(`lists of ${day}`);
      for (const list of Object.keys(lists) as List[]) {
        const count = await readList(sirene, journal, list, day);
        if (count === undefined) missing.push({ number: `/${list} ${day}`, reason: tooLong });
        // An empty list is noted, because it may be wrong: INSEE did not list the units that it recoded to NAF 2025.
        if (count === 0) progress.note(`SIRENE has nothing in /${list} of ${day}: ${quiet}`);
        rows[list] = (rows[list] ?? 0) + (count ?? 0);
      }
      progress.count(at + 1, days.length);
    }
    await journal.writeDump(join(dump, 'answers.ndjson'), refuseRepeated());
  } catch (cause) {
    if (cause instanceof Refusal) await rm(folder, { recursive: true });
    throw cause;
  }
  const had = days.filter((day) => !missing.some(({ number }) => number.endsWith(day)));
  const outcomes = new Map(had.map((day) => [day, 'had']));
  return createReport('sirene', plan, days, outcomes, { missing, days: had, rows });
}

/**
 * Fetches the pages of a list that the journal lacks, and stores the pages in the journal. Throws a `Refusal` if a page
 * of the list is missing or repeated.
 *
 * @returns the number of rows of the list, or undefined if the list has more than `MOST_ROWS` rows
 */
async function readList(
  sirene: Sirene,
  journal: Journal,
  list: List,
  day: string,
): Promise<number | undefined> {
  const seen = new Set<string>();
  let [cursor, had, total] = ['*', 0, 0];
  for (;;) {
    const number = `${list} ${day} ${cursor}`;
    if (!journal.outcomes.has(number)) {
      const found = await sirene.page(list, `${lists[list].day}:${day}`, cursor);
      const { total: stated = total, curseurSuivant = cursor } = found?.header ?? {};
      if (stated > MOST_ROWS) return undefined;
      const count = found?.[lists[list].rows]?.length ?? 0;
      const outcome = [count, stated, curseurSuivant].join(' ');
      journal.append(number, outcome, count > 0 ? [found!] : []);
    }
    const [count, now, next] = journal.outcomes.get(number)!.split(' ') as [string, string, string];
    if (cursor !== '*' && Number(now) !== total) {
      throw new Refusal(`The list /${list} of ${day} changed while it was read; run it again`);
    }
    seen.add(cursor);
    total = Number(now);
    had += Number(count);
    if (next === cursor || had >= total) break;
    if (seen.has(next)) throw new Refusal(`SIRENE repeats the cursor ${next} of /${list}`);
    cursor = next;
  }
  if (had === total) return had;
  throw new Refusal(
    `SIRENE gives ${figure(had)} of the ${figure(total)} rows of /${list} of ${day}`,
  );
}

/** Returns a function that throws a `Refusal` if pages of a list repeat a row, because another row is then missing. */
function refuseRepeated(): (number: string, pages: readonly object[]) => void {
  let list = '';
  const seen = new Set<string>();
  return (number, pages) => {
    const [name, day] = number.split(' ');
    if (list !== `${name} ${day}`) seen.clear();
    list = `${name} ${day}`;
    for (const { unitesLegales, etablissements } of pages as Page[]) {
      for (const { siren, siret } of unitesLegales ?? etablissements ?? []) {
        const key = siret ?? siren;
        if (seen.has(key)) throw new Refusal(`SIRENE gives ${key} twice in /${name} of ${day}`);
        seen.add(key);
      }
    }
  };
}
