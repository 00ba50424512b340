import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../errors.ts';
import { type Bir, type BirQuery, errorCodeOf } from './bir.ts';
import { type DumpFolder, fillFolder, joinLines, readLines, writeWhole } from './folder.ts';
import { Journal } from './journal.ts';
import {
  birError,
  type EntityAnswer,
  field,
  readEntity,
  type ReportLine,
  searchTypes,
} from './regon-report.ts';
import { askEvery, refuseGaps } from './round.ts';
import { type FetchPlan, type FetchReport, reportOutcomes } from './report.ts';

/** At once; the rate lets three a second through. */
const WIDTH = 4;

/** The daily lists by the file that they go to; units go to their entities. */
const lists = {
  new: 'BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  updated: 'BIR11AktualizowanePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  deleted: 'BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  new_units: 'BIR11NoweJednostkiLokalne',
  updated_units: 'BIR11AktualizowaneJednostkiLokalne',
  deleted_units: 'BIR11SkresloneJednostkiLokalne',
};

type ListName = keyof typeof lists;
const listNames = Object.keys(lists) as ListName[];

/**
 * Fetches what changed in REGON on a day: the six daily lists, then the full reports of every
 * entity that they name, itself or by a unit.
 *
 * The folder holds `reports.ndjson`, a `ReportLine` a line, all of an entity together, and
 * `new.txt`, `updated.txt` and `deleted.txt` with a REGON9 a line. Numbers of units are not in
 * those: a unit that is gone says nothing of its entity, and stands in the reports.
 *
 * Throws a `Refusal` when too much cannot be had, `NothingToDo`, `AlreadyRunning`, a `ServiceFault`
 * when the lists themselves cannot be had.
 */
export function fetchRegon(bir: Bir, plan: FetchPlan): Promise<FetchReport> {
  return fillFolder({ ...plan, source: 'regon' }, async (folder) => {
    const { progress, signal } = plan;
    progress.step('daily lists');
    const numbers = await readLists(bir, plan, folder);
    for (const name of ['new', 'updated', 'deleted'] as const) {
      const regons = [...new Set(numbers[name].map(toRegon9))].filter(isRegon9).toSorted();
      await writeWhole(join(folder.dump, `${name}.txt`), joinLines(regons));
    }
    const units = groupUnits(listNames.flatMap((name) => numbers[name]).filter(isUnit));
    const all = listNames.flatMap((name) => numbers[name].map(toRegon9));
    const asked = [...new Set([...all, ...units.keys()])].filter(isRegon9).toSorted();
    const odd = [...new Set(all.filter((number) => !isRegon9(number)))];
    if (odd.length > 0) progress.note(`no REGON: ${odd.slice(0, 5).join(', ')}`);
    const journal = await Journal.open(join(folder.dump, 'reports.ndjson'), folder.work);
    try {
      const due = asked.filter((regon) => !journal.outcomes.has(regon));
      progress.step('kinds of entities');
      const count = (done: number) => progress.count(done, due.length);
      const types = await searchTypes(bir, due, count, signal);
      progress.step('full reports');
      const missing = await askEvery(due, {
        width: WIDTH,
        signal,
        onProgress: (done) => progress.count(asked.length - due.length + done, asked.length),
        ask: async (regon, ending) => {
          const question = { regon, type: types.get(regon), units: units.get(regon) ?? [] };
          const { outcome, lines } = await readEntity(bir, question, ending);
          await journal.append(regon, outcome, lines.map(toLine));
        },
      });
      refuseGaps(asked.length, missing);
      return reportOutcomes('regon', plan, { asked, journal, missing, odd });
    } finally {
      await journal.close();
    }
  });
}

/** Asks REGON for one company now: one answer an entity found, with the lines of a dump. */
export async function askRegon(
  bir: Bir,
  query: Exclude<BirQuery, { regons9: string[] }>,
  signal?: AbortSignal,
): Promise<EntityAnswer[]> {
  const rows = await bir.search(query, signal);
  const code = errorCodeOf(rows);
  if (code === '4') return [];
  if (code !== undefined) throw birError(rows, 'a search');
  const found = new Map(
    rows
      .filter((row) => ['P', 'F'].includes(field(row, 'Typ')))
      .map((row) => [field(row, 'Regon').slice(0, 9), field(row, 'Typ')]),
  );
  const answers: EntityAnswer[] = [];
  for (const [regon, type] of found) answers.push(await readEntity(bir, { regon, type }, signal));
  return answers;
}

async function readLists(
  bir: Bir,
  { date, progress, signal }: FetchPlan,
  { work }: DumpFolder,
): Promise<Record<ListName, string[]>> {
  const folder = join(work, 'lists');
  await mkdir(folder, { recursive: true });
  const numbers: Partial<Record<ListName, string[]>> = {};
  for (const [at, name] of listNames.entries()) {
    const path = join(folder, `${name}.txt`);
    let list = await readLines(path);
    if (!list) {
      const rows = await bir.list(lists[name], date, signal);
      list = readNumbers(rows, lists[name], date);
      await writeWhole(path, joinLines(list));
    }
    numbers[name] = list;
    progress.count(at + 1, listNames.length);
  }
  return numbers as Record<ListName, string[]>;
}

function readNumbers(
  rows: Awaited<ReturnType<Bir['list']>>,
  report: string,
  date: string,
): string[] {
  const code = errorCodeOf(rows);
  if (code === '4') return [];
  if (code === '101') {
    throw new Refusal(`GUS has no lists of ${date}; it keeps those of about a week`);
  }
  if (code !== undefined) throw birError(rows, report);
  return rows.map((row) => field(row, 'regon')).filter((number) => number !== '');
}

/** Fourteen digits are a unit, unless the last five are zeros. */
function toRegon9(number: string): string {
  return /^\d{9}0{5}$/.test(number) || isUnit(number) ? number.slice(0, 9) : number;
}

function isUnit(number: string): boolean {
  return /^\d{14}$/.test(number) && !number.endsWith('00000');
}

function isRegon9(number: string): boolean {
  return /^\d{9}$/.test(number);
}

function groupUnits(numbers: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const unit of [...new Set(numbers)].toSorted()) {
    const regon = unit.slice(0, 9);
    groups.set(regon, [...(groups.get(regon) ?? []), unit]);
  }
  return groups;
}

function toLine(line: ReportLine): string {
  return JSON.stringify(line);
}
