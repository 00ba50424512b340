import { join } from 'node:path';
import type { Reporter } from '../night/reporter.ts';
import type { Missing } from './missing-answers.ts';
import { figure } from '../written-figure.ts';

export interface FetchPlan {
  inboxDir: string;
  /** The day whose dump is fetched, YYYY-MM-DD. */
  date: string;
  progress: Pick<Reporter, 'step' | 'count' | 'note'>;
  /** Returns the rows of a query from a file of `sql/`; an empty list if there is no database yet. */
  query: (file: string, values: unknown[]) => Promise<Record<string, string | null>[]>;
}

/** The result of fetching a dump, which is stored beside the dump folder as `<date>.fetched.json`. */
export interface FetchReport {
  source: string;
  dump_date: string;
  state: 'fetched';
  /** The count of the numbers, files or days that the fetch requested from the registry. */
  asked: number;
  had: number;
  /** The numbers that are in a list of the registry, but that the registry does not find when they are requested. */
  not_found: string[];
  /** The KRS numbers of struck-off companies for which KRS returns no extract. */
  without_extract: string[];
  /** The texts in the lists of the registry that are not company numbers. */
  odd: string[];
  missing: Missing[];
  /** The count of the numbers that the fetch had no time to request and leaves to the next fetch. */
  left: number;
  /** The days whose lists the dump holds; undefined for a full dump, and for a dump that always holds one day. */
  days?: readonly string[];
  /** The count of rows in each list of changes, by the name of the list (such as `siren`). */
  rows?: Readonly<Record<string, number>>;
}

/** Returns the report of a fetch. @param outcomes the outcome of the request for each number, by that number */
export function createReport(
  source: string,
  { date: dump_date }: Pick<FetchPlan, 'date'>,
  asked: readonly string[],
  outcomes: ReadonlyMap<string, string>,
  more: Partial<FetchReport> = {},
): FetchReport {
  const having = (outcome: string) => asked.filter((number) => outcomes.get(number) === outcome);
  const not_found = having('not_found');
  const without_extract = having('without_extract');
  const counts = { asked: asked.length, had: having('had').length, left: 0 };
  const lists = { not_found, without_extract, odd: [], missing: [] };
  return { source, dump_date, state: 'fetched', ...counts, ...lists, ...more };
}

/** Describes the result of a fetch in a few lines for the operator. */
export function describeFetch(report: FetchReport, inboxDir: string): string {
  const { source, dump_date, asked, had, missing, left, rows = {} } = report;
  const lists = {
    'not found': report.not_found,
    'struck off, without an extract': report.without_extract,
    'not a number': report.odd,
    'could not be had': missing.map(({ number, reason }) => `${number} (${reason})`),
  };
  return [
    `${source} ${dump_date}: fetched, ${figure(had)} of ${figure(asked)} had, in ${join(inboxDir, source, dump_date)}`,
    ...Object.entries(rows).map(([of, count]) => `  ${of}: ${figure(count)} rows`),
    ...Object.entries(lists).flatMap(([what, numbers]) => {
      if (numbers.length === 0) return [];
      const more = numbers.length > 10 ? `, … (${figure(numbers.length)})` : '';
      return `  ${what}: ${numbers.slice(0, 10).join(', ')}${more}`;
    }),
    ...(left > 0 ? [`  left to the next fetch: ${figure(left)}`] : []),
  ].join('\n');
}
