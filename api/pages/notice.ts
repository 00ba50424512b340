import type { Language } from '../../sql/words/message.ts';

/** The text of a page in each language, as the operator wrote it. */
export type NoticeTexts = Record<Language, string>;

/** A text as it is where it begins with `<`, else its paragraphs and its headings, as Markdown marks them. */
function readNotice(written: string) {
  const text = written.trim();
  if (text.startsWith('<')) return { html: text, blocks: [] };
  const blocks = text.split(/\n\s*\n|(?<=^#.*)\n/m).map((block) => {
    const heading = /^#+\s+(.+)$/.exec(block)?.[1];
    return heading ? { heading } : { text: block };
  });
  return { blocks };
}

/** What `/privacy` or `/terms` shows; an empty text counts as none. */
export function createNotice(texts: NoticeTexts | undefined) {
  if (!texts || texts.en.trim() === '') return {};
  return { notice: { en: readNotice(texts.en), pl: readNotice(texts.pl) } };
}
