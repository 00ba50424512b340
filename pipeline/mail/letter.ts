import { Eta } from 'eta';
import type { ClientBase } from 'pg';
import { present } from '../../sql/words/event-words.ts';
import type { Language } from '../../sql/words/message-format.ts';
import type { Texts } from './texts/texts.ts';

/**
 * The content of a mail as a list of pieces, from which both the plain text and the HTML are made. `send.ts` lists the
 * kinds of mails (letters/, texts/), and adds the greeting and the footnote of all mails.
 */
export interface Letter {
  subject: string;
  pieces: readonly Piece[];
  /** The link by which an account stops its digests; mail programs show this link as a button. */
  unsubscribe_link?: string;
}

export type Piece =
  /** A paragraph of text. */
  | { text: string }
  /** A text that the reader copies unchanged, such as a token or a command. */
  | { code: string }
  /** A link; the HTML shows a button, and the address in the next line. */
  | Link
  | { heading: string }
  /** A company: its name, its identifier, the address of its page (if it has a page), and a line for each event. */
  | { title: string; note: string; page?: string | undefined; lines: readonly string[] }
  /** A footnote in small type, with links. */
  | { footnote: string; links: readonly Link[] };

interface Link {
  link: string;
  label: string;
}

export interface LetterOptions {
  client: ClientBase;
  /** The secret key with which one-time tokens are signed. */
  secretKey: string;
  /** The address of the API, without a slash at the end. */
  baseUrl: string;
  /** The language of the recipient, and the texts in this language. */
  language: Language;
  texts: Texts;
  /** The time at which the mail was queued. By this time, the unsubscribe link is the same at each attempt. */
  created_at: Date;
  now: Date;
}

/** Signals that a mail is not needed any more, since (for example) its token is used; the message is the reason. */
export class Superseded extends Error {}

/** Returns the URL of the page of a company; undefined for an unknown company. */
export function pageOf(baseUrl: string, company_ref: string | null) {
  return company_ref === null ? undefined : `${baseUrl}/companies/${company_ref}`;
}

/** Returns a company's identifier, with the client's own reference if the client gave one: `<number> · Supplier 17`. */
export function withReference(number: string, reference: string | null | undefined): string {
  return reference ? `${number} · ${present(reference)}` : number;
}

/** Returns whether a name may appear in a mail: the name is one line that mail programs do not turn into a link. */
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
 * Returns a letter as HTML with one column, which fits the screen of a telephone. Mail programs ignore style sheets and
 * block remote files, so each element has its styles, and the HTML loads no files.
 *
 * @param language the language of the text, such as `en`
 */
export function writeHtml({ subject, pieces }: Letter, language: string): string {
  return templates.render('letter', { subject, pieces, language });
}
