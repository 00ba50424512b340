import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'express';
import {
  createMessages,
  type Language,
  locales,
  type Values,
} from '../../sql/words/message-format.ts';

const languages = Object.keys(locales) as Language[];

const folder = join(import.meta.dirname, 'texts');

/** Returns the texts of a language by page and name, from the files of `texts/<language>/`. */
function readMessages(language: Language) {
  const texts = readdirSync(join(folder, language)).map((file) => {
    const text = readFileSync(join(folder, language, file), 'utf8');
    return [file.slice(0, -'.json'.length), JSON.parse(text) as Record<string, string>] as const;
  });
  return createMessages(language, Object.fromEntries(texts));
}

const messages = { en: readMessages('en'), pl: readMessages('pl') };

/** Returns whether a template has texts: `<page>.eta` and `<page>-*.eta` share the texts of `<page>.json`. */
function isTranslated(template: string): boolean {
  return [template, template.split('-')[0]!].some((page) => page in messages.pl);
}

export function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

/** Returns a path of this service, with `lang` if the URL of the request has `lang`. */
export function keepLanguage({ query }: Request, path: string): string {
  if (!isLanguage(query.lang)) return path;
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('lang', query.lang);
  return url.pathname + url.search + url.hash;
}

/** Returns the URL of the request in another language. The URL never leads to another host. */
function translateAddress({ path, originalUrl }: Request, language: Language): string {
  const query = new URLSearchParams(originalUrl.split('?')[1]);
  query.set('lang', language);
  return `/${path.replace(/^[/\\]+/, '')}?${query.toString()}`;
}

/**
 * Returns the texts and the functions for a template. The language is taken from `?lang=`, else from the account, else
 * from the browser. A page without Polish texts is English.
 *
 * @param known the account's language, and whether the page has links to other languages: by default only on a GET
 */
export function createWords(
  request: Request,
  template: string,
  known: { language?: Language; isTranslatable?: boolean } = {},
) {
  const { lang } = request.query;
  const wanted = isLanguage(lang)
    ? lang
    : (known.language ?? (request.acceptsLanguages(languages) || languages[0]!));
  const language = isTranslated(template) ? (wanted as Language) : 'en';
  const locale = locales[language];

  const t = (key: string, values?: Values): string => {
    const [page = '', name = ''] = key.split('.');
    const message = messages[language][page]?.[name];
    if (!message) throw new Error(`There is no text with the key ${key}`);
    return message(values);
  };
  const href = (path: string) => keepLanguage(request, path);
  return {
    language,
    /** The language in the parameter `lang` of the URL. */
    asked: isLanguage(lang) ? lang : undefined,
    /** Returns a text with values in place of its placeholders. The template escapes the text. */
    t,
    /** Returns a text as HTML. `<name>words</name>` becomes a link to `links.name`; `<code>` stays an element. */
    linked: (key: string, links: Record<string, string>, values?: Values): string =>
      escapeHtml(t(key, values)).replace(
        /&lt;(\w+)&gt;(.*?)&lt;\/\1&gt;/g,
        (whole, name: string, words: string) => {
          if (name === 'code') return `<code>${words}</code>`;
          const path = links[name];
          return path === undefined ? whole : `<a href="${escapeHtml(href(path))}">${words}</a>`;
        },
      ),
    href,
    /** Whether the page has only English texts. */
    isEnglishOnly: !isTranslated(template),
    /** Returns a number such as `12,345`, and a dash for null. */
    number: (value: number | string | null, options?: Intl.NumberFormatOptions): string =>
      value === null
        ? '–'
        : new Intl.NumberFormat(locale, options).format(Number(value)).replace('-', '−'),
    /** Returns a date such as `6 November 2026`. */
    day: (date: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'long' }): string =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(new Date(date)),
    /** Returns an age such as `yesterday` or `3 days ago`. */
    ago: (days: number): string =>
      new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day'),
    /** The URLs of the page in the other languages. */
    otherLanguages:
      isTranslated(template) && (known.isTranslatable ?? request.method === 'GET')
        ? languages
            .filter((other) => other !== language)
            .map((other) => ({ other, address: translateAddress(request, other) }))
        : [],
  };
}
