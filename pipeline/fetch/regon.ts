import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Refusal } from '../errors.ts';
import { hour_ms } from '../../sql/process/durations.ts';
import { type Bir, type BirQuery, errorCodeOf, SEARCH_LIMIT } from './regon-service.ts';
import { type DumpFolder, fillFolder, readLines, writeLines } from './folder.ts';
import { type Journal, openJournal } from './journal.ts';
import { checkAnswer, readEntity, type ReportLine, typesIn } from './regon-report.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import { askEvery, type Missing, refuseGaps } from './round.ts';
import { ServiceFault } from './service.ts';
import { figure } from '../written-figure.ts';

/** The longest duration of a fetch, in ms: four hours of the day remain for the night. */
const LONGEST_FETCH_ms = 20 * hour_ms;

/**
 * Fetches the changes of a day in REGON: the six daily lists, then the full reports of every entity that is
 * listed, itself or by a unit. The folder holds `reports.ndjson`, one `ReportLine` per line, all lines of an
 * entity together, and the lists of `writeLists`. A fetch of more than 20 hours begins with the watched companies,
 * and leaves the rest to the next fetch; a note reports the estimate.
 * Throws a `Refusal` when too many answers are missing, `NothingToDo`, `AlreadyRunning`, or a `ServiceFault`
 * when there are no lists.
 */
export function fetchRegon(bir: Bir, plan: FetchPlan): Promise<FetchReport> {
  const { progress } = plan;
  // Long lists would grow V8's young generation by 60 MB. A fetch waits for the network, not for V8.
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
  // Restores the default of V8, for a night in the same process.
  return filled.finally(() => setFlagsFromString('--semi-space-growth-factor=2'));
}

/** Requests the reports of all due entities. @returns the entities without an answer, and those left at the end */
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
    // The type of a number that the search does not find, or that a failed search asked for, is requested by itself.
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

/** Returns the entities that are still due, in the order of their requests. */
async function planDay(
  bir: Bir,
  { progress, findWatched }: FetchPlan,
  { asked, units }: Entities,
  journal: Journal,
): Promise<string[]> {
  const due = asked.filter((regon) => !journal.outcomes.has(regon));
  const unitCount = due.reduce((count, regon) => count + units(regon).length, 0);
  // An entity takes a twentieth of a search and at least three reports; a unit takes two reports.
  const calls = Math.ceil(3.05 * due.length + 2 * unitCount);
  const needed_ms = bir.rate.estimate_ms(calls);
  if (needed_ms <= LONGEST_FETCH_ms) return due;
  const hours = Math.round(needed_ms / hour_ms);
  progress.note(
    `REGON lists ${figure(due.length)} entities: at least ${figure(calls)} calls, ${hours} hours at the rates that GUS allows. ` +
      `Watched companies come first; what is not had within ${LONGEST_FETCH_ms / hour_ms} hours is left to the next fetch.`,
  );
  const watched = await findWatched(due).catch((error: unknown) => {
    progress.note(`Which companies are watched is not known: ${(error as Error).message}`);
    return [];
  });
  return [...new Set([...watched, ...due])];
}

/** Searches REGON for one company. Returns the lines of a dump with each entity that is found. */
export async function askRegon(bir: Bir, query: BirQuery): Promise<ReportLine[]> {
  const rows = await bir.search(query);
  checkAnswer(rows, 'a search');
  const found = [...typesIn(rows)].map(([regon, type]) => readEntity(bir, { regon, type }));
  const had = (await Promise.all(found)).filter(({ outcome }) => outcome === 'had');
  return had.flatMap(({ lines }) => lines);
}

/** The daily lists of BIR, by the name of the file that stores each list. */
const lists = {
  'new.txt': 'BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'updated.txt': 'BIR11AktualizowanePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'deleted.txt': 'BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'new_units.txt': 'BIR11NoweJednostkiLokalne',
  'updated_units.txt': 'BIR11AktualizowaneJednostkiLokalne',
  'deleted_units.txt': 'BIR11SkresloneJednostkiLokalne',
};

/** The suffix of a file with the numbers that the fetch of a day has left to the next fetch. */
const leftEnd = '.left.txt';

/** Reads the daily lists that `lists/` lacks into this folder, and moves the `.left.txt` of earlier fetches there. */
async function readLists(
  bir: Bir,
  { date, progress }: FetchPlan,
  { work, inbox }: DumpFolder,
): Promise<void> {
  const folder = join(work, 'lists');
  await mkdir(folder, { recursive: true });
  const all = Object.entries(lists);
  for (const [at, [file, list]] of all.entries()) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      const rows = await bir.list(list, date);
      if (errorCodeOf(rows) === '101') {
        throw new Refusal(`GUS has no lists of ${date}; it keeps those of about a week`);
      }
      checkAnswer(rows, list);
      await writeLines(
        path,
        rows.flatMap(({ regon }) => regon || []),
      );
    }
    progress.count(at + 1, all.length);
  }
  for (const name of await readdir(inbox)) {
    if (name.endsWith(leftEnd)) await rename(join(inbox, name), join(folder, name));
  }
}

type Entities = Awaited<ReturnType<typeof listEntities>>;

/** Returns the REGON9 of each entity that the lists of a day contain, itself or by a unit, ascending. */
async function listEntities({ work }: DumpFolder) {
  const files = await readdir(join(work, 'lists'));
  const numbers = await Promise.all(files.map((file) => readLines(join(work, 'lists', file))));
  const listed = Map.groupBy(new Set(numbers.flat()), toRegon9);
  const { asked = [], odd = [] } = Object.groupBy(listed.keys(), (regon) =>
    /^\d{9}$/.test(regon) ? 'asked' : 'odd',
  );
  return {
    asked: asked.toSorted(),
    /** Returns the REGON14 of the listed units of an entity. */
    units: (regon: string) => listed.get(regon)!.filter(isUnit),
    /** The texts in the lists that are no REGON. */
    odd,
  };
}

/**
 * Writes the lists of the dump, `new.txt`, `updated.txt` and `deleted.txt`, with one REGON9 per line. No list
 * holds the numbers of units, since a closed unit does not mean a closed entity.
 *
 * @param left entities that were not requested in time: a file next to the folder keeps them for the next
 *   fetch and its `updated.txt`. In this dump, only `deleted.txt` still holds them.
 */
async function writeLists(
  { asked, units }: Entities,
  left: ReadonlySet<string>,
  { dump, work, inbox }: DumpFolder,
  date: string,
): Promise<void> {
  const taken = (await readdir(join(work, 'lists'))).filter((file) => file.endsWith(leftEnd));
  for (const file of ['new.txt', 'updated.txt', 'deleted.txt']) {
    const files = file === 'updated.txt' ? [file, ...taken] : [file];
    const isKept = (regon: string) => file === 'deleted.txt' || !left.has(regon);
    const numbers = await Promise.all(files.map((name) => readLines(join(work, 'lists', name))));
    const listed = new Set(numbers.flat().map(toRegon9));
    const regons = asked.filter((regon) => listed.has(regon) && isKept(regon));
    await writeLines(join(dump, file), regons);
  }
  if (left.size === 0) return;
  const rest = [...left].flatMap((regon) => [regon, ...units(regon)]);
  await writeLines(join(inbox, `${date}${leftEnd}`), rest);
}

/** Checks for the number of a unit: fourteen digits, of which the last five are not all zeros. */
function isUnit(number: string): boolean {
  return /^\d{14}$/.test(number) && !number.endsWith('00000');
}

function toRegon9(number: string): string {
  return /^\d{14}$/.test(number) ? number.slice(0, 9) : number;
}
