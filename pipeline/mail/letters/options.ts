import type pg from 'pg';
import type { Language } from '../../../sql/words/message.ts';
import type { Texts } from '../texts/texts.ts';

export interface LetterOptions {
  client: pg.ClientBase;
  /** The key that signs one-time tokens. */
  secretKey: string;
  /** The address of the API, without a slash at the end. */
  baseUrl: string;
  /** The language of the reader. */
  language: Language;
  /** The texts in the language of the reader. */
  texts: Texts;
  /** The time at which the mail was ordered, the same at each attempt. */
  created_at: Date;
  now: Date;
}

/** Returns the address of the page of a company; undefined for an unknown company. */
export function pageOf(baseUrl: string, company_ref: string | null | undefined) {
  return company_ref ? `${baseUrl}/companies/${company_ref}` : undefined;
}

/** The error of a mail that has lost its purpose; the message states the reason. */
export class Superseded extends Error {}

export function greet({ common }: Texts, name: string): string {
  return isPresentable(name) ? common.greetingOf({ name }) : common.greeting();
}

/** Returns whether a name may appear in a mail: it has one line, and mail programs make no link of it. */
export function isPresentable(name: string): boolean {
  return name.length <= 100 && !/[/@:\p{C}\p{Zl}\p{Zp}]|\.\p{L}{2}/u.test(name);
}
