import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { runFile } from '../../sql/database.ts';

const folder = new URL('../../sql/check/', import.meta.url);

/** Sentences, one a row that a check returned. */
export interface Findings {
  /** What a person may accept with a reason. */
  guards: string[];
  /** What must never be published: a fault of ours. */
  invariants: string[];
}

/** Runs every query of `sql/check`: each must return no rows before a snapshot is published. */
export async function runChecks(client: pg.ClientBase): Promise<Findings> {
  const findings: Findings = { guards: [], invariants: [] };
  for (const file of (await readdir(folder)).toSorted()) {
    const results = await runFile(client, `check/${file}`);
    const sentences = results.flatMap(({ rows }) =>
      (rows as { refusal: string }[]).map(({ refusal }) => refusal),
    );
    findings[file.startsWith('guard_') ? 'guards' : 'invariants'].push(...sentences);
  }
  return findings;
}
