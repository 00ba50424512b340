import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, AnswerFile } from '../source.ts';
import { description } from './source.ts';

const extract = {
  naglowekA: { numerKRS: '0000990001', stanZDnia: '05.11.2026' },
  dane: { dzial1: { danePodmiotu: { nazwa: 'ZAŻÓŁĆ' } } },
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'krs-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function readText(content: string | Buffer, file = 'a.json'): Promise<Answer[]> {
  const path = join(folder, file);
  await writeFile(path, content);
  return readAll({ path, file });
}

async function readAll(file: AnswerFile): Promise<Answer[]> {
  const answers: Answer[] = [];
  for await (const answer of description.readAnswers(file)) answers.push(answer);
  return answers;
}

describe('a file of KRS', () => {
  test.each([
    ['0000990001.json', 'folder/0000990001.JSON'],
    ['extracts.ndjson', 'a/b/extracts.ndjson'],
  ])('is known by its ending: %s', (...files) => {
    expect(files.map((file) => description.identifyFile(file))).toEqual(files);
  });

  test.each(['bulletin.txt', 'json', 'a.json.gz'])('is none by another ending: %s', (file) => {
    expect(description.identifyFile(file)).toBeNull();
  });
});

describe('a .json file', () => {
  test.each([
    ['with odpis around it', JSON.stringify({ odpis: extract })],
    ['without', JSON.stringify(extract)],
    ['with a byte order mark', `\ufeff${JSON.stringify(extract)}`],
  ])('is an extract %s', async (_, content) => {
    expect(await readText(content)).toMatchObject([
      { line: 1, answer: { kind: 'extract', krs: '0000990001', state_day: '2026-11-05' } },
    ]);
  });

  test.each([
    ['empty', '', 'empty'],
    ['blank', ' \n\t', 'empty'],
    ['HTML', '<!DOCTYPE html><html></html>', 'HTML or XML, no extract of KRS'],
    ['half an answer', JSON.stringify(extract).slice(0, -9), 'not JSON'],
    ['two extracts', `${JSON.stringify(extract)}\n${JSON.stringify(extract)}`, 'not JSON'],
    ['a list of extracts', JSON.stringify([extract]), 'no object, so no extract of KRS'],
    ['ISO 8859-2', Buffer.from('{"nazwa": "ZA\xaf\xd3\xa3\xc6"}', 'latin1'), 'not UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(extract)}`, 'utf16le'), 'not UTF-8'],
    ['a million lists', '['.repeat(1_000_000), 'more than 64 levels deep'],
    ['deep objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'more than 64 levels deep'],
  ])('of %s is rejected', async (_, content, reason) => {
    expect(await readText(content)).toEqual([{ line: 1, raw: expect.any(String), reason }]);
  });

  test('counts no brackets within texts as levels', async () => {
    const dane = { dzial1: { danePodmiotu: { nazwa: `"${'[{'.repeat(100)}\\` } } };
    const [answer] = await readText(JSON.stringify({ ...extract, dane }));
    expect(answer).toHaveProperty('answer.content.sections.dzial1.danePodmiotu', {
      nazwa: `"${'[{'.repeat(100)}\\`,
    });
  });

  test('of more bytes than the bound is rejected without being read', async () => {
    const path = join(folder, 'huge.json');
    const file = await open(path, 'w');
    await file.truncate(10 * 1024 ** 2);
    await file.close();
    const answers = await readAll({ path, file: 'huge.json' });
    expect(answers).toEqual([
      { line: 1, raw: '', reason: `an extract of more than ${8 * 1024 ** 2} bytes` },
    ]);
  });

  test('keeps the beginning of what cannot be read', async () => {
    const [answer] = await readText(`<html>\0${'x'.repeat(10_000)}`);
    expect(answer!.raw).toHaveLength(4000);
    expect(answer!.raw).toMatch(/^<html>␀x/);
  });
});

describe('an .ndjson file', () => {
  test('is an extract a line; a line that cannot be read leaves its neighbours', async () => {
    const line = JSON.stringify({ odpis: extract });
    const answers = await readText(`${line}\n\n{"odpis": \n${line}\r\n<html>`, 'a.ndjson');
    expect(answers.map((answer) => [answer.line, 'answer' in answer || answer.reason])).toEqual([
      [1, true],
      [3, 'not JSON'],
      [4, true],
      [5, 'HTML or XML, no extract of KRS'],
    ]);
  });
});
