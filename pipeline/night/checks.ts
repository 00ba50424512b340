import { readdir } from 'node:fs/promises';
import { queryFile } from '../../sql/database.ts';
import type { GuardFinding } from '../errors.ts';
import type { NightSessions } from './steps.ts';

const folder = new URL('../../sql/check/', import.meta.url);

/** Files, or fields, of one guard that are named. */
const NAMED = 3;

export interface Findings {
  /** What a person may accept with a reason. */
  guards: GuardFinding[];
  /** Sentences on what must never be published: a fault of ours. */
  invariants: string[];
}

type GuardRow = Record<'refusal' | 'value' | 'limit_value', string> & { file: string | null };

/** Runs every query of `sql/check`: each must return no rows before a snapshot is published. */
export async function runChecks({ client, stage }: NightSessions): Promise<Findings> {
  const findings: Findings = { guards: [], invariants: [] };
  for (const name of (await readdir(folder)).toSorted()) {
    const rows = await queryFile<GuardRow>(client, `check/${name}`, undefined, stage);
    const guard = /^guard_(\w+)\.sql$/.exec(name)?.[1];
    if (guard === undefined) findings.invariants.push(...rows.map(({ refusal }) => refusal));
    else findings.guards.push(...rows.map((row) => findingOf(guard, row)));
  }
  return findings;
}

function findingOf(guard: string, { refusal, file, value, limit_value }: GuardRow): GuardFinding {
  return { guard, file, value: Number(value), limit: Number(limit_value), sentence: refusal };
}

/** A sentence for each guard: of several files it names the first three, the worst ones. */
export function describeFindings(
  findings: readonly GuardFinding[],
): { guard: string; sentence: string }[] {
  return [...Map.groupBy(findings, ({ guard }) => guard)].map(([guard, found]) => ({
    guard,
    sentence: describeGuard(found),
  }));
}

function describeGuard(found: readonly GuardFinding[]): string {
  const { file, sentence } = found[0]!;
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const named = found.slice(0, NAMED);
  if (found.length === 1 || file === null) {
    return `${named.map((each) => each.sentence).join(', ')}${more}`;
  }
  // Its sentence begins with its name.
  const rest = sentence.startsWith(file) ? sentence.slice(file.length) : ` ${sentence}`;
  return `${named.map((each) => each.file).join(', ')}${more}; the first${rest}`;
}
