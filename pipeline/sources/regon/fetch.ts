import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { hour_ms } from '../../../sql/process/durations.ts';
import { type Bir, type BirQuery, SEARCH_LIMIT } from './bir.ts';
import { fillFolder } from '../../fetch/folder.ts';
import { type Journal, openJournal } from '../../fetch/journal.ts';
import { type Entities, listEntities, readLists, writeLists } from './fetch-lists.ts';
import { checkAnswer, readEntity, type ReportLine, typesIn } from './fetch-report.ts';
import { createReport, type FetchPlan, type FetchReport } from '../../fetch/report.ts';
import { askEvery, type Missing, refuseGaps } from '../../fetch/missing-answers.ts';
import { ServiceFault } from '../../fetch/service.ts';
import { figure } from '../../written-figure.ts';

/** The maximum duration of a fetch from REGON, in ms. The other four hours of a day are for the nightly job. */
const LONGEST_FETCH_ms = 20 * hour_ms;

/**
 * Fetches the changes of a day in REGON: the six daily lists, then the full reports of each listed entity. An entity is
 * also listed if a list names only one of its local units. The dump consists of the lists that `writeLists` writes, and
 * `reports.ndjson` with one `ReportLine` per line. If the fetch is estimated to take more than 20 hours, it requests
 * watched companies first, and notes the estimate. Entities that are not requested within 20 hours are left to the next
 * fetch. Throws a `Refusal` if too many answers are missing, and a `ServiceFault` if REGON sends no daily lists. Throws
 * `NothingToDo` if the day is already fetched, and `AlreadyRunning` if another process fetches it.
 */
export function fetchRegon(bir: Bir, plan: FetchPlan): Promise<FetchReport> {
  const { progress } = plan;
  // The default of V8 would let V8's young generation grow by 60 MB, without making a fetch faster.
  setFlagsFromString('--semi-space-growth-factor=1');
  const filled = fillFolder({ ...plan, source: 'regon' }, async (folder) => {
    progress.step('daily lists');
    await readLists(bir, plan, folder);
    const entities = await listEntities(folder);
    const journal = await openJournal(folder.work);
    progress.step('full reports');
    const { missing, left } = await askEntities(bir, plan, entities, journal);
    const asked = entities.asked.filter((regon) => !left.has(regon));
    refuseGaps(asked.length, missing);
    await writeLists(entities, left, folder, plan.date);
    await journal.writeDump(join(folder.dump, 'reports.ndjson'));
    const more = { odd: entities.odd, missing, left: left.size };
    return createReport('regon', plan, asked, journal.outcomes, more);
  });
  // Restores the default of V8, because the nightly job may run in the same process.
  return filled.finally(() => setFlagsFromString('--semi-space-growth-factor=2'));
}

/** Requests reports on all listed entities. @returns entities without an answer, and entities not requested in time */
async function askEntities(
  bir: Bir,
  plan: FetchPlan,
  entities: Entities,
  journal: Journal,
): Promise<{ missing: Missing[]; left: Set<string> }> {
  const { asked, units } = entities;
  const { clock } = bir.rate;
  const end_ms = clock.now() + LONGEST_FETCH_ms;
  const due = await planDay(bir, plan, entities, journal);
  const missing: Missing[] = [];
  let at = 0;
  for (; at < due.length && clock.now() < end_ms; at += SEARCH_LIMIT) {
    const some = due.slice(at, at + SEARCH_LIMIT);
    const before = asked.length - due.length + at;
    // If the search fails or does not find a number, `readEntity` requests the type of the entity with this number.
    const types = typesIn(
      await bir.search({ Regony9zn: some.join(',') }).catch((error: unknown) => {
        if (error instanceof ServiceFault) return [];
        throw error;
      }),
    );
    const failed = await askEvery(some, {
      onProgress: (done) => plan.progress.count(before + done, asked.length),
      ask: async (regon) => {
        const question = { regon, type: types.get(regon), units: units(regon) };
        const { outcome, lines } = await readEntity(bir, question);
        journal.append(regon, outcome, lines);
      },
    });
    missing.push(...failed);
  }
  return { missing, left: new Set(due.slice(at)) };
}

/** Returns the entities without a stored answer, in the order in which the fetch requests them. */
async function planDay(
  bir: Bir,
  { progress, query }: FetchPlan,
  { asked, units }: Entities,
  journal: Journal,
): Promise<string[]> {
  const due = asked.filter((regon) => !journal.outcomes.has(regon));
  // One search covers twenty entities. The reports on an entity take at least three calls to BIR, on a local unit two.
  const calls = Math.ceil(3.05 * due.length + 2 * due.flatMap(units).length);
  const needed_ms = bir.rate.estimate_ms(calls);
  if (needed_ms <= LONGEST_FETCH_ms) return due;
  const hours = Math.round(needed_ms / hour_ms);
  progress.note(
    `REGON lists ${figure(due.length)} entities: at least ${figure(calls)} calls, ${hours} hours at the rates that GUS allows. ` +
      `Watched companies come first; what is not had within ${LONGEST_FETCH_ms / hour_ms} hours is left to the next fetch.`,
  );
  const watched = await query('import/find_watched.sql', [due]).catch((error: unknown) => {
    progress.note(`Which companies are watched is not known: ${(error as Error).message}`);
    return [];
  });
  return [...new Set([...watched.map(({ regon9 }) => regon9!), ...due])];
}

/** Searches REGON for a company, and returns the full reports on each entity found, as lines of `reports.ndjson`. */
export async function askRegon(bir: Bir, query: BirQuery): Promise<ReportLine[]> {
  const rows = await bir.search(query);
  checkAnswer(rows, 'a search');
  const found = [...typesIn(rows)].map(([regon, type]) => readEntity(bir, { regon, type }));
  const had = (await Promise.all(found)).filter(({ outcome }) => outcome === 'had');
  return had.flatMap(({ lines }) => lines);
}
