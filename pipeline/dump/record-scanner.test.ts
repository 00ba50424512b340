import * as fc from 'fast-check';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseRecord } from '../../fixtures/dump/parse-record.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { tidy } from '../sources/tidy.ts';
import { RecordScanner } from './record-scanner.ts';

const width = 3;
/** One scanner reads all records, as in a night, so that the tests find results that remain from an earlier record. */
const scanner = new RecordScanner();

/** Returns the scanner's results for a record of one line, with other bytes before and after the record. */
function look(text: string) {
  const data = Buffer.from(`"${text}"`);
  const fault = scanner.scan(data, 1, data.length - 1);
  const { ends, field_count, needs_tidying } = scanner;
  const isPlain = fault === undefined && scanner.is_plain && !scanner.is_multiline;
  const starts = [0, ...ends.subarray(0, field_count)].map((at) => at + 1);
  const fields = [...ends.subarray(0, field_count)].map((at, field) =>
    data.toString('utf8', starts[field], at),
  );
  return { fault, isPlain, field_count, needs_tidying, fields };
}

const piece = fc.constantFrom(
  '"',
  '""',
  ';',
  ' ',
  'a',
  'ż',
  'P.H.U.',
  "'",
  '\\',
  '\\.',
  '\\N',
  ',',
  '-',
  '&#8209;',
);
const anyText = fc.string({ unit: piece, maxLength: 5 });
const anyField = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'ż', ' ', '-', '\\N'), maxLength: 4 }),
  anyText.map((text) => `"${text.replaceAll('"', '""')}"`),
  anyText,
);
const anyRecord = fc.array(anyField, { minLength: 1, maxLength: 4 }).map((list) => list.join(';'));

describe('a record with quotes', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await createTestDatabase();
    await db.pool.query('create table kept (no integer, a text, b text, c text)');
  });

  test('has the fields that a parser finds, or does not parse; in a plain one nothing to tidy is overlooked', () => {
    fc.assert(
      fc.property(anyRecord, (text) => {
        // The empty text is skipped, because a blank line is no record.
        if (text === '') return;
        const data = Buffer.from(`"${text}"`);
        const fault = scanner.scan(data, 1, data.length - 1);
        const fields = parseRecord(Buffer.from(text));
        expect(fault !== undefined || scanner.has_inner_quote).toBe(fields === undefined);
        if (fields) expect(scanner.readFields(data, 1)).toEqual(fields);
        const seen = look(text);
        if (!seen.isPlain) return;
        expect(fields).toHaveLength(seen.field_count);
        if (fields!.length !== width) return;
        expect(seen.fields.map((raw) => parseRecord(Buffer.from(raw))?.[0] ?? '')).toEqual(fields);
        expect(seen.needs_tidying || fields!.every((one) => tidy(one) === one)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  test('is plain and tidy as registers write it', () => {
    const plain = look('1;Usługi Łukasz Kowalski;ul. Żółta-Nowa 3;;');
    expect(plain).toMatchObject({ isPlain: true, needs_tidying: false });
    expect(look('1;"P.H.U. ""Żuk"";Jan Kowalski";x')).toMatchObject({
      isPlain: true,
      field_count: 3,
      needs_tidying: false,
      fields: ['1', '"P.H.U. ""Żuk"";Jan Kowalski"', 'x'],
    });
    expect(look('"a";"""b""";"c"').isPlain).toBe(true);
  });

  test.each(['a"b;"c";', '"a"b;c;d', '"";b;c', 'a;"b;c', '"a";"b" ;c', '"a""'])(
    'leaves %s to a parser',
    (text) => {
      expect(look(text).isPlain).toBe(false);
    },
  );

  test('that is plain has the same fields to COPY', async () => {
    const texts = fc.sample(anyRecord, { numRuns: 30_000, seed: 7 }).filter((text) => {
      const { isPlain, field_count } = look(text);
      return isPlain && field_count === width;
    });
    expect(texts.length).toBeGreaterThan(500);
    const client = await db.pool.connect();
    const copy = client.query(copyFrom(`copy kept from stdin (format csv, delimiter ';')`));
    await pipeline(
      texts.map((text, no) => `${no};${text}\n`),
      copy,
    );
    client.release();
    const { rows } = await db.pool.query('select a, b, c from kept order by no');
    expect(rows).toEqual(
      texts.map((text) => {
        const [a, b, c] = parseRecord(Buffer.from(text))!.map((one) => (one === '' ? null : one));
        return { a, b, c };
      }),
    );
  });
});

const letter = fc.constantFrom(
  ...Array.from(
    'a1żŁ€😀 \t\v\f\r\u0085\u00a0\u1680\u2000\u2009\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u0001-\u00ad\u2011\u2212\uff0d&',
  ),
);
const spaced = fc.string({
  unit: fc.oneof(fc.constantFrom('a', 'ż', ' ', '-'), letter),
  maxLength: 6,
});
const spacedFields = fc.array(spaced, { minLength: 1, maxLength: 6 });

describe('a record without quotes', () => {
  test('never overlooks what there is to tidy, a NUL byte, or a separator', () => {
    fc.assert(
      fc.property(spacedFields, fc.boolean(), fc.nat(5), (list, hasNul, offset) => {
        const text = list.join(';') + (hasNul ? '\0' : '');
        const data = Buffer.from(`${' '.repeat(offset)}${text} ;`);
        expect(scanner.scan(data, offset, offset + Buffer.byteLength(text))).toBeUndefined();
        expect(scanner).toMatchObject({
          field_count: list.length,
          has_nul: hasNul,
          is_ascii: Buffer.byteLength(text) === text.length,
        });
        let end = offset - 1;
        expect([...scanner.ends.subarray(0, list.length)]).toEqual(
          list.map((field, at) => {
            const isLast = at === list.length - 1;
            end += 1 + Buffer.byteLength(field) + (isLast && hasNul ? 1 : 0);
            return end;
          }),
        );
        // If the scanner does not report that the record needs tidying, `tidy` must leave every field unchanged.
        expect(scanner.needs_tidying || list.every((field) => tidy(field) === field)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
