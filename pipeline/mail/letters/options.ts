import type pg from 'pg';
import type { Texts } from '../texts/texts.ts';

export interface LetterOptions {
  client: pg.ClientBase;
  /** Signs one-time tokens. */
  secretKey: string;
  /** Where the API is reached, without a slash at the end. */
  baseUrl: string;
  /** In the language of the reader. */
  texts: Texts;
  /** When the mail was ordered: the same at each attempt. */
  created_at: Date;
  now: Date;
}

/** A mail has lost its purpose; the message says why. */
export class Superseded extends Error {}

export function greet({ common }: Texts, name: string): string {
  return isPresentable(name) ? common.greetingOf({ name }) : common.greeting();
}

/** Whether a name may stand in a mail: it has one line, and mail programs make no link of it. */
export function isPresentable(name: string): boolean {
  return name.length <= 100 && !/[/@:\p{C}\p{Zl}\p{Zp}]|\.\p{L}{2}/u.test(name);
}

const longest = 200;

/**
 * A value of a registry, which may be anything: on one line, without characters that change the
 * direction of the text, and at most 200 characters long.
 */
export function present(value: string | null): string {
  const line = (value ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}
