import { z } from 'zod';
import { sizes } from '../figures.ts';
import { coded } from './errors.ts';

/** Returns the count of code points in a text: a character outside the basic plane counts once. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

const [nameMinimum, nameMaximum] = sizes.name;

// Names appear in mails and on pages, where a line break or a direction mark makes them look like another text.
const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** The field for the name of an account or of a token: 3 to 255 characters, trimmed. */
export const nameField = z
  .string()
  .trim()
  .refine((name) => !control.test(name), {
    ...coded(
      'invalid_text',
      'The name field must not contain control characters or direction marks.',
    ),
    abort: true,
  })
  .refine(
    (name) => countCharacters(name) >= nameMinimum,
    coded('too_short', `The name field must be at least ${nameMinimum} characters.`),
  )
  .refine(
    (name) => countCharacters(name) <= nameMaximum,
    coded('too_long', `The name field must not be longer than ${nameMaximum} characters.`),
  )
  .meta({ minLength: nameMinimum, maxLength: nameMaximum });

/** The client's own reference of a company: up to 64 characters, which stand in mails too. */
export const referenceField = z
  .string()
  .refine((reference) => !control.test(reference), {
    params: {
      code: 'invalid_text',
      wrong: 'must not contain control characters or direction marks.',
    },
    abort: true,
  })
  .refine((reference) => countCharacters(reference) <= sizes.reference, {
    params: { code: 'too_long', wrong: `must not be longer than ${sizes.reference} characters.` },
  })
  .meta({ maxLength: sizes.reference });

/** Returns a field for a calendar date. The year 0000 of ISO 8601 is refused, since Postgres lacks it. */
export function dateField(field: string) {
  return z.iso
    .date()
    .refine(
      (value) => !value.startsWith('0000'),
      coded('out_of_range', `The ${field} field must not be before 0001-01-01.`),
    );
}
