/**
 * What `/privacy` shows: the operator's text as it is where it begins with `<`, else its paragraphs and
 * its headings, as Markdown marks them.
 */
export function findPrivacy({ privacyText = '' }: { privacyText?: string | undefined }) {
  const text = privacyText.trim();
  if (text === '') return { blocks: [], isMissing: true };
  if (text.startsWith('<')) return { html: text, blocks: [] };
  const blocks = text.split(/\n\s*\n|(?<=^#.*)\n/m).map((block) => {
    const heading = /^#+\s+(.+)$/.exec(block)?.[1];
    return heading ? { heading } : { text: block };
  });
  return { blocks };
}
