import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInbox } from '../../fixtures/fetching.ts';
import { Journal } from './journal.ts';

let folder: string;
let path: string;
let notes: string;

beforeEach(async () => {
  folder = await createInbox();
  path = join(folder, 'reports.ndjson');
  notes = join(folder, 'journal.txt');
});

async function fill(): Promise<void> {
  const journal = await Journal.open(path, folder);
  await Promise.all([
    journal.append('997102004', 'had', ['{"a":1}', '{"b":"ź"}']),
    journal.append('997112014', 'not_found', []),
    journal.append('997122024', 'had', ['{"c":3}']),
  ]);
  await journal.close();
}

const whole = '{"a":1}\n{"b":"ź"}\n{"c":3}\n';

async function reopen(): Promise<[string, string][]> {
  const journal = await Journal.open(path, folder);
  const outcomes = [...journal.outcomes];
  await journal.append('997132034', 'had', ['{"d":4}']);
  await journal.close();
  return outcomes;
}

const all = [
  ['997102004', 'had'],
  ['997112014', 'not_found'],
  ['997122024', 'had'],
];

describe('Journal', () => {
  test('keeps what was had, answers of no line included, and goes on behind it', async () => {
    await fill();
    expect(await reopen()).toEqual(all);
    expect(await readFile(path, 'utf8')).toBe(`${whole}{"d":4}\n`);
  });

  test('an answer without its note is half an answer', async () => {
    await fill();
    await appendFile(path, '{"e":5}\n{"f":');
    expect(await reopen()).toEqual(all);
    expect(await readFile(path, 'utf8')).toBe(`${whole}{"d":4}\n`);
  });

  test('half a note counts for nothing', async () => {
    await fill();
    const text = await readFile(notes, 'utf8');
    await truncate(notes, text.length - 3);
    expect(await reopen()).toEqual(all.slice(0, 2));
    expect(await readFile(path, 'utf8')).toBe('{"a":1}\n{"b":"ź"}\n{"d":4}\n');
  });

  test.each([
    ['is shorter', () => truncate(path, 5)],
    ['is not there', () => writeFile(path, '')],
    ['is nulls', () => writeFile(path, Buffer.alloc(whole.length + 1))],
  ])('starts over where what the note speaks of %s', async (_, damage) => {
    await fill();
    await damage();
    expect(await reopen()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('{"d":4}\n');
  });
});
