import { expect, test } from 'vitest';
import { gather, writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { description } from './source.ts';

const extract = {
  naglowekA: { numerKRS: '0000990001', stanZDnia: '05.11.2026' },
  dane: { dzial1: { danePodmiotu: { nazwa: 'ZAŻÓŁĆ' } } },
};
const written = JSON.stringify(extract);

async function read(content: string, file = 'a.json') {
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

test('the beginning of what cannot be read is kept', async () => {
  const [answer] = await read(`<html>${'x'.repeat(10_000)}`);
  expect(answer!.raw).toHaveLength(4000);
});

test('an .ndjson file is an extract a line; an unreadable line leaves its neighbours', async () => {
  const answers = await read(`${written}\n\n{"odpis": \n${written}\r\n<html>`, 'a.ndjson');
  expect(answers.map((answer) => [answer.line, 'answer' in answer || answer.reason])).toEqual([
    [1, true],
    [3, 'not JSON'],
    [4, true],
    [5, 'a page of HTML'],
  ]);
});
