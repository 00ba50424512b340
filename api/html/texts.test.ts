import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argumentsOf } from '../../fixtures/client/message.ts';

const folder = (path: string) => join(import.meta.dirname, path);
const read = (path: string) => readFileSync(folder(path), 'utf8');

/** Returns each text of a language as a list: the text's key, its arguments, and the names of its links. */
function listTexts(language: string): [key: string, ...placeholders: string[]][] {
  return readdirSync(folder(`texts/${language}`)).flatMap((file) => {
    const texts = JSON.parse(read(`texts/${language}/${file}`)) as Record<string, string>;
    return Object.entries(texts).map(([name, text]): [string, ...string[]] => {
      const links = [...text.matchAll(/<(\w+)>.*?<\/\1>/g)].map(([, link]) => `<${link}>`);
      return [`${file.slice(0, -5)}.${name}`, ...argumentsOf(text), ...links.toSorted()];
    });
  });
}

const sources = readdirSync(folder('.'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(eta|ts)$/.test(file) && !file.endsWith('.test.ts'))
  .map(read);

/**
 * The text keys that templates and code use. A key with an inserted value, such as `layout.language_`, is a prefix of
 * keys.
 */
const named = sources.flatMap((source) => [
  ...source.matchAll(/\b(?:t|linked)\(\s*(['`])([\w.-]+)(\$\{[^}]+\}[\w.-]*)*\1/g),
]);

describe('the texts of the pages', () => {
  const texts = listTexts('en');

  test('are the same in both languages, with the same values and links', () => {
    expect(listTexts('pl')).toEqual(texts);
    expect(texts).toContainEqual(['layout.service', '<terms>']);
  });

  test('are each said somewhere, and nothing else is said', () => {
    const keys = texts.map(([key]) => key);
    const exact = named.filter(([, , , value]) => value === undefined).map(([, , key]) => key!);
    const prefixes = named.filter(([, , , value]) => value !== undefined).map(([, , key]) => key!);
    const isSaid = (key: string) =>
      exact.includes(key) || prefixes.some((prefix) => key.startsWith(prefix));
    expect(keys.filter((key) => !isSaid(key))).toEqual([]);
    expect(exact.filter((key) => !keys.includes(key))).toEqual([]);
    expect(prefixes.filter((prefix) => !keys.some((key) => key.startsWith(prefix)))).toEqual([]);
    expect(prefixes).toContain('layout.language_');
  });
});
