import { Eta } from 'eta';

/** The content of a mail, piece by piece: plain text and HTML are made of the same pieces. */
export interface Letter {
  subject: string;
  pieces: readonly Piece[];
  /** Ends mails of this kind; mail programs offer it. */
  unsubscribe_link?: string;
}

export type Piece =
  /** A paragraph. */
  | { text: string }
  /** For copying as it is. */
  | { code: string }
  /** A button in HTML; its address stands below it for copying. */
  | { link: string; label: string }
  | { heading: string }
  /** A company: its name, its number, and a line for each statement. */
  | { title: string; note: string; lines: readonly string[] }
  /** In small type, with an optional link. */
  | { footnote: string; link: string; label: string };

export function writeText({ pieces }: Letter): string {
  const paragraphs = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    if ('code' in piece) return piece.code;
    if ('heading' in piece) return `${piece.heading}\n${'='.repeat(piece.heading.length)}`;
    if ('title' in piece) {
      return [piece.title, piece.note, ...piece.lines.map((line) => `- ${line}`)].join('\n');
    }
    const link = `${piece.label}:\n${piece.link}`;
    return 'footnote' in piece ? `${piece.footnote}\n\n${link}` : link;
  });
  return paragraphs.join('\n\n');
}

const templates = new Eta({ views: import.meta.dirname, cache: true });

/**
 * One column, which a telephone can show too. Mail programs ignore style sheets and block remote files:
 * the styles stand in the elements, and nothing is loaded.
 *
 * @param language such as `en`, of the text
 */
export function writeHtml({ subject, pieces }: Letter, language: string): string {
  return templates.render('letter', { subject, pieces, language });
}
