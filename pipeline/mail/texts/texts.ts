import { en, type Texts } from './en.ts';
import { pl } from './pl.ts';

/** The texts of mails by the language of the account. */
export const texts: Record<'en' | 'pl', Texts> = { en, pl };

export type Language = keyof typeof texts;
