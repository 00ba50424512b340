import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInbox } from '../../fixtures/registry/fetching.ts';
import { openJournal } from './journal.ts';

const all = [
  ['997102004', 'had'],
  ['997112014', 'not_found'],
  ['997122024', 'had'],
];
// The records contain U+2028, because some programs take this character for the end of a line.
const first = '{"a":1}\n{"b":"ź\u2028"}\n';
/** A record that is longer than the chunks in which the journal is read. */
const long = { c: 'ź'.repeat(200_000) };
const whole = `${first}${JSON.stringify(long)}\n`;

/**
 * Opens an existing journal and appends an answer; returns the outcomes that the journal had before, and the text of
 * the dump.
 */
async function reopen(folder: string): Promise<{ outcomes: [string, string][]; dump: string }> {
  const journal = await openJournal(folder);
  const outcomes = [...journal.outcomes];
  journal.append('997132034', 'had', [{ d: 4 }]);
  const dump = join(folder, 'reports.ndjson');
  await journal.writeDump(dump);
  return { outcomes, dump: await readFile(dump, 'utf8') };
}

test.each<[string, (path: string, bytes: Buffer) => Promise<void>, number, string]>([
  ['keeps all answers, those without a line included', () => Promise.resolve(), 3, whole],
  [
    'drops half an answer',
    (path) => appendFile(path, '{"number":"997162064","outcome":"had","lines":[{"e":5}'),
    3,
    whole,
  ],
  [
    'drops an answer whose end is missing',
    (path, bytes) => truncate(path, bytes.length - 1),
    2,
    first,
  ],
  [
    'drops what a power cut has made nulls, and all behind it',
    async (path, bytes) => {
      bytes.fill(0, bytes.indexOf('\n') + 1);
      await writeFile(path, Buffer.concat([bytes, Buffer.from('\n{"number":"1"}\n')]));
    },
    1,
    first,
  ],
  ['starts over where nothing is whole', (path) => truncate(path, 5), 0, ''],
])('a journal %s, and goes on behind them', async (_, damage, count, dump) => {
  const folder = await createInbox();
  const journal = await openJournal(folder);
  journal.append('997102004', 'had', [{ a: 1 }, { b: 'ź\u2028' }]);
  journal.append('997112014', 'not_found', []);
  journal.append('997122024', 'had', [long]);
  const path = join(folder, 'journal.ndjson');
  await damage(path, await readFile(path));
  const outcomes = all.slice(0, count);
  expect(await reopen(folder)).toEqual({ outcomes, dump: `${dump}{"d":4}\n` });
  expect((await reopen(folder)).outcomes).toHaveLength(count + 1);
});
