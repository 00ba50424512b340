import { z } from 'zod';
import { feedScope, readCursor } from '../../sql/feed-cursor.ts';
import { eventTypeName } from '../dictionaries/names.ts';
import { identifierType, identifierValue, validIdentifiers } from '../companies/identifier.ts';
import { pageField, perPageField } from '../http/paging.ts';

/** Events of the largest answer; one more is the limit in `sql/api/read_feed.sql`. */
export const highestLimit = 1000;
const defaultLimit = 100;
const longestCursor = 100;

// The year 0000 is in the pattern of ISO 8601, but not in the calendar of the database.
function dateField(field: string) {
  return z.iso
    .date({ error: `The ${field} field must be a calendar date in the form YYYY-MM-DD.` })
    .refine((value) => !value.startsWith('0000'), {
      error: `The ${field} field must not be before 0001-01-01.`,
    });
}

export const historyQuery = z
  .strictObject({
    identifier_type: identifierType,
    identifier_value: identifierValue,
    page: pageField,
    per_page: perPageField,
  })
  .superRefine(...validIdentifiers);

export const feedPageQuery = z
  .strictObject({
    event_type: eventTypeName.optional(),
    from_date: dateField('from_date').optional(),
    to_date: dateField('to_date').optional(),
    page: pageField,
    per_page: perPageField,
  })
  .refine(
    ({ from_date, to_date }) =>
      from_date === undefined || to_date === undefined || from_date <= to_date,
    { path: ['to_date'], error: 'The to_date field must not be before from_date.' },
  );

const limitForm = `The limit field must be a whole number from 1 to ${highestLimit}.`;
const cursorForm = 'The after field must be the next_cursor of an answer with the same scope.';

/** What is said of a cursor that nobody was given. */
export const badCursor: [field: string, message: string] = ['after', cursorForm];

export const feedQuery = z
  .strictObject({
    scope: feedScope.default('watched'),
    after: z.string().max(longestCursor, { abort: true }).optional(),
    limit: z
      .string()
      .regex(/^[1-9]\d{0,3}$/, { error: limitForm })
      .transform(Number)
      .refine((value) => value <= highestLimit, { error: limitForm })
      .default(defaultLimit)
      .meta({ type: 'integer', minimum: 1, maximum: highestLimit, default: defaultLimit }),
  })
  .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
    path: ['after'],
    error: cursorForm,
  });
