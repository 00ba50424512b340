import { z } from 'zod';

/** Counts code points, so that a character beyond the first 65,536 is not two. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

const [nameMinimum, nameMaximum] = [3, 255];

// The name stands in mails and on pages: what is no character there, such as a line break, is refused.
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The name of an account or of a token: 3 to 255 characters, without the white space around it. */
export const nameField = z
  .string()
  .trim()
  .refine((name) => !control.test(name), {
    error: 'The name field must not contain control characters.',
    abort: true,
  })
  .refine((name) => countCharacters(name) >= nameMinimum, {
    error: `The name field must be at least ${nameMinimum} characters.`,
  })
  .refine((name) => countCharacters(name) <= nameMaximum, {
    error: `The name field must not be longer than ${nameMaximum} characters.`,
  })
  .meta({ minLength: nameMinimum, maxLength: nameMaximum });

/** Puts a suffix to a name; where that is too long, the end of the name gives way. */
export function suffixName(name: string, suffix: string): string {
  return (
    Array.from(name)
      .slice(0, nameMaximum - suffix.length)
      .join('') + suffix
  );
}
