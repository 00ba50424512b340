import { Eta } from 'eta';

/** The content of a mail, piece by piece: plain text and HTML are made of the same pieces. */
export interface Letter {
  subject: string;
  pieces: readonly Piece[];
  /** The link that ends mails of this kind; mail programs offer it. */
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
