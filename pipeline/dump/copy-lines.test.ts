import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CopyLines } from './copy-lines.ts';

describe('CopyLines', () => {
  const any = fc.string({ unit: fc.constantFrom(...Array.from('aż😀;"\n\r\\.N ')), maxLength: 8 });

  test('gives back every field, whatever is in it, and what was taken stays as it is', () => {
    const records = fc.array(fc.array(any, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.nat(20), (list, at) => {
        const buffer = new CopyLines();
        const taken: Buffer[] = [];
        list.forEach((record, line) => {
          if (line === at) taken.push(buffer.take());
          buffer.addFields(`0;${line};`, record);
        });
        buffer.addPlain('1;2;', Buffer.from('xxa;żxx'), 2, 6);
        taken.push(buffer.take());
        expect(buffer.take()).toHaveLength(0);
        expect(parse(Buffer.concat(taken), { delimiter: ';', relax_column_count: true })).toEqual([
          ...list.map((record, line) => ['0', String(line), ...record]),
          ['1', '2', 'a', 'ż'],
        ]);
      }),
    );
  });

  test('grows with what is put in', () => {
    const buffer = new CopyLines();
    const long = 'ż'.repeat(500_000);
    buffer.addFields('', [long]);
    buffer.addFields('', [long]);
    expect(buffer.take().toString()).toBe(`${long}\n${long}\n`);
  });
});
