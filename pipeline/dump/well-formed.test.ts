import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { isNip, isRegon9 } from '../../sql/country/pl/check-digit.ts';
import { RecordScanner } from './record-scanner.ts';
import type { ColumnForm } from '../sources/source.ts';
import { isWellFormed } from './well-formed.ts';

const digits = (length: number) =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((list) => list.join(''));

/** One scanner reads all records, as in a night. */
const scanner = new RecordScanner();

/** Returns whether a record of the given fields is well formed, with other bytes before and after the record. */
function look(fields: Partial<Record<ColumnForm, string>>): boolean {
  const lead = 'ż;x';
  const text = Object.values(fields).join(';');
  const data = Buffer.from(`${lead}${text};1234`);
  const start = Buffer.byteLength(lead);
  scanner.scan(data, start, start + Buffer.byteLength(text));
  const formed = Object.keys(fields).map((form, at) => ({ at, form: form as ColumnForm }));
  return isWellFormed(formed, data, start, scanner);
}

const db = await createTestDatabase();

describe('check digits', () => {
  test.each([
    ['is_nip', 10, isNip],
    ['is_regon9', 9, isRegon9],
  ] as const)('are those of registry.%s', async (name, length, isNumber) => {
    const odd = ['12345678', '٣', ' ', '-', ':', '/', 'O'].map((part) => part.padEnd(length, '0'));
    // The character ':' follows '9' in ASCII, so faulty arithmetic could take ':' for the digit ten.
    const colons = fc.sample(digits(length - 1), 200).map((text) => `${text}:`);
    const texts = [...fc.sample(digits(length), 2000), '0'.repeat(length), ...odd, ...colons];
    const { rows } = await db.pool.query<{ value: string; is_valid: boolean }>(
      `select value, registry.${name}(value) as is_valid from unnest($1::text[]) as value`,
      [texts],
    );
    expect(rows.map(({ value }) => isNumber(value))).toEqual(rows.map(({ is_valid }) => is_valid));
    // About 180 of the 2000 random numbers are valid, so the test covers valid numbers too.
    expect(rows.filter(({ is_valid }) => is_valid).length).toBeGreaterThan(50);
  });
});

describe('a record', () => {
  const codes = '6201Z$##$6202Z$##$4321A';

  test('is well-formed when each field is blank or has the form of its column', () => {
    expect(look({})).toBe(true);
    expect(look({ nip: '1234563218', regon: '123456785', activity: '6201Z' })).toBe(true);
    expect(look({ regon: '12345678500012', activities: codes })).toBe(true);
    expect(look({ nip: '', regon: '', activity: '', activities: '' })).toBe(true);
  });

  const malformed: Partial<Record<ColumnForm, string[]>> = {
    nip: ['1234563219', '123-456-32-18', '123456321', '12345632180', '0000000000'],
    regon: ['123456786', '1234567850001', '1234567850001O', '000000000', '123456785 '],
    activity: ['62.01.Z', '6201', '6201z', '6201ZZ'],
    activities: [`${codes}$##$`, `$##$${codes}`, '6201Z$##6202Z', '6201Z$##$620', '6201Z$##$6202Ż'],
    date: [
      '2024-1-1',
      '01.02.2024',
      '2024-13-01',
      '2023-02-29',
      '2024-04-31',
      '2024-00-10',
      '2024-01-00',
      '1799-12-31',
    ],
  };
  test.each(Object.entries(malformed))('is not with another %s', (form, fields) => {
    const good = { date: '2024-01-31', dotted_activity: '62.01Z' };
    expect(fields.filter((field) => look({ ...good, [form]: field }))).toEqual([]);
  });

  test('has activities that the pattern of a record lets through', () => {
    const unit = fc.constantFrom(...Array.from('09AZ$#a'), '6201Z', '$##$', 'ż');
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 8 }), (field) => {
        expect(look({ activities: field })).toBe(
          /^([0-9]{4}[A-Z])(\$##\$[0-9]{4}[A-Z])*$/.test(field),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('has dates that SQL takes for the same day', async () => {
    const parts = [fc.integer({ min: 1880, max: 2120 }), fc.nat(14), fc.nat(33)] as const;
    const texts = fc
      .sample(fc.tuple(...parts), 3000)
      .map(([year, month, day]) => [year, month, day].map((part) => `${part}`.padStart(2, '0')))
      .map((written) => written.join('-'))
      .filter((text) => look({ date: text }));
    expect(texts.length).toBeGreaterThan(1000);
    const { rows } = await db.pool.query<{ written: string; day: string | null }>(
      'select written, registry.calendar_day(written) as day from unnest($1::text[]) as written',
      [texts],
    );
    expect(rows.filter(({ written, day }) => written !== day)).toEqual([]);
  });
});
