import * as fc from 'fast-check';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { scanRecord } from './copy-buffer.ts';
import { parseRecord } from './header.ts';
import { scanQuoted } from './quoted.ts';

const width = 3;

/** Whether a record is plain, and what was seen of it. */
function look(text: string) {
  const data = Buffer.from(`"${text}"`);
  const end = data.length - 1;
  const ends = new Uint32Array(width);
  const scan = scanRecord(data, 1, end, ends);
  const isPlain = scanQuoted(scan, data, 1, end, ends);
  const starts = [0, ...ends].map((at) => at + 1);
  const fields = [...ends].map((at, field) => data.toString('utf8', starts[field], at));
  return { isPlain, ...scan, fields };
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
);
const anyText = fc.string({ unit: piece, maxLength: 5 });
const field = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'ż', ' ', '\\N'), maxLength: 4 }),
  anyText.map((text) => `"${text.replaceAll('"', '""')}"`),
  anyText,
);
const record = fc.array(field, { minLength: 1, maxLength: 4 }).map((list) => list.join(';'));

/** White space as `registry.squeeze` knows it, of what the fields here may hold. */
function squeeze(text: string): string {
  return text.replaceAll(/ +/g, ' ').trim();
}

describe('a record with quotes', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await createTestDatabase();
    await db.pool.query('create table kept (no integer, a text, b text, c text)');
  });

  afterAll(() => db.drop());

  test('that is plain has the fields that a parser finds, and white space is not overlooked', () => {
    fc.assert(
      fc.property(record, (text) => {
        const seen = look(text);
        if (!seen.isPlain) return;
        const fields = parseRecord(Buffer.from(text))!;
        expect(fields).toHaveLength(seen.separators + 1);
        if (fields.length !== width) return;
        expect(seen.fields.map((raw) => parseRecord(Buffer.from(raw))?.[0] ?? '')).toEqual(fields);
        expect(seen.needs_tidying || fields.every((one) => squeeze(one) === one)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  test('is plain and tidy as registers write it', () => {
    expect(look('1;"P.H.U. ""Żuk"";Jan Kowalski";x')).toMatchObject({
      isPlain: true,
      separators: 2,
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
    const texts = fc
      .sample(record, { numRuns: 30_000, seed: 7 })
      .filter((text) => look(text).isPlain && look(text).separators === width - 1);
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
