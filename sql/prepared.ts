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

type Query = (query: unknown, ...rest: unknown[]) => unknown;

/** A connection that prepares the statements that ask for it. */
export class PreparingClient extends Client {
  /** As that of any client. */
  override query = prepare(Client.prototype.query.bind(this)) as Client['query'];
}

function prepare(run: Query): Query {
  return (query, ...rest) => {
    if (typeof query !== 'string' || !query.startsWith(mark)) return run(query, ...rest);
    return run({ name: nameOf(query), text: query, values: rest[0] });
  };
}
