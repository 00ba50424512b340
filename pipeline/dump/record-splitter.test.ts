import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { columns, header } from '../../fixtures/dump/bad-dump.ts';
import { parseRecord } from '../../fixtures/dump/parse-record.ts';
import { FileReader } from './file-reader.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import { LineMemory, type Span } from './line-memory.ts';
import { RECORD_BYTES } from './record-scanner.ts';
import { type RecordHandler, RecordSplitter } from './record-splitter.ts';
import { loadSource, type TableSource } from '../sources/source.ts';
import { tidy } from '../sources/tidy.ts';

/** One output of a splitter: the line number, and the text of a record or the reason of a rejection. */
type Piece = [line: number, text: string];

/** Writes the bytes to a splitter in chunks, which end at the offsets `cuts` (modulo the length). */
function write(splitter: RecordSplitter, bytes: Buffer, cuts: readonly number[]): void {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  let from = 0;
  for (const to of [...places, bytes.length]) {
    splitter.write(bytes.subarray(from, to));
    from = to;
  }
  splitter.end();
}

function split(bytes: Buffer, cuts: readonly number[] = [], width?: number) {
  const records: Piece[] = [];
  const rejects: Piece[] = [];
  const handler: RecordHandler = {
    record({ data, start, end, line }) {
      const record = data.subarray(start, end);
      if (width !== undefined && parseRecord(record)?.length !== width) return false;
      records.push([line, record.toString()]);
      return true;
    },
    reject: ({ line }, reason) => void rejects.push([line, reason]),
  };
  const splitter = new RecordSplitter(handler, new LineMemory());
  write(splitter, bytes, cuts);
  return { records, rejects, line: splitter.line };
}

