import { z } from 'zod';
import { feedScope, readCursor } from '../../sql/feed-cursor.ts';
import { eventTypeName } from '../dictionaries/names.ts';
import { identifierType, identifierValue, validIdentifiers } from '../companies/identifier.ts';
import { dateField } from '../http/field.ts';
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

export type FeedPageQuery = z.output<typeof feedPageQuery>;

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
