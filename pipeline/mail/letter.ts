import { escapeHtml } from '../../sql/html.ts';

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

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const styles = {
  page: 'margin:0;padding:24px 12px;background-color:#f3f4f6',
  sheet: 'width:100%;max-width:600px;margin:0 auto;background-color:#ffffff;border-radius:8px',
  content: `padding:32px;${font};font-size:16px;line-height:24px;color:#1f2937`,
  text: 'margin:0 0 16px',
  code: 'margin:0 0 16px;padding:12px;background-color:#f3f4f6;border-radius:6px;font-family:Menlo,Consolas,monospace;font-size:13px;line-height:20px;white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-all',
  button:
    'display:inline-block;padding:12px 20px;background-color:#1d4ed8;border-radius:6px;color:#ffffff;font-weight:600;text-decoration:none',
  heading: 'margin:32px 0 16px;font-size:18px;line-height:24px',
  title: 'margin:0;overflow-wrap:anywhere',
  note: 'color:#6b7280;font-size:13px',
  lines: 'margin:4px 0 16px;padding-left:20px;overflow-wrap:anywhere',
  footnote:
    'margin:32px 0 0;padding-top:16px;border-top:1px solid #e5e7eb;font-size:13px;line-height:20px;color:#6b7280',
  address: 'margin:0 0 16px;font-size:13px;line-height:20px;color:#6b7280;word-break:break-all',
};

/**
 * One column, which a telephone can show too. Mail programs ignore style sheets and block remote files:
 * the styles stand in the elements, and nothing is loaded.
 *
 * @param language such as `en`, of the text
 */
export function writeHtml({ subject, pieces }: Letter, language: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${styles.page}">
<table role="presentation" align="center" cellpadding="0" cellspacing="0" style="${styles.sheet}"><tr><td style="${styles.content}">
${pieces.map(writePiece).join('\n')}
</td></tr></table>
</body>
</html>
`;
}

function writePiece(piece: Piece): string {
  if ('text' in piece) return `<p style="${styles.text}">${escapeHtml(piece.text)}</p>`;
  if ('code' in piece) return `<pre style="${styles.code}">${escapeHtml(piece.code)}</pre>`;
  if ('heading' in piece) return `<h2 style="${styles.heading}">${escapeHtml(piece.heading)}</h2>`;
  if ('title' in piece) {
    const lines = piece.lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
    return `<p style="${styles.title}"><b>${escapeHtml(piece.title)}</b><br><span style="${styles.note}">${escapeHtml(piece.note)}</span></p>
<ul style="${styles.lines}">${lines}</ul>`;
  }
  const link = escapeHtml(piece.link);
  if ('footnote' in piece) {
    return `<p style="${styles.footnote}">${escapeHtml(piece.footnote)} <a href="${link}">${escapeHtml(piece.label)}</a></p>`;
  }
  return [
    `<p style="${styles.text}"><a href="${link}" style="${styles.button}">${escapeHtml(piece.label)}</a></p>`,
    `<p style="${styles.address}">${link}</p>`,
  ].join('\n');
}
