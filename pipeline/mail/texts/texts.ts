import { en, type Texts } from './en.ts';
import { pl } from './pl.ts';

export const texts: Record<'en' | 'pl', Texts> = { en, pl };

export type Language = keyof typeof texts;
