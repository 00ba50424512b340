import { describeFindings } from '../night/guards.ts';
import type { Outcome, RefusedRun } from '../night/inbox.ts';
import type { RunSummary } from '../night/summary.ts';
import { figure } from '../written-figure.ts';
import { shown } from '../figures/output-limits.ts';

// The texts about the outcome of a night. With `--json`, print.ts prints the outcome as JSON (../night/summary.ts).

export function describeOutcome(outcome: Outcome): string {
  if (outcome.state === 'refused') return describeRefusal(outcome as RefusedRun);
  return 'entries' in outcome ? describeRun(outcome) : describeMessage(outcome);
}

const headings = {
  failed: 'Failed',
  refused: 'Refused',
  running: 'Not started',
  nothing: 'Nothing to do',
};

export function describeMessage(outcome: {
  state: keyof typeof headings;
  message: string;
}): string {
  return `${headings[outcome.state]}: ${outcome.message}`;
}

export function describeRun(run: RunSummary): string {
  const verb = run.is_dry_run ? 'would be published (dry run)' : run.state;
  // The number of a dry run is not printed, because its row of `registry.run` is deleted.
  const kept = run.is_dry_run ? '' : `, run ${run.run_id}`;
  const lines = [
    `${run.source} ${run.dump_date}: ${verb}${run.is_baseline ? ', the baseline' : ''}${kept}`,
    `  read ${figure(run.read)}, accepted ${figure(run.accepted)}, rejected ${figure(run.rejected)}`,
    `  new ${figure(run.new)}, updated ${figure(run.updated)}, deleted ${figure(run.deleted)}, entries ${figure(run.entries)}, events ${figure(run.events)}`,
    ...describeTypes(Object.entries(run.event_types)),
  ];
  if (run.waiting > 0) {
    lines.push(`  ${figure(run.waiting)} vanished and wait, since a rejected row may be theirs`);
  }
  // `showRejects` of runs.ts implements the command `registry rejects`.
  if (run.rejected > 0 && !run.is_dry_run)
    lines.push(`  see the rejected rows with: registry rejects ${run.run_id}`);
  for (const { subject, value } of run.notices) {
    const found = subject.startsWith('missing ') ? '' : 'not known: ';
    lines.push(`  ${found}${subject} '${value}'`);
  }
  return lines.join('\n');
}

/** Returns a line of text for each event type, with its count of events; the most frequent type comes first. */
function describeTypes(types: readonly [type: string, count: number][]): string[] {
  const first = types.slice(0, shown.eventTypes);
  const lines = first.map(([type, count]) => `    ${figure(count).padStart(9)} ${type}`);
  const left = types.length - first.length;
  return left > 0 ? [...lines, `              and ${left} more`] : lines;
}

/** Returns a text about a refused dump: the published snapshot, a line for each guard, and commands to accept it. */
export function describeRefusal(run: RefusedRun): string {
  const { source, dump_date, run_id, path, published_date } = run;
  const sees = published_date ? `readers still see ${published_date}` : 'nothing is published yet';
  const heading = `${source} ${dump_date}: refused${run_id === null ? '' : `, run ${run_id}`}; ${sees}`;
  const guards = describeFindings(run.refusals);
  if (guards.length === 0)
    return `${heading}
  ${run.message}
  --accept does not help: another dump is needed, or another date`;
  const command = `registry ingest ${source} ${quote(path)} --date ${dump_date}`;
  const width = Math.max(...guards.map(({ guard }) => guard.length));
  return [
    heading,
    ...guards.map(
      ({ guard, sentence }) => `  ${guard.replaceAll('_', ' ').padEnd(width)}  ${sentence}`,
    ),
    `  to rehearse:  ${command} --dry-run --accept 'the reason'`,
    `  to accept:    ${command} --accept 'the reason'`,
  ].join('\n');
}

/** Quotes a path so that a shell reads the path as one word. */
function quote(path: string): string {
  return /^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
