import type { Language } from '../../sql/words/message.ts';
import { renderMarkdown } from './docs/markdown.ts';

/** The text of a page in each language, as the operator wrote it. */
export type NoticeTexts = Record<Language, string>;

/** HTML: a text as it is where it begins with `<`, else as Markdown, in which HTML is shown as text. */
function readNotice(written: string): string {
  const text = written.trim();
  return text.startsWith('<') ? text : renderMarkdown(text, { topDepth: 2 }).html;
}

/** What `/privacy` or `/terms` shows; an empty text counts as none. */
export function createNotice(texts: NoticeTexts | undefined) {
  if (!texts || texts.en.trim() === '') return {};
  return { notice: { en: readNotice(texts.en), pl: readNotice(texts.pl) } };
}
