import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gather, writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { description } from './source.ts';

const extract = {
  naglowekA: { numerKRS: '0000990001', stanZDnia: '05.11.2026' },
  dane: { dzial1: { danePodmiotu: { nazwa: 'ZAŻÓŁĆ' } } },
};
const written = JSON.stringify(extract);

async function read(content: string | Buffer, file = 'a.json') {
  return gather(description.readAnswers({ path: await writeTestFile(file, content), file }));
}

test('a file of KRS is known by its ending', () => {
  const files = ['0000990001.json', 'folder/0000990001.JSON', 'a/b/extracts.ndjson'];
  expect(files.map((file) => description.identifyFile(file))).toEqual(files);
  const others = ['bulletin.txt', 'json', 'a.json.gz'];
  expect(others.map((file) => description.identifyFile(file))).toEqual([null, null, null]);
});

test.each([
  ['with odpis around it', `{"odpis":${written}}`],
  ['without', written],
  ['with a byte order mark', `\ufeff${written}`],
])('a .json file is an extract %s', async (_, content) => {
  expect(await read(content)).toMatchObject([
    { line: 1, answer: { kind: 'extract', krs: '0000990001', state_day: '2026-11-05' } },
  ]);
});

test.each([
  ['empty', '', 'unreadable_answer', 'empty'],
  ['blank', ' \n\t', 'unreadable_answer', 'empty'],
  ['HTML', '<!DOCTYPE html>', 'unreadable_answer', 'HTML or XML, no extract of KRS'],
  ['half an answer', written.slice(0, -9), 'unreadable_answer', 'not JSON'],
  ['two extracts', `${written}\n${written}`, 'unreadable_answer', 'not JSON'],
  ['a list', `[${written}]`, 'unreadable_answer', 'no object, so no extract of KRS'],
  ['ISO 8859-2', Buffer.from('{"nazwa": "ZA\xaf"}', 'latin1'), 'damaged_row', 'not UTF-8'],
  ['UTF-16', Buffer.from(`\ufeff${written}`, 'utf16le'), 'damaged_row', 'not UTF-8'],
  ['a million lists', '['.repeat(1_000_000), 'unreadable_answer', 'more than 64 levels deep'],
  ['deep objects', '{"a":'.repeat(65), 'unreadable_answer', 'more than 64 levels deep'],
  [
    'no number',
    written.replace('0000990001', '99'),
    'invalid_krs',
    "the KRS number '99' is not valid",
  ],
  ['no name', written.replace('nazwa', 'nip'), 'no_name', 'no name of the company in it'],
])('a .json file of %s is rejected', async (_, content, reject_code, reason) => {
  const raw = expect.any(String) as string;
  expect(await read(content)).toEqual([{ line: 1, raw, reject_code, reason }]);
});

test('brackets within texts count as no levels', async () => {
  const nazwa = `"${'[{'.repeat(100)}\\`;
  const dane = { dzial1: { danePodmiotu: { nazwa } } };
  const [answer] = await read(JSON.stringify({ ...extract, dane }));
  expect(answer).toHaveProperty('answer.content.sections.dzial1.danePodmiotu', { nazwa });
});

test('a file of more bytes than the bound is rejected without being read', async () => {
  const path = await writeTestFile('huge.json', '');
  await truncate(path, 10 * 1024 ** 2);
  expect(await gather(description.readAnswers({ path, file: 'huge.json' }))).toMatchObject([
    { line: 1, raw: '', reason: `an extract of more than ${8 * 1024 ** 2} bytes` },
  ]);
});

test('the beginning of what cannot be read is kept', async () => {
  const [answer] = await read(`<html>\0${'x'.repeat(10_000)}`);
  expect(answer!.raw).toHaveLength(4000);
  expect(answer!.raw).toMatch(/^<html>␀x/);
});

test('an .ndjson file is an extract a line; an unreadable line leaves its neighbours', async () => {
  const answers = await read(`${written}\n\n{"odpis": \n${written}\r\n<html>`, 'a.ndjson');
  expect(answers.map((answer) => [answer.line, 'answer' in answer || answer.reason])).toEqual([
    [1, true],
    [3, 'not JSON'],
    [4, true],
    [5, 'HTML or XML, no extract of KRS'],
  ]);
});
