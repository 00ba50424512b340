import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { invalid } from '../http/errors.ts';
import { findNear } from '../../sql/suggest.ts';
import { keep } from '../http/keep.ts';

const nearCount = 3;

async function readEventTypes(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('registry.event_type').select('event_type').execute();
  return rows.map((row) => row.event_type);
}

/** @returns throws the 422 of an event type that the dictionary does not have; it names near ones */
export function createEventTypeCheck(db: Kysely<Tables>): (event_type: string) => Promise<void> {
  const readKnown = keep(() => readEventTypes(db));
  return async (event_type) => {
    const known = await readKnown();
    if (known.includes(event_type)) return;
    const near = findNear(event_type.toUpperCase(), known, nearCount);
    const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
    const message = `The event_type field must be the name of an event type${hint}.`;
    throw invalid([['event_type', message]]);
  };
}
