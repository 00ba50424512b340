import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { invalid } from './http.ts';
import { findNear } from './near.ts';

const nearCount = 3;

/** Throws the 422 of an event type that the dictionary does not have; it names those that are near. */
export async function requireEventType(db: Kysely<Tables>, event_type: string): Promise<void> {
  const rows = await db.selectFrom('registry.event_type').select('event_type').execute();
  const known = rows.map((row) => row.event_type);
  if (known.includes(event_type)) return;
  const near = findNear(event_type.toUpperCase(), known, nearCount);
  const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
  throw invalid([['event_type', `The event_type field must be the name of an event type${hint}.`]]);
}
