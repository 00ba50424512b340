import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gather, writeTestFile } from '../../fixtures/dump/answer-file.ts';
import { findFault, parseJson, readEach } from './answer.ts';

async function read(content: string | Buffer, max_bytes = 100) {
  const file = 'lines.txt';
  const path = await writeTestFile(file, content);
  const answers = await gather(readEach({ path, file }, max_bytes, (text) => ({ text })));
  return answers.map((one) => ('answer' in one ? { line: one.line, ...one.answer } : one));
}

test('lines without their ends, numbered, blank ones left out', async () => {
  expect(await read('\ufeffone\r\n\n  \ntwo\nżółć')).toEqual([
    { line: 1, text: 'one' },
    { line: 4, text: 'two' },
    { line: 5, text: 'żółć' },
  ]);
  expect(await read('')).toEqual([]);
});

test('a line across chunks of the disk', async () => {
  const long = 'ż'.repeat(100_000);
  expect(await read(`a\n${long}\nb\n`, 200_000)).toEqual([
    { line: 1, text: 'a' },
    { line: 2, text: long },
    { line: 3, text: 'b' },
  ]);
});

test('a line that is too long, and the ones after it', async () => {
  const [first, second] = await read(`${'x'.repeat(300_000)}\nb\n`);
  expect(first).toMatchObject({ line: 1, reason: 'an answer of more than 100 bytes' });
  expect(second).toEqual({ line: 2, text: 'b' });
});

test('bytes that are no text', async () => {
  expect(await read(Buffer.from('a\n\xff\xfe\nb\0c\nd\n', 'latin1'))).toMatchObject([
    { line: 1, text: 'a' },
    { line: 2, reason: 'not UTF-8' },
    { line: 3, reason: 'a NUL byte', raw: 'b␀c' },
    { line: 4, text: 'd' },
  ]);
});

test.each([
  ['empty', ' \n', 'unreadable_answer', 'an empty answer'],
  ['HTML', '<!DOCTYPE html>', 'unreadable_answer', 'a page of HTML'],
  ['two answers', '{}\n{}', 'unreadable_answer', 'not JSON'],
  ['ISO 8859-2', Buffer.from('{"nazwa": "ZA\xaf"}', 'latin1'), 'damaged_row', 'not UTF-8'],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'damaged_row', 'not UTF-8'],
  ['deep', `${'['.repeat(900_000)}${']'.repeat(900_000)}`, 'unreadable_answer', /64 levels deep/],
])('a file of one answer is rejected as %s', async (_, content, reject_code, reason) => {
  const from = { path: await writeTestFile('a.json', content), file: 'a.json' };
  const answers = await gather(readEach(from, 2_000_000, (text) => [parseJson(text)]));
  expect(answers).toMatchObject([
    { line: 1, reject_code, reason: expect.stringMatching(reason) as string },
  ]);
});

test('a file of more bytes than the bound is rejected', async () => {
  const path = await writeTestFile('huge.json', '');
  await truncate(path, 10 * 1024 ** 2);
  const answers = await gather(readEach({ path, file: 'huge.json' }, 1000, () => ({})));
  expect(answers).toMatchObject([{ line: 1, reason: 'an answer of more than 1000 bytes' }]);
});

test('the bytes of a large file are counted while it is read', async () => {
  const file = 'large.txt';
  const path = await writeTestFile(file, 'one line\n'.repeat(50_000));
  let bytes = 0;
  const onRead = (byte_count: number) => void (bytes += byte_count);
  const counts = new Set<number>();
  const lines = readEach({ path, file, onRead }, 100, (text) => ({ text }));
  for await (const { line } of lines) if (line % 10_000 === 0) counts.add(bytes);
  expect(counts.size).toBe(5);
  expect(bytes).toBe(450_000);
});

test.each([
  ['a NUL character', { name: 'A\0B' }, 'a NUL character'],
  ['a NUL character in a key', { 'A\0B': 1 }, 'a NUL character'],
  ['half a character', { list: ['\ud83d'] }, 'half a character of UTF-16'],
  ['fault in a whole character', { name: '\u{1f600}', count: 1, none: null }, undefined],
])('Postgres takes no %s', (_, answer, fault) => {
  expect(findFault(answer)).toBe(fault);
});
