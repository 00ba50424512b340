import { expect, test } from 'vitest';
import { writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { envelopeOf, xmlOf } from '../../../fixtures/dump/regon-stage.ts';
import { runMeasured } from '../../../fixtures/process/measured.ts';
import { ANSWER_BYTES } from './source.ts';

const script = `
  const { description } = await import(process.argv[1]);
  const path = process.argv[2];
  for await (const { answer } of description.readAnswers({ path, file: path })) {
    const megabytes = process.resourceUsage().maxRSS / 1024;
    process.stdout.write(JSON.stringify([answer.rows.length, megabytes]));
  }
`;

/** Reads one file of answers in a separate process; returns the number of records, and the memory in megabytes. */
async function measure(path: string): Promise<[records: number, megabytes: number]> {
  const reader = new URL('source.ts', import.meta.url).href;
  return JSON.parse(await runMeasured(script, [reader, path])) as [number, number];
}

test.each(['escaped', 'cdata'] as const)('the longest answer, %s', async (wrapping) => {
  const partner = {
    wspolsc_regonWspolnikSpolki: '142111956',
    wspolsc_imiePierwsze: 'PAWEŁ',
    wspolsc_imieDrugie: 'MARIUSZ',
    wspolsc_nazwisko: 'ŻÓŁĆ & SYN',
    wspolsc_firmaNazwa: 'x'.repeat(500),
  };
  const size = Buffer.byteLength(envelopeOf(xmlOf([partner]), wrapping));
  const count = Math.floor(ANSWER_BYTES / size);
  const text = envelopeOf(xmlOf(Array.from({ length: count }, () => partner)), wrapping);
  const [records, megabytes] = await measure(await writeTestFile('long.xml', text));
  expect(records).toBe(count);
  expect(megabytes).toBeLessThan(300);
});
