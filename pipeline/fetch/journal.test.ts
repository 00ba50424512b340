import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInbox } from '../../fixtures/registry/fetching.ts';
import { openJournal } from './journal.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await createInbox();
  path = join(folder, 'journal.ndjson');
});

async function fill(): Promise<void> {
  const journal = await openJournal(folder);
  // Some programs take this character for the end of a line.
  journal.append('997102004', 'had', [{ a: 1 }, { b: 'ź\u2028' }]);
  journal.append('997112014', 'not_found', []);
  journal.append('997122024', 'had', [{ c: 3 }]);
}

const whole = '{"a":1}\n{"b":"ź\u2028"}\n{"c":3}\n';

/** What was kept; adds another answer, and reads the dump. */
async function reopen(): Promise<{ outcomes: [string, string][]; dump: string }> {
  const journal = await openJournal(folder);
  const outcomes = [...journal.outcomes];
  journal.append('997132034', 'had', [{ d: 4 }]);
  const dump = join(folder, 'reports.ndjson');
  await journal.writeDump(dump);
  return { outcomes, dump: await readFile(dump, 'utf8') };
}

const all = [
  ['997102004', 'had'],
  ['997112014', 'not_found'],
  ['997122024', 'had'],
];

describe('a journal', () => {
  test('keeps all answers, those without a line included, and goes on behind them', async () => {
    await fill();
    expect(await reopen()).toEqual({ outcomes: all, dump: `${whole}{"d":4}\n` });
    // All of it is read again.
    expect((await reopen()).outcomes).toHaveLength(4);
  });

  test('drops half an answer', async () => {
    await fill();
    await appendFile(path, '{"number":"997162064","outcome":"had","lines":[{"e":5}');
    expect(await reopen()).toEqual({ outcomes: all, dump: `${whole}{"d":4}\n` });
  });

  test('drops an answer whose end is missing', async () => {
    await fill();
    const bytes = await readFile(path);
    await truncate(path, bytes.length - 1);
    const dump = '{"a":1}\n{"b":"ź\u2028"}\n{"d":4}\n';
    expect(await reopen()).toEqual({ outcomes: all.slice(0, 2), dump });
  });

  test('drops what a power cut has made nulls, and all behind it', async () => {
    await fill();
    const bytes = await readFile(path);
    bytes.fill(0, bytes.indexOf('\n') + 1);
    await writeFile(path, Buffer.concat([bytes, Buffer.from('\n{"number":"1"}\n')]));
    const dump = '{"a":1}\n{"b":"ź\u2028"}\n{"d":4}\n';
    expect(await reopen()).toEqual({ outcomes: all.slice(0, 1), dump });
  });

  test('starts over where nothing is whole', async () => {
    await fill();
    await truncate(path, 5);
    expect(await reopen()).toEqual({ outcomes: [], dump: '{"d":4}\n' });
  });

  test('writes answers longer than a piece of the file', async () => {
    const journal = await openJournal(folder);
    const long = { text: 'ź'.repeat(200_000) };
    journal.append('997102004', 'had', [long, long]);
    const { outcomes, dump } = await reopen();
    expect(outcomes).toHaveLength(1);
    expect(dump).toBe(`${JSON.stringify(long)}\n`.repeat(2) + '{"d":4}\n');
  });
});
