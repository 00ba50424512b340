import { readdirSync, readFileSync } from 'node:fs';
import { createMessages, type Language, type Messages } from '../../../sql/words/message-format.ts';
import type account from './en/account.json';
import type common from './en/common.json';
import type digest from './en/digest.json';
import type awaited from './en/import.json';
import type refund from './en/refund.json';
import type webhook from './en/webhook.json';

type Catalogue = typeof account &
  typeof common &
  typeof digest &
  typeof awaited &
  typeof refund &
  typeof webhook;

export type Severity = keyof Catalogue['severities'];

/** The messages of a language by letter and message name. The messages about events are in `sql/words/`. */
export type Texts = Messages<Catalogue>;

/** Reads the texts of a language. The texts of `letters/digest.ts`, say, are in `texts/<language>/digest.json`. */
export function readCatalogue(language: Language): Catalogue {
  const folder = new URL(`${language}/`, import.meta.url);
  const files = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return Object.assign({}, ...files.map((text) => JSON.parse(text) as object)) as Catalogue;
}

/** The texts of mails by language. `sql/mail/take_mail.sql` reads the language of the account that receives a mail. */
export const texts = {
  en: createMessages('en', readCatalogue('en')),
  pl: createMessages('pl', readCatalogue('pl')),
};
