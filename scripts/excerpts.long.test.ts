import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { insertExcerpts, listExcerpts, makeExcerpts } from './excerpts.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const readmes = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**'] });

/** Returns the anchors of the headings of a Markdown text, as GitHub forms them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the READMEs', () => {
  test('show what the product prints', { timeout: 180_000 }, async () => {
    const excerpts = await makeExcerpts();
    const shown: string[] = [];
    for (const file of readmes) {
      const text = await readFile(join(root, file), 'utf8');
      shown.push(...listExcerpts(text));
      // `npm run excerpts` writes outdated excerpts anew.
      await expect(insertExcerpts(text, excerpts)).toMatchFileSnapshot(join(root, file));
    }
    expect(shown.toSorted()).toEqual(Object.keys(excerpts).toSorted());
  });

  test('link to files and headings that exist', async () => {
    const broken: string[] = [];
    for (const file of readmes) {
      const text = await readFile(join(root, file), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [path, anchor] = target.split('#') as [string, string?];
        const linked = path ? join(root, dirname(file), path) : join(root, file);
        const isThere =
          existsSync(linked) &&
          (anchor === undefined || anchorsOf(await readFile(linked, 'utf8')).includes(anchor));
        if (!isThere) broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });
});
