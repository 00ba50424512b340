import { expect, test } from 'vitest';
import { gather, writeTestFile } from '../../fixtures/dump/answer-file.ts';
import { findFault, readEachLine } from './answer.ts';

async function read(content: string | Buffer, max_bytes = 100) {
  const file = 'lines.txt';
  const path = await writeTestFile(file, content);
  const answers = await gather(readEachLine({ path, file }, max_bytes, (text) => ({ text })));
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
  expect(first).toMatchObject({ line: 1, reason: 'a line of more than 100 bytes' });
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

test('the bytes of a large file are counted while it is read', async () => {
  const file = 'large.txt';
  const path = await writeTestFile(file, 'one line\n'.repeat(50_000));
  let bytes = 0;
  const onRead = (byte_count: number) => void (bytes += byte_count);
  const counts = new Set<number>();
  const lines = readEachLine({ path, file, onRead }, 100, (text) => ({ text }));
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
