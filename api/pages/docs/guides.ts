import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { renderMarkdown } from './markdown.ts';

const root = join(import.meta.dirname, '../../..');

/** The last part of the address of each guide, and its file. */
const names = [
  ['clients', 'api/README.md'],
  ['operators', 'pipeline/README.md'],
  ['analysts', 'sql/README.md'],
] as const;

/** Returns the address of a file's link: in a guide or on another site; undefined for another file. */
function resolveFrom(file: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [path = '', hash] = href.split('#');
  const linked = posix.join(posix.dirname(file), path);
  const guide = names.find(([, other]) => other === linked)?.[0];
  return guide && `/guides/${guide}${hash === undefined ? '' : `#${hash}`}`;
}

/** The three guides as pages, made of the READMEs. Throws where a file is missing. */
export const guides = names.map(([name, file]) => {
  const text = readFileSync(join(root, file), 'utf8');
  const { html, headings } = renderMarkdown(text, {
    folder: posix.dirname(file),
    isCopied: true,
    resolveLink: (href) => resolveFrom(file, href),
  });
  const sections = headings.filter((one) => one.depth === 2);
  return { path: `/guides/${name}`, title: headings[0]!.text, html, sections };
});
