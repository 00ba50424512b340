import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../errors.ts';
import { figure } from '../written-figure.ts';
import { type DumpFolder, readLines, writeWhole } from './folder.ts';
import { type Journal, openJournal } from './journal.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import type { Missing } from './round.ts';
import { type List, lists, type Page, type Sirene } from './sirene.ts';

/** The most rows of a list. A longer list is left to the next stock: INSEE touches millions of units in some nights. */
const MOST_ROWS = 1_000_000;
const tooLong = `longer than ${figure(MOST_ROWS)} rows, left to the next stock`;

/** The note on an empty list. INSEE could not answer for the nights of December 2025 in which it coded NAF 2025. */
const empty = 'a quiet day, or one that only the next stock tells';

/** Fetches the lists of some days, and continues where an earlier attempt has ended. */
export async function fetchLists(
  sirene: Sirene,
  readyAt: string,
  days: readonly string[],
  plan: FetchPlan,
  { dump, work }: DumpFolder,
): Promise<FetchReport> {
  const journalPath = join(work, 'journal.ndjson');
  // All pages of a list must be of one publication: a journal from before the last publication is removed.
  const versionPath = join(work, 'informations.txt');
  if ((await readLines(versionPath))?.[0] !== readyAt) {
    await rm(journalPath, { force: true });
    await writeWhole(versionPath, readyAt);
  }
  const journal = await openJournal(work);
  const { progress, signal } = plan;
  const missing: Missing[] = [];
  const rows: Record<string, number> = {};
  try {
    for (const [at, day] of days.entries()) {
      progress.step(`lists of ${day}`);
      for (const list of Object.keys(lists) as List[]) {
        const count = await readList(sirene, journal, list, day, signal);
        if (count === undefined) missing.push({ number: `/${list} ${day}`, reason: tooLong });
        if (count === 0) progress.note(`SIRENE has nothing in /${list} of ${day}: ${empty}`);
        rows[list] = (rows[list] ?? 0) + (count ?? 0);
      }
      progress.count(at + 1, days.length);
    }
    await journal.writeDump(join(dump, 'answers.ndjson'), refuseRepeated());
  } catch (cause) {
    if (cause instanceof Refusal) await rm(journalPath);
    throw cause;
  }
  const had = days.filter((day) => !missing.some(({ number }) => number.endsWith(day)));
  const outcomes = new Map(had.map((day) => [day, 'had']));
  return createReport('sirene', plan, days, outcomes, { missing, days: had, rows });
}

/**
 * Fetches the pages of a list into the journal, and continues where an earlier attempt has ended. Throws a
 * `Refusal` where a page is missing or repeated.
 *
 * @returns the number of rows; undefined for a list that is too long
 */
async function readList(
  sirene: Sirene,
  journal: Journal,
  list: List,
  day: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const seen = new Set<string>();
  let [cursor, had, total] = ['*', 0, 0];
  for (;;) {
    const number = `${list} ${day} ${cursor}`;
    if (!journal.outcomes.has(number)) {
      const page = await sirene.page(list, `${lists[list].day}:${day}`, cursor, signal);
      const { curseurSuivant = cursor } = page?.header ?? {};
      const count = page?.[lists[list].rows]?.length ?? 0;
      if ((page?.header.total ?? 0) > MOST_ROWS) return undefined;
      const outcome = [count, page?.header.total ?? total, curseurSuivant].join(' ');
      journal.append(number, outcome, page && count > 0 ? [page] : []);
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

/** Returns a check that throws a `Refusal` for a row on two pages of a list: another row is then on no page. */
function refuseRepeated(): (number: string, pages: readonly object[]) => void {
  let list = '';
  const seen = new Set<string>();
  return (number, pages) => {
    const [name, day] = number.split(' ');
    if (list !== `${name} ${day}`) seen.clear();
    list = `${name} ${day}`;
    for (const page of pages as Page[]) {
      for (const { siren, siret } of page.unitesLegales ?? page.etablissements ?? []) {
        const key = siret ?? siren;
        if (seen.has(key)) throw new Refusal(`SIRENE gives ${key} twice in /${name} of ${day}`);
        seen.add(key);
      }
    }
  };
}
