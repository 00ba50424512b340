import { readdir } from 'node:fs/promises';
import { queryFile } from '../../sql/connection/database.ts';
import type { GuardFinding } from '../errors.ts';
import { shown } from '../figures/output-limits.ts';
import type { NightSessions } from './sessions.ts';

const folder = new URL('../../sql/check/', import.meta.url);

/**
 * A row that a query in `sql/check` returns. If the query has no column `guard`, its file name names the guard. `field`
 * is the column of the dump that the guard refuses.
 */
type GuardRow = Record<'refusal' | 'value' | 'limit_value', string> &
  Partial<Record<'guard' | 'file' | 'field', string | null>>;

/**
 * Runs every query of `sql/check`; a good snapshot has no findings. Each query contains the limit of its check. The
 * limits of guard_vanished_changed_lost.sql and guard_closed.sql grow with the days since the previous snapshot. A
 * guard ignores faults of up to `registry.guard_rows` rows (02_figures.sql). An operator may accept guards' findings,
 * with a reason that run-rows.ts saves. Queries in files without the prefix `guard_` find broken invariants: bugs.
 */
export async function runChecks({ client, stage }: NightSessions) {
  const guards: GuardFinding[] = [];
  const invariants: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const rows = await queryFile<GuardRow>(client, `check/${name}`, undefined, stage);
    const guard = /^guard_(\w+)\.sql$/.exec(name)?.[1];
    for (const row of rows) {
      const { refusal: sentence, file = null, field } = row;
      const [value, limit] = [Number(row.value), Number(row.limit_value)];
      const found = { file, value, limit, sentence, ...(field && { field }) };
      if (guard === undefined) invariants.push(sentence);
      else guards.push({ guard: row.guard ?? guard, ...found });
    }
  }
  guards.sort((one, other) => one.guard.localeCompare(other.guard));
  return { guards, invariants };
}

/** Returns a sentence for each guard that has findings. The sentence names the first three files or fields. */
export function describeFindings(findings: readonly GuardFinding[]) {
  return [...Map.groupBy(findings, ({ guard }) => guard)].map(([guard, found]) => {
    const { file, sentence } = found[0]!;
    const more = found.length > shown.named ? ` and ${found.length - shown.named} more` : '';
    const isOfFiles = found.length > 1 && file !== null;
    const named = found
      .slice(0, shown.named)
      .map((each) => (isOfFiles ? each.file : each.sentence));
    // A guard's sentence about a file begins with the file's name. This name is cut off, since `named` has the name.
    const rest = isOfFiles ? `; the first${sentence.slice(file.length)}` : '';
    return { guard, sentence: `${named.join(', ')}${more}${rest}` };
  });
}
