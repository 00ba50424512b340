import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'express';
import { createMessages, type Language, locales, type Values } from '../../sql/words/message.ts';

const languages = Object.keys(locales) as Language[];

const folder = join(import.meta.dirname, 'texts');

/** The messages of a language by page and name: the files of `texts/<language>/`. */
function readMessages(language: Language) {
  const texts = readdirSync(join(folder, language)).map((file) => {
    const text = readFileSync(join(folder, language, file), 'utf8');
    return [file.slice(0, -'.json'.length), JSON.parse(text) as Record<string, string>] as const;
  });
  return createMessages(language, Object.fromEntries(texts));
}

const messages = { en: readMessages('en'), pl: readMessages('pl') };

/** Whether a template has texts: `<page>.eta` and `<page>-*.eta` have those of `<page>.json`. */
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

/** A path of this service with `lang`, where the address of the request asks for a language. */
export function keepLanguage({ query }: Request, path: string): string {
  if (!isLanguage(query.lang)) return path;
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('lang', query.lang);
  return url.pathname + url.search + url.hash;
}

/** The address of the request in another language; its path can be anything, but leads to no other host. */
function translateAddress({ path, originalUrl }: Request, language: Language): string {
  const query = new URLSearchParams(originalUrl.split('?')[1]);
  query.set('lang', language);
  return `/${path.replace(/^[/\\]+/, '')}?${query.toString()}`;
}

/**
 * What templates say things with. The language is the one of `?lang=`, else that of the account, else
 * the browser's. A page without texts in Polish is English.
 *
 * @param known what the page knows: the language of the account, and whether it has other languages. By
 *   default the page of a GET has; what a form has answered cannot be asked again.
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
    /** The language that the address asks for. */
    asked: isLanguage(lang) ? lang : undefined,
    /** A text. The template escapes it. */
    t,
    /** A text as HTML: `<name>words</name>` in it is a link to `links.name`, or marked by `code`. */
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
    /** Whether the page has no texts in Polish. */
    isEnglishOnly: !isTranslated(template),
    /** A number such as `12,345`; null is a dash. */
    number: (value: number | string | null, options?: Intl.NumberFormatOptions): string =>
      value === null
        ? '–'
        : new Intl.NumberFormat(locale, options).format(Number(value)).replace('-', '−'),
    /** A date such as `6 November 2026`. */
    day: (date: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'long' }): string =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(new Date(date)),
    /** An age such as `yesterday` or `3 days ago`. */
    ago: (days: number): string =>
      new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day'),
    /** The addresses of the page in the other languages. */
    otherLanguages:
      isTranslated(template) && (known.isTranslatable ?? request.method === 'GET')
        ? languages
            .filter((other) => other !== language)
            .map((other) => ({ other, address: translateAddress(request, other) }))
        : [],
  };
}