/** Returns a field in the form of RFC 4180, in quotes if necessary. */
function serialise(field: string): string {
  return /[;"\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

const field = fc.string({
  unit: fc.constantFrom('a', 'ż', ' ', ';', '"', '\n', '\r\n', '\r', '1'),
  maxLength: 8,
});
const cuts = fc.array(fc.nat(100_000), { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n');

describe('RecordSplitter', () => {
  test('gives the records of RFC 4180 and their lines, wherever the chunks end', () => {
    const rows = fc.array(fc.tuple(fc.array(field, { minLength: 2, maxLength: 5 }), lineEnd));
    fc.assert(
      fc.property(rows, cuts, fc.boolean(), (list, places, endsWithLine) => {
        const texts = list.map(([fields]) => fields.map(serialise).join(';'));
        let text = list.map(([, end], at) => texts[at] + end).join('');
        if (!endsWithLine) text = text.replace(/\r?\n$/, '');
        let line = 1;
        const expected = texts.map((record): Piece => {
          const piece: Piece = [line, record];
          line += record.split('\n').length;
          return piece;
        });
        const { records, rejects } = split(Buffer.from(text), places);
        expect(records).toEqual(expected);
        expect(rejects).toEqual([]);
        expect(texts.map((record) => parseRecord(Buffer.from(record)))).toEqual(
          list.map(([fields]) => fields),
        );
      }),
      { numRuns: 1000 },
    );
  });

  const notFollowed = 'a closing quote that is not followed by a separator';
  test.each([
    ['a quote that never closes', '"a;b', 'c;d', 'a quote that never closes'],
    ['a quote that closes in the middle of a field', '"a"x;b', 'c;d', notFollowed],
    ['a quote that meets the next one', '"a;b', 'c;"d"', notFollowed],
  ])('rejects the line of %s and no other', (_, bad, after, reason) => {
    const text = `a;b\n${bad}\n${after}\n`;
    for (let cut = 0; cut <= text.length; cut++) {
      const { records, rejects, line } = split(Buffer.from(text), [cut]);
      expect(records).toEqual([
        [1, 'a;b'],
        [3, after],
      ]);
      expect(rejects).toEqual([[2, reason]]);
      expect(line).toBe(4);
    }
  });

  test('reads on at the second line of a record that does not parse', () => {
    const { records, rejects } = split(Buffer.from('a;"b\nc;d\ne";f;g\nh;i\n'), [], 2);
    expect(records).toEqual([
      [2, 'c;d'],
      [4, 'h;i'],
    ]);
    expect(rejects).toEqual([]);
  });

  test('takes records up to its bound and rejects longer ones, on one line or on several', () => {
    const fits = 'x'.repeat(RECORD_BYTES);
    const quoted = `"${'x\n'.repeat(RECORD_BYTES / 2 - 1)}"`;
    for (const end of ['\n', '']) {
      expect(split(Buffer.from(fits + end)).records).toEqual([[1, fits]]);
      expect(split(Buffer.from(quoted + end)).records).toEqual([[1, quoted]]);
      const { records, rejects } = split(Buffer.from(`${fits}x\na;b${end}`));
      expect(records).toEqual([[2, 'a;b']]);
      expect(rejects).toEqual([[1, 'longer than 32,768 bytes']]);
    }
    expect(split(Buffer.from(`"x${quoted.slice(1)}\n`)).rejects[0]![0]).toBe(1);
  });

  test.each([
    ['without a line end', 'x', 'x'],
    ['in quotes without a line end', '"', 'x'],
    ['in quotes over many lines', '"', `${'x'.repeat(99)}\n`],
  ])('keeps little of a field of 400 MB %s', (_, start, more) => {
    let longest = 0;
    const measure = ({ start: from, end }: Span) => {
      longest = Math.max(longest, end - from);
      return true;
    };
    const splitter = new RecordSplitter({ record: measure, reject: measure }, new LineMemory());
    const chunk = Buffer.from(more.repeat(250_000 / more.length));
    const before = process.memoryUsage().arrayBuffers;
    splitter.write(Buffer.from(start));
    for (let count = 0; count < 1600; count++) splitter.write(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 ** 2);
    splitter.end();
    expect(longest).toBeLessThanOrEqual(RECORD_BYTES);
  });
});

describe('a damaged line', () => {
  let source: TableSource;
  beforeAll(async () => {
    source = (await loadSource('ceidg')) as TableSource;
  });

  /** Returns the line numbers and names of the records that are staged from a file, which is read in chunks. */
  function read(bytes: Buffer, places: readonly number[]) {
    const file = {
      file_no: 0,
      file_key: 'opolskie',
      file: 'opolskie.csv',
      path: '',
      byte_count: bytes.length,
      modified_ms: 0,
      sha256: '',
    };
    const known = new KnownFingerprints();
    const reader = new FileReader(source, file, known);
    write(new RecordSplitter(reader, known.memory), bytes, places);
    const staged: string[][] = parse(reader.lines.take(), { delimiter: ';' });
    return {
      staged: staged.map((fields): Piece => [Number(fields[1]), fields.slice(4).join('|')]),
      rejects: reader.rejects.take().map(({ line }) => line),
      read_count: reader.read_count,
    };
  }

  // The test generates no field with a separator after a line break, because the splitter rejects such a field as a
  // damaged row.
  const plain = field.filter((text) => !/\n[^]*;"*$/.test(text));
  const row = fc
    .record({ name: plain, surname: plain, first: plain })
    .map(({ name, surname, first }) => [
      '1',
      '',
      '',
      name,
      surname,
      first,
      ...Array<string>(18).fill(''),
    ]);
  const damage = fc.record({
    at: fc.nat(100),
    column: fc.integer({ min: 3, max: 23 }),
    text: fc.constantFrom('"abc', 'ab"c', '"ab"c', 'abc"', 'a;b', '"', '"""', 'ż\0'),
  });

  test('costs itself and no other row, wherever the chunks end', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        damage,
        cuts,
        (rows, bad, places) => {
          const damaged = columns.map((_, at) => (at === bad.column ? bad.text : '')).join(';');
          const lines = rows.map((fields) => fields.map(serialise).join(';'));
          const place = bad.at % (rows.length + 1);
          const text = [header, ...lines.toSpliced(place, 0, damaged), ''].join('\r\n');
          let line = 2;
          let damaged_line = 0;
          const expected: Piece[] = [];
          lines.toSpliced(place, 0, damaged).forEach((record, at) => {
            if (at === place) damaged_line = line;
            else expected.push([line, rows[at < place ? at : at - 1]!.map(tidy).join('|')]);
            line += record.split('\n').length;
          });
          const { staged, rejects, read_count } = read(Buffer.from(text), places);
          expect(staged.toSorted(([a], [b]) => a - b)).toEqual(expected);
          expect(rejects).toEqual([damaged_line]);
          expect(read_count).toBe(rows.length + 1);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
