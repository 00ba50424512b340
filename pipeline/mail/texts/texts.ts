import { createMessages, type Messages } from '../../../sql/words/message.ts';
import en from './en.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };

type Catalogue = typeof en;

export type Severity = keyof Catalogue['severities'];

/** The messages of a language, by letter and name; `sql/words/` has the messages of events. */
export type Texts = Messages<Catalogue>;

export const texts = { en: createMessages('en', en), pl: createMessages('pl', pl) };
