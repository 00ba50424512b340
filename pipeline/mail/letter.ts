import { Eta } from 'eta';
import type { ClientBase } from 'pg';
import { present } from '../../sql/words/event-words.ts';
import type { Language } from '../../sql/words/message-format.ts';
import type { Texts } from './texts/texts.ts';

/**
 * The content of a mail, piece by piece, without the greeting and the footnote of all mails. Plain text and HTML are
 * made of the same pieces.
 */
export interface Letter {
  subject: string;
  pieces: readonly Piece[];
  /** The link that unsubscribes from mails of this kind; mail programs show it as a button. */
  unsubscribe_link?: string;
}

export type Piece =
  /** A paragraph of text. */
  | { text: string }
  /** A text for copying as it is, such as a token. */
  | { code: string }
  /** A button in HTML, with its address below for copying. */
  | Link
  | { heading: string }
  /** A company: its name, its number, its page if it has one, and a line for each statement. */
  | { title: string; note: string; page?: string | undefined; lines: readonly string[] }
  /** A footnote in small type, with its links. */
  | { footnote: string; links: readonly Link[] };

interface Link {
  link: string;
  label: string;
}

export interface LetterOptions {
  client: ClientBase;
  /** The key that signs one-time tokens. */
  secretKey: string;
  /** The address of the API, without a slash at the end. */
  baseUrl: string;
  /** The language of the reader, and its texts. */
  language: Language;
  texts: Texts;
  /** The time at which the mail was ordered, the same at each attempt. */
  created_at: Date;
  now: Date;
}

/** The error of a mail that has lost its purpose; the message states the reason. */
export class Superseded extends Error {}

/** Returns the address of the page of a company; undefined for an unknown company. */
export function pageOf(baseUrl: string, company_ref: string | null) {
  return company_ref === null ? undefined : `${baseUrl}/companies/${company_ref}`;
}

/** Returns the number of a company with the client's own reference, if there is one: `<number> · Supplier 17`. */
export function withReference(number: string, reference: string | null | undefined): string {
  return reference ? `${number} · ${present(reference)}` : number;
}

/** Returns whether a name may appear in a mail: it has one line, and mail programs make no link of it. */
export function isPresentable(name: string): boolean {
  return name.length <= 100 && !/[/@:\p{C}\p{Zl}\p{Zp}]|\.\p{L}{2}/u.test(name);
}

const writeLink = ({ link, label }: Link) => `${label}:\n${link}`;

export function writeText({ pieces }: Letter): string {
  const paragraphs = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    if ('code' in piece) return piece.code;
    if ('heading' in piece) return `${piece.heading}\n${'='.repeat(piece.heading.length)}`;
    if ('title' in piece) {
      const { title, note, page = [], lines } = piece;
      return [title, note, page, lines.map((line) => `- ${line}`)].flat(2).join('\n');
    }
    if ('footnote' in piece) return [piece.footnote, ...piece.links.map(writeLink)].join('\n\n');
    return writeLink(piece);
  });
  return paragraphs.join('\n\n');
}

const templates = new Eta({ views: import.meta.dirname, cache: true });

/**
 * Returns a letter as HTML of one column, which a telephone can show too. Mail programs ignore style sheets and
 * block remote files: the styles are in the elements, and nothing is loaded.
 *
 * @param language the language of the text, such as `en`
 */
export function writeHtml({ subject, pieces }: Letter, language: string): string {
  return templates.render('letter', { subject, pieces, language });
}
