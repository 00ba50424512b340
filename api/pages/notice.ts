import type { Language } from '../../sql/words/message.ts';
import { renderMarkdown } from './docs/markdown.ts';

/** The operator's text of a page, in each language. */
export type NoticeTexts = Record<Language, string>;

/** Returns a text as HTML: unchanged if it begins with `<`, else rendered from Markdown with its HTML escaped. */
function readNotice(written: string): string {
  const text = written.trim();
  return text.startsWith('<') ? text : renderMarkdown(text, { topDepth: 2 }).html;
}

/** Returns the operator's text for `/privacy` or `/terms` in each language; nothing where the text is empty. */
export function createNotice(texts: NoticeTexts | undefined) {
  if (!texts || texts.en.trim() === '') return {};
  return { notice: { en: readNotice(texts.en), pl: readNotice(texts.pl) } };
}
