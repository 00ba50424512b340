import type pg from 'pg';
import type { Language } from '../../../sql/words/message.ts';
import type { Texts } from '../texts/texts.ts';

export interface LetterOptions {
  client: pg.ClientBase;
  /** Signs one-time tokens. */
  secretKey: string;
  /** Where the API is reached, without a slash at the end. */
  baseUrl: string;
  /** Of the reader. */
  language: Language;
  /** In that language. */
  texts: Texts;
  /** When the mail was ordered: the same at each attempt. */
  created_at: Date;
  now: Date;
}

/** Returns the address of the page of a company; undefined where no company is known. */
export function pageOf(baseUrl: string, company_ref: string | null | undefined) {
  return company_ref ? `${baseUrl}/companies/${company_ref}` : undefined;
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
