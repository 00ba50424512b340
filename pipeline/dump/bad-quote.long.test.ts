import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  fileName,
  makeReports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import {
  nothing,
  publish,
  publishBaseline,
  refuse,
  runBad,
} from '../../fixtures/dump/bad-night.ts';
import { phoneEvent, rowCase, testDamage } from '../../fixtures/dump/bad-rows.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { Reporter } from '../night/reporter.ts';

/** Returns a test case in which `write` replaces the name `Usługi <number>` of a row by a text made from the number. */
function name(what: string, write: (number: string) => string, ...reasons: (string | null)[]) {
  const rewrite = (line: string) =>
    line.replace(/Usługi (\d+)/, (_, number: string) => write(number)).split('\n');
  return rowCase(what, rewrite, ...reasons);
}

const closesElsewhere = 'a quote that closes in another row';
const noMatch = 'quotes that do not match';
const notFollowed = 'a closing quote that is not followed by a separator';
const tooLong = 'longer than 32,768 bytes';

// The rows of the cases follow each other in the file, so a quote that one case opens ends at the next case's quote.
const cases = [
  name('needless quotes', (number) => `"Usługi ${number}"`, null),
  name('a line break in quotes', (number) => `"Usługi\n${number}"`, null, null),
  name('a blank line in quotes', (number) => `"Usługi\n\n${number}"`, null, null, null),
  name('a stray quote', (number) => `Usługi "${number}"`, noMatch),
  name('a word in quotes, first', (number) => `"Usługi" ${number}`, notFollowed),
  name('a quote that meets an opening one', (number) => `"Usługi ${number}`, notFollowed),
  name('quotes that are doubled, last', (number) => `"Usługi ${number}""`, notFollowed),
  name('quotes in line, again', (number) => `"Usługi ${number}"`, null),
  name('a quote that closes in a later row', (number) => `"Usługi ${number}`, closesElsewhere),
  name('the end of that quote', (number) => `Usługi ${number}"`, noMatch),
  name('a quote that closes in another column', (number) => `"Usługi ${number}`, closesElsewhere),
  name('the end of that quote there', (number) => `Usługi ${number};X"`, noMatch),
  name(
    'a NUL byte behind a line break',
    (number) => `"Usługi\n\0${number}"`,
    'a NUL byte',
    'a NUL byte',
  ),
  name(
    'another encoding behind a line break',
    (number) => `"Usł\n¤${number}"`,
    'not UTF-8',
    'not UTF-8',
  ),
  name('a name of 40 KB', (number) => 'x'.repeat(40_000) + number, tooLong),
  name('a name of 40 KB in quotes', (number) => `"${'x'.repeat(40_000)}${number}"`, tooLong),
  name(
    'a name of 40 KB over three lines',
    (number) => `"${`${'x'.repeat(13_333)}\n`.repeat(3)}${number}"`,
    tooLong,
    '1 fields instead of 24',
    '1 fields instead of 24',
    noMatch,
  ),
  name('a quote that never closes', (number) => `"Usługi ${number}`, 'a quote that never closes'),
];

const baseline = await publishBaseline();

// The entries of the 14 damaged rows stay published until the next dump.
describe('a row is damaged in its quotes', () => {
  testDamage(baseline, cases, 14);
});

describe('a quote that never closes', () => {
  test.each(['\r\n', ''])('on the last line costs that line, before %j', async (end) => {
    const reports = makeReports();
    const lines = reports.opolskie!;
    const before = lines[7]!;
    lines[7] = withFields(before, { Telefon: '700000001' });
    const damaged = [...lines.slice(0, 8), lines[8]!.replace('Łukasz', '"Łukasz')].join('\r\n');
    const [second, third] = await publish(
      baseline,
      (folder) =>
        writeReports(folder, reports, { [fileName('opolskie')]: Buffer.from(damaged + end) }),
      reports,
    );
    expect(second).toEqual({
      rejects: [`${fileName('opolskie')}, line 9: a quote that never closes`],
      events: [phoneEvent(before)],
      counts: { new: 0, updated: 1, deleted: 0, waiting: 1 },
    });
    expect(third!.counts).toEqual(nothing);
  });
});

/** Returns a function that writes the second day, with two names of 50 MB in opolskie; one name is in quotes. */
function writeHuge(fill: string) {
  const reports = makeReports();
  const lines = reports.opolskie!;
  lines[5] = withFields(lines[5]!, { Telefon: '700000001' });
  const huge = fill.repeat(50_000_000 / fill.length);
  const damaged = lines.map((line, at) => {
    if (at === 4) return line.replace('Usługi', huge);
    return at === 6 ? line.replace(/(Usługi \d+)/, `"${huge}$1"`) : line;
  });
  return (folder: string) =>
    writeReports(folder, reports, { [fileName('opolskie')]: toBytes(damaged) });
}

describe('a field of 50 MB', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });

  test('costs its row and little memory', async () => {
    const used = () => {
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      return arrayBuffers + heapUsed;
    };
    // The test turns off an option of vitest.config.ts, so that V8 collects buffers as late as in the product.
    setFlagsFromString('--no-external-memory-accounted-in-global-limit');
    // The memory in use before the test is subtracted, because earlier tests of this process have used it.
    const before_bytes = used();
    let peak_bytes = 0;
    const measure = () => (peak_bytes = Math.max(peak_bytes, used() - before_bytes));
    const write = writeHuge('x');
    const summary = await runBad(db, write, '2026-11-03', {
      reporter: Object.assign(new Reporter(), { step: measure, progress: measure }),
    });
    expect(summary).toMatchObject({ rejected: 2, events: 1, updated: 1, deleted: 0, waiting: 2 });
    setFlagsFromString('--external-memory-accounted-in-global-limit');
    expect(peak_bytes).toBeLessThan(512 * 1024 ** 2);
    const { rows } = await db.pool.query(
      `select line::int, reason, length(raw) <= 4000 as is_cut from registry.reject order by line`,
    );
    expect(rows).toEqual([5, 7].map((line) => ({ line, reason: tooLong, is_cut: true })));
  });

  test('of many lines is refused at once, with the first of them', async () => {
    expect(await refuse(db, writeHuge(`${'x'.repeat(99)}\n`), { dump_date: '2026-11-04' })).toBe(
      `${fileName('opolskie')}, line 5: 4 fields instead of 24; ` +
        'the 1,000 rows after it cannot be read either',
    );
  });
});

describe('names too long for a key', () => {
  test('are rejected where there is no number, and published where there is one', async () => {
    const reports = makeReports();
    // The name has no repetitions: PostgreSQL would compress a repetitive name, which would then fit into an index.
    const long = Array.from({ length: 80 }, (_, at) => hash('sha256', String(at))).join('');
    const lines = reports.opolskie!;
    lines.push(withFields(lines[1]!, { Nip: '', Regon: '', NazwaPodmiotu: long }));
    lines.push(lines[2]!.replace(/Usługi \d+/, long));
    lines.splice(2, 1);
    const [second] = await publish(baseline, reports);
    expect(second!.rejects).toEqual([
      `${fileName('opolskie')}, line 9: names of more than 2000 bytes, and no number to know the entry by`,
    ]);
    expect(second!.events).toEqual([
      expect.stringMatching(/^COMPANY_NAME_CHANGED of \d{9}: Usługi \d+ -> [0-9a-f]{5120}$/),
    ]);
    expect(second!.counts).toEqual({ ...nothing, updated: 1 });
  });
});
