import { describe, expect, test } from 'vitest';
import { gather, writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { naturalPerson } from '../../../fixtures/registry/bir-entity.ts';
import type { Answer } from '../source.ts';
import { description } from './source.ts';

async function read(file: string, content: string | Buffer): Promise<Answer[]> {
  return await gather(description.readAnswers({ path: await writeTestFile(file, content), file }));
}

describe('answers a line', () => {
  test('as the fetcher writes them', async () => {
    const person = naturalPerson('995200027', '1005200023', 'ŹDŹBŁO', ['Rolnicza']);
    const lines = Object.entries(person.reports).map(([key, data]) => {
      const [report, number] = key.split(' ');
      return JSON.stringify({ report, regon: number, data });
    });
    const answers = await read('reports.ndjson', lines.join('\n'));
    expect(answers.map((answer) => 'answer' in answer && answer.answer)).toMatchObject([
      { report: 'TypPodmiotu', regon: '995200027', rows: [] },
      {
        report: 'OsFizycznaDaneOgolne',
        regon: '995200027',
        rows: [{ surname: 'ŹDŹBŁO', has_2: '1' }],
      },
      { report: 'OsFizycznaPkd', rows: [{ code: '0111Z', version: '2025', is_main: '1' }] },
      { report: 'OsFizycznaDzialalnoscRolnicza', rows: [{ name: '"ŹDŹBŁO" <A> & SYN Rolnicza' }] },
    ]);
  });

  test.each([
    ['{"report": "BIR12OsPrawna", "regon": "995200010", "data": [', 'not JSON'],
    ['["BIR12OsPrawna"]', /^not a report/],
    ['{"report": "BIR12OsPrawna", "data": {}}', /^not a report: data/],
    [
      '{"report": "BIR12OsPrawna", "data": [{"praw_nazwa": {"a": 1}}]}',
      /^not a report: data.0.praw_nazwa/,
    ],
    ['{"report": "BIR12Xyz", "data": []}', "there is no report 'BIR12Xyz'"],
    ['{"report": "BIR12OsPrawna", "data": []}', 'an answer without records'],
    [
      '{"report": "BIR12OsPrawna", "data": [{"fiz_nazwa": "A"}]}',
      'OsPrawna does not have the fields fiz_nazwa',
    ],
    [
      '{"report": "BIR12OsPrawna", "data": [{"praw_pkdKod": "4711Z"}]}',
      'OsPrawna does not have the fields praw_pkdkod',
    ],
    [
      '{"report": "BIR12OsPrawna", "regon": "995200027", "data": [{"praw_regon9": "995200010"}]}',
      'said to be of 995200027, but speaks of 995200010',
    ],
    ['{"report": "BIR12OsPrawna", "data": [{"praw_nazwa": "a\\u0000b"}]}', 'a NUL character'],
    [
      '{"report": "BIR12OsPrawna", "data": [{"praw_nazwa": "a\\ud800b"}]}',
      'half a character of UTF-16',
    ],
  ])('%s', async (line, reason) => {
    const good = '{"report": "BIR12TypPodmiotu", "regon": "995200010", "data": [{"Typ": "P"}]}';
    const answers = await read('reports.ndjson', `${line}\n${good}\n`);
    expect(answers).toMatchObject([
      { line: 1, raw: line, reason: expect.stringMatching(reason) as string },
      { line: 2, answer: { report: 'TypPodmiotu' } },
    ]);
  });

  test('numbers of a daily list', async () => {
    const list = await read('x/new.txt', '995200010\r\n 99520001000015 \n\n1234\nREGON\n');
    expect(list).toEqual([
      { line: 1, raw: '995200010', answer: { kind: 'list', list: 'new', number: '995200010' } },
      {
        line: 2,
        raw: '99520001000015',
        answer: { kind: 'list', list: 'new', number: '99520001000015' },
      },
      { line: 4, raw: '1234', reason: 'not a REGON of 9 or 14 digits' },
      { line: 5, raw: 'REGON', reason: 'not a REGON of 9 or 14 digits' },
    ]);
  });
});
