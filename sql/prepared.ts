import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';

const mark = '/* prepared */';

/**
 * At the very beginning of a statement: each connection parses it once, and keeps its plan once
 * Postgres finds none that is better for the values at hand. For statements of every request, whose
 * texts are few, and which take longer to plan than is well.
 */
export const prepared = sql.raw(mark);

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? hash('sha256', text, 'hex').slice(0, 32);
  names.set(text, name);
  return name;
}

type Callback = (error: Error | null, result: unknown) => void;
type Query = (query: unknown, ...rest: unknown[]) => unknown;

/** A connection that prepares the statements that ask for it. */
export class PreparingClient extends Client {
  /** As that of any client. */
  override query = prepare(Client.prototype.query.bind(this)) as Client['query'];
}

function isSubmittable(query: unknown): boolean {
  return typeof (query as { submit?: unknown } | null)?.submit === 'function';
}

function prepare(run: Query): Query {
  return (query, ...rest) => {
    if (isSubmittable(query)) return run(query, ...rest);
    const isMarked = typeof query === 'string' && query.startsWith(mark);
    const asked = isMarked ? { name: nameOf(query), text: query } : query;
    if (typeof rest.at(-1) === 'function') return run(asked, ...rest);
    // The promises that the library makes keep each other, and all rows of their results, until the old
    // memory is cleaned up: that made the pauses for the young one ten times as long.
    return new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => (error ? reject(error) : resolve(result));
      run(asked, ...(rest.length > 0 ? rest : [undefined]), settle);
    });
  };
}
