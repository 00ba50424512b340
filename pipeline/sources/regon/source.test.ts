import { describe, expect, test } from 'vitest';
import { gather, writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { legalPerson, naturalPerson } from '../../../fixtures/registry/bir-entity.ts';
import { envelopeOf, linesOf, xmlOf } from '../../../fixtures/dump/regon-stage.ts';
import type { Answer } from '../source.ts';
import { description } from './source.ts';

async function read(file: string, content: string): Promise<Answer[]> {
  return await gather(description.readAnswers({ path: await writeTestFile(file, content), file }));
}

/** Returns the reason why the only answer of an XML file cannot be read. */
async function reasonOf(content: string): Promise<string> {
  const answers = await read('a.xml', content);
  expect(answers).toMatchObject([{ reason: expect.any(String) as string }]);
  return (answers[0] as { reason: string }).reason;
}

const { regon, reports } = legalPerson('995200010', '1005200017', 'ŻÓŁĆ & SYN <SP. Z O.O.>');
const general = xmlOf(reports[`BIR12OsPrawna ${regon}`]!);
const said = {
  kind: 'report',
  report: 'OsPrawna',
  entity: 'P',
  part: 'main',
  silo: '6',
  regon: '995200010',
  rows: [
    {
      regon9: '995200010',
      nip: '1005200017',
      name: 'ŻÓŁĆ & SYN <SP. Z O.O.>',
      formation_date: '2019-03-04',
      start_date: '2019-03-11',
      country: 'PL',
      postal_code: '61823',
      city: 'Poznań',
      street: 'ul. Zmyślona',
      building: '29/31',
      legal_form: '117',
      unit_count: '0',
    },
  ],
  odd: [],
};

test('which files are answers', () => {
  const files = ['a.xml', 'b/c/D.XML', 'reports.ndjson', 'new.txt', 'x/Deleted.TXT', 'updated.txt'];
  expect(files.map((file) => description.identifyFile(file))).toEqual(files);
  const others = ['a.txt', 'renew.txt', 'a.json', 'xml'];
  expect(others.filter((file) => description.identifyFile(file))).toEqual([]);
});

describe('one answer in an XML file', () => {
  const escaped = envelopeOf(general, 'escaped');

  test.each([
    ['bare', `<?xml version="1.0" encoding="utf-8"?>\n${general}`],
    ['in an envelope as CDATA', envelopeOf(general, 'cdata')],
    ['in an envelope, escaped', escaped],
    [
      'in a part of a MIME message',
      `--uuid:1\r\nContent-Type: application/xop+xml\r\n\r\n${escaped}\r\n--uuid:1--`,
    ],
  ])('%s', async (_, raw) => {
    expect(await read('a.xml', raw)).toEqual([{ line: 1, raw, answer: said }]);
  });

  test('without records: its file tells what it is', async () => {
    expect(await read('995200010/BIR12OsPrawnaListaJednLokalnych.xml', '<root />')).toMatchObject([
      { answer: { report: 'OsPrawnaListaJednLokalnych', rows: [] } },
    ]);
    expect(await reasonOf('<root></root>')).toBe('an answer without records');
  });
});

describe('an XML file that is no answer', () => {
  test.each([
    [' \n', 'an empty answer'],
    ['<!DOCTYPE html><html><body>Przerwa</body></html>', 'a page of HTML'],
    ['{"report": "BIR12OsPrawna"}', /^XML that cannot be read/],
    [general.slice(0, -20), /^XML that cannot be read/],
    [envelopeOf(general, 'cdata').slice(0, -60), 'half an answer'],
    ['<envelope><dane/></envelope>', 'a result without records'],
    ['<root><dane><a>1</a></dane></root>', 'no report has the fields a'],
    ['<root>text</root>', 'an answer without records'],
    [
      '<s:Envelope><s:Body><s:Fault><s:Reason><s:Text>za dużo</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>',
      'a fault of BIR: za dużo',
    ],
    [
      '<Envelope><Body><ZalogujResponse /></Body></Envelope>',
      'no answer to DanePobierzPelnyRaport',
    ],
  ])('%j', async (content, reason) => {
    expect(await reasonOf(content)).toMatch(reason);
  });

  test('an answer about several companies, or with several records where one is expected', async () => {
    const units = ['99520001000015', '99520002700016'].map((lokpraw_regon14) => ({
      lokpraw_regon14,
    }));
    expect(await reasonOf(xmlOf(units))).toBe(
      'one answer about several companies: 995200010, 995200027',
    );
    const [row] = reports[`BIR12OsPrawna ${regon}`]!;
    expect(await reasonOf(xmlOf([row!, row!]))).toBe('2 records instead of one');
  });
});

describe('answers a line', () => {
  test('as the fetcher writes them', async () => {
    const person = naturalPerson('995200027', '1005200023', 'ŹDŹBŁO', ['Rolnicza']);
    const answers = await read('reports.ndjson', linesOf(person));
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
    ['{"report": "BIR12Xyz", "data": []}', "there is no report 'BIR12Xyz'"],
    ['{"report": "BIR12OsPrawna", "data": []}', 'an answer without records'],
    [
      '{"report": "BIR12OsPrawna", "data": [{"praw_pkdKod": "4711Z"}]}',
      'OsPrawna does not have the fields praw_pkdkod',
    ],
    [
      '{"report": "BIR12OsPrawna", "regon": "995200027", "data": [{"praw_regon9": "995200010"}]}',
      'said to be of 995200027, but speaks of 995200010',
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
    expect(list).toMatchObject([
      { line: 1, answer: { kind: 'list', list: 'new', number: '995200010' } },
      { line: 2, answer: { kind: 'list', list: 'new', number: '99520001000015' } },
      { line: 4, raw: '1234', reason: 'not a REGON of 9 or 14 digits' },
      { line: 5, raw: 'REGON', reason: 'not a REGON of 9 or 14 digits' },
    ]);
  });
});
