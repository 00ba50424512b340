import type { Reporter } from '../night/progress.ts';
import type { Missing } from './round.ts';
import { figure } from '../written-figure.ts';

export interface FetchPlan {
  inboxDir: string;
  /** YYYY-MM-DD. */
  date: string;
  progress: Pick<Reporter, 'step' | 'count' | 'note'>;
  /** Aborted when the process gets a signal to end. */
  signal: AbortSignal;
  /** Which of these companies, by REGON9, are watched. Called for a long day only. */
  findWatched: (regons: readonly string[]) => Promise<readonly string[]>;
  /** The days of the newest dump and of the newest full dump of the registry that are published. */
  findPublished: () => Promise<{ newest?: string | undefined; full?: string | undefined }>;
}

/** What a fetch has brought; also written next to the folder, as `<date>.fetched.json`. */
export interface FetchReport {
  source: string;
  dump_date: string;
  state: 'fetched';
  /** How many numbers, or files, were asked for. */
  asked: number;
  had: number;
  /** Numbers that the registry lists and knows nothing of. */
  not_found: string[];
  /** Entities that are struck off and have no extract any more. */
  without_extract: string[];
  /** What stands in the lists and is no number. */
  odd: string[];
  missing: Missing[];
  /** How many numbers of a long day the next fetch of a day goes on with. */
  left: number;
  /** The days whose lists it holds, of a registry that is asked again for days that are missing. */
  days?: readonly string[];
  /** The rows of each file of a stock, or of each list. */
  rows?: Readonly<Partial<Record<string, number>>>;
}

/** @param outcomes of the numbers that were asked for */
export function createReport(
  source: string,
  { date }: FetchPlan,
  asked: readonly string[],
  outcomes: ReadonlyMap<string, string>,
  more: Partial<FetchReport> = {},
): FetchReport {
  const having = (outcome: string) => asked.filter((number) => outcomes.get(number) === outcome);
  return {
    source,
    dump_date: date,
    state: 'fetched',
    asked: asked.length,
    had: having('had').length,
    not_found: having('not_found'),
    without_extract: having('without_extract'),
    odd: [],
    missing: [],
    left: 0,
    ...more,
  };
}

/** What a fetch has brought, in a few lines for people. */
export function describeFetch(report: FetchReport, path: string): string {
  const { source, dump_date, asked, had, missing } = report;
  return [
    `${source} ${dump_date}: fetched, ${figure(had)} of ${figure(asked)} had, in ${path}`,
    ...Object.entries(report.rows ?? {}).map(([of, rows = 0]) => `  ${of}: ${figure(rows)} rows`),
    ...listNumbers('not found', report.not_found),
    ...listNumbers('struck off, without an extract', report.without_extract),
    ...listNumbers('not a number', report.odd),
    ...missing.slice(0, 10).map(({ number, reason }) => `  could not be had: ${number}: ${reason}`),
    ...(missing.length > 10 ? [`  could not be had: ${figure(missing.length)} in all`] : []),
    ...(report.left > 0 ? [`  left to the next fetch: ${figure(report.left)}`] : []),
  ].join('\n');
}

function listNumbers(what: string, numbers: readonly string[]): string[] {
  if (numbers.length === 0) return [];
  const shown = numbers.slice(0, 10).join(', ');
  const more = numbers.length > 10 ? `, … (${figure(numbers.length)})` : '';
  return [`  ${what}: ${shown}${more}`];
}
