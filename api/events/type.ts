import type { Db } from '../../sql/kysely.ts';
import { readEventTypes } from '../dictionaries/names.ts';
import { invalid } from '../http/errors.ts';
import { findNear } from '../../sql/suggest.ts';
import { keep } from '../http/keep.ts';

const nearCount = 3;

/** @returns throws the 422 of an event type that is not in the dictionary; it names similar types */
export function createEventTypeCheck(db: Db): (event_type: string) => Promise<void> {
  const read = keep(() => readEventTypes(db));
  return async (event_type) => {
    const known = (await read()).map((one) => one.event_type);
    if (known.includes(event_type)) return;
    const near = findNear(event_type.toUpperCase(), known, nearCount);
    const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
    const message = `The event_type field must be the name of an event type${hint}.`;
    throw invalid([['event_type', message]]);
  };
}
