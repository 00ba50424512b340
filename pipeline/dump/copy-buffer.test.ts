import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CopyBuffer, recordPrefix, scanRecord } from './copy-buffer.ts';

/** White space as `registry.squeeze` knows it. */
const white = /[\s\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]+/g;

function squeeze(field: string): string {
  return field.replaceAll(white, ' ').replace(/^ +| +$/g, '');
}

const letter = fc.constantFrom(
  ...Array.from(
    'a1żŁ€😀 \t\v\f\r\u0085\u00a0\u1680\u2000\u2009\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u0001',
  ),
);
const spaced = fc.string({ unit: fc.oneof(fc.constantFrom('a', 'ż', ' '), letter), maxLength: 6 });
const fields = fc.array(spaced, { minLength: 1, maxLength: 6 });

describe('scanRecord', () => {
  test('never overlooks white space to tidy, a NUL byte, or a separator', () => {
    fc.assert(
      fc.property(fields, fc.boolean(), fc.nat(5), (list, hasNul, offset) => {
        const text = list.join(';') + (hasNul ? '\0' : '');
        const data = Buffer.from(`${' '.repeat(offset)}${text} ;`);
        const ends = new Uint32Array(list.length);
        const scan = scanRecord(data, offset, offset + Buffer.byteLength(text), ends);
        expect({ ...scan, needs_tidying: null }).toEqual({
          separators: list.length - 1,
          has_nul: hasNul,
          has_return: text.includes('\r'),
          is_ascii: Buffer.byteLength(text) === text.length,
          needs_tidying: null,
        });
        let end = offset - 1;
        expect([...ends]).toEqual(
          list.map((field, at) => {
            const isLast = at === list.length - 1;
            end += 1 + Buffer.byteLength(field) + (isLast && hasNul ? 1 : 0);
            return end;
          }),
        );
        // What is not tidied stands in the table as it stands in the file.
        expect(scan.needs_tidying || list.every((field) => squeeze(field) === field)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('leaves alone what has no white space to tidy, so that most records are not', () => {
    const record = Buffer.from('1;Usługi Łukasz Kowalski;ul. Żółta 3;;');
    const ends = new Uint32Array(5);
    expect(scanRecord(record, 0, record.length, ends).needs_tidying).toBe(false);
  });
});

describe('CopyBuffer', () => {
  const look = { needs_tidying: true, is_sound: false };
  const any = fc.string({ unit: fc.constantFrom(...Array.from('aż😀;"\n\r\\.N ')), maxLength: 8 });

  test('gives back every field, whatever is in it, and what was taken stays as it is', () => {
    const records = fc.array(fc.array(any, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.nat(20), (list, at) => {
        const buffer = new CopyBuffer();
        const taken: Buffer[] = [];
        list.forEach((record, line) => {
          if (line === at) taken.push(buffer.take() ?? Buffer.alloc(0));
          buffer.addFields(recordPrefix(0, line, { high: -1, low: 5 }, look), record);
        });
        buffer.addPlain('1;2;', Buffer.from('xxa;żxx'), 2, 6);
        taken.push(buffer.take()!);
        expect(buffer.take()).toBeUndefined();
        expect(parse(Buffer.concat(taken), { delimiter: ';', relax_column_count: true })).toEqual([
          ...list.map((record, line) => ['0', String(line), '-4294967291', 't', 'f', ...record]),
          ['1', '2', 'a', 'ż'],
        ]);
      }),
    );
  });

  test('grows with what is put in', () => {
    const buffer = new CopyBuffer();
    const long = 'ż'.repeat(500_000);
    buffer.addFields('', [long]);
    buffer.addFields('', [long]);
    expect(buffer.take()!.toString()).toBe(`${long}\n${long}\n`);
  });
});
