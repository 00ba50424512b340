import { en, type Texts } from './en.ts';
import { pl } from './pl.ts';

const texts = { en, pl } satisfies Record<string, Texts>;

/** The language of an account's mails: `en` or `pl`. */
export type Language = keyof typeof texts;

export function textsOf(language: Language): Texts {
  return texts[language];
}

export type { Texts };
