import type { Journal } from './journal.ts';
import type { Progress } from './progress.ts';

/** What to fetch, and who is told of it. */
export interface FetchPlan {
  inboxDir: string;
  /** YYYY-MM-DD. */
  date: string;
  progress: Progress;
  /** Aborted when the process is told to end. */
  signal: AbortSignal;
}

/** What a fetch has brought; also left beside the folder as `<date>.fetched.json`. */
export interface FetchReport {
  source: string;
  dump_date: string;
  state: 'fetched';
  /** How many numbers, or files, the day has. */
  asked: number;
  had: number;
  /** Numbers that the registry lists and has nothing of. */
  not_found: string[];
  /** Entities that are struck off and of which there is no extract any more. */
  without_extract: string[];
  /** What stands in the lists and is no number. */
  odd: string[];
  /** What could not be had, and why: a later fetch of the number brings it. */
  missing: { number: string; reason: string }[];
}

/** Counts the answers of a day. */
export function reportOutcomes(
  source: string,
  plan: FetchPlan,
  day: {
    asked: readonly string[];
    journal: Journal;
    missing: ReadonlyMap<string, string>;
    odd?: readonly string[];
  },
): FetchReport {
  const { outcomes } = day.journal;
  const withOutcome = (outcome: string) =>
    day.asked.filter((number) => outcomes.get(number) === outcome);
  return {
    source,
    dump_date: plan.date,
    state: 'fetched',
    asked: day.asked.length,
    had: withOutcome('had').length,
    not_found: withOutcome('not_found'),
    without_extract: withOutcome('without_extract'),
    odd: [...(day.odd ?? [])],
    missing: [...day.missing].map(([number, reason]) => ({ number, reason })),
  };
}

/** What a fetch has brought, in a few lines for people. */
export function describeFetch(report: FetchReport, path: string): string {
  const lines = [
    `${report.source} ${report.dump_date}: fetched, ${report.had} of ${report.asked} had, in ${path}`,
  ];
  const list = (what: string, numbers: readonly string[]) => {
    if (numbers.length === 0) return;
    const shown = numbers.slice(0, 10).join(', ');
    const more = numbers.length > 10 ? `, … (${numbers.length})` : '';
    lines.push(`  ${what}: ${shown}${more}`);
  };
  list('not found', report.not_found);
  list('struck off, without an extract', report.without_extract);
  list('not a number', report.odd);
  for (const { number, reason } of report.missing.slice(0, 10)) {
    lines.push(`  could not be had: ${number}: ${reason}`);
  }
  if (report.missing.length > 10) {
    lines.push(`  could not be had: ${report.missing.length} in all`);
  }
  return lines.join('\n');
}
