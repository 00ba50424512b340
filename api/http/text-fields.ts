import { z } from 'zod';
import { sizes } from '../figures/sizes.ts';
import { coded } from './errors.ts';

// A character outside the Basic Multilingual Plane (such as an emoji) counts as one character, not as two.
const countCharacters = (text: string) => Array.from(text).length;

/** Returns the rule for the minimum length of a text in code points. */
export function atLeast(least: number) {
  const rule = coded('too_short', `must be at least ${least} characters.`);
  return z.refine<string>((text) => countCharacters(text) >= least, rule);
}

/** Returns the rule for the maximum length of a text in code points. */
export function atMost(most: number) {
  const rule = coded('too_long', `must not be longer than ${most} characters.`);
  return z.refine<string>((text) => countCharacters(text) <= most, rule);
}

// Matches line breaks and direction marks, with which a name in a mail or on a page could disguise other text.
const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const isPlain = z.refine<string>((text) => !control.test(text), {
  ...coded('invalid_text', 'must not contain control characters or direction marks.'),
  abort: true,
});

const [minLength, maxLength] = sizes.name;

/** Trims and checks the name of an account or of a token: 3 to 255 characters. */
export const nameField = z
  .string()
  .trim()
  .check(isPlain, atLeast(minLength), atMost(maxLength))
  .meta({ minLength, maxLength });

/** Checks the client's own reference for a company, which mails also show: up to 64 characters. */
export const referenceField = z
  .string()
  .check(isPlain, atMost(sizes.reference))
  .meta({ maxLength: sizes.reference });

/** Checks a calendar date. The year 0000 of ISO 8601 is refused, since PostgreSQL has no year 0. */
export const dateField = z.iso
  .date()
  .refine(
    (date) => !date.startsWith('0000'),
    coded('out_of_range', 'must not be before 0001-01-01.'),
  );

/** Returns the rule that in a range of dates, the field `to` is not before the field `from`, if both are given. */
export function inOrder(from: string, to: string) {
  return z.refine<Record<string, unknown>>(
    ({ [from]: begin, [to]: end }) => !begin || !end || begin <= end,
    { path: [to], ...coded('reversed_range', `must not be before ${from}.`) },
  );
}
