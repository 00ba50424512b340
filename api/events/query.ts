import { z } from 'zod';
import { feedScope, readCursor } from '../../sql/feed-cursor.ts';
import type { Db } from '../../sql/kysely.ts';
import { findNear } from '../../sql/suggest.ts';
import { eventTypeName, readEventTypes } from '../dictionaries/names.ts';
import { identifierType, identifierValue, validIdentifiers } from '../companies/identifier.ts';
import { invalid } from '../http/errors.ts';
import { dateField } from '../http/field.ts';
import { keep } from '../http/keep.ts';
import { pagingFields, wholeNumber } from '../http/paging.ts';

/** Events of the largest answer. `sql/api/read_feed.sql` reads one more. */
const highestLimit = 1000;
const defaultLimit = 100;
const longestCursor = 100;

export const historyQuery = z
  .strictObject({
    identifier_type: identifierType,
    identifier_value: identifierValue,
    ...pagingFields,
  })
  .superRefine(...validIdentifiers);

export const feedPageQuery = z
  .strictObject({
    event_type: eventTypeName.optional(),
    from_date: dateField('from_date').optional(),
    to_date: dateField('to_date').optional(),
    ...pagingFields,
  })
  .refine(({ from_date: from, to_date: to }) => !from || !to || from <= to, {
    path: ['to_date'],
    error: 'The to_date field must not be before from_date.',
  });

const cursorForm = 'The after field must be the next_cursor of an answer with the same scope.';

/** The problem of a cursor that no answer has. */
export const badCursor: [field: string, message: string] = ['after', cursorForm];

export const feedQuery = z
  .strictObject({
    scope: feedScope.default('watched'),
    after: z.string().max(longestCursor, { abort: true }).optional(),
    limit: wholeNumber('limit', highestLimit, defaultLimit),
  })
  .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
    path: ['after'],
    error: cursorForm,
  });

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
