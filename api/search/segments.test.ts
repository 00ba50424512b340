import * as fc from 'fast-check';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { isMatch, type Searched } from '../../fixtures/client/searched.ts';
import { eachRow, SegmentBuilder } from './segment-builder.ts';
import { sorts } from './result-order.ts';
import { columns, Segment, type SegmentHead } from './segment.ts';
import { Segments } from './segments.ts';

const oneOf = fc.constantFrom;
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null, freq: 4 });
const word = oneOf('a', 'ba', 'kowal', 'kowalska', 'ska', 'żaba', 'bar', '', 'x'.repeat(2000));
const company = fc.record({
  id: fc.integer({ min: 1, max: 60 }),
  country: oneOf('FR', 'PL'),
  status: maybe(oneOf('ACTIVE' as const, 'SUSPENDED' as const)),
  voivodeship: maybe(oneOf('02', '14', '24')),
  legal_form: maybe(oneOf('117', '9', '99')),
  city: maybe(oneOf('lodz', 'lodz 2', String.raw`nowe \ miasto`, 'ł')),
  postal_code: maybe(fc.string({ maxLength: 3, unit: oneOf('0', '9') })),
  activity_start: maybe(oneOf('1999-12-31', '2000-01-01', '2000-06-15', '2019-02-28')),
  name: maybe(fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))),
  other_names: fc.array(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    { maxLength: 3 },
  ),
  workforce: maybe(oneOf(0, 1, 10, 10_000)),
  codes: fc.array(oneOf('4711Z', '4712Z', '47', '4', '001', '9999Z'), { maxLength: 4 }),
});
const fields = {
  country: oneOf('FR', 'PL', 'XX'),
  voivodeship: oneOf('02', '14', '1'),
  legal_form: oneOf('9', '117'),
  city: oneOf('lodz', String.raw`nowe \ miasto`, 'lod'),
  postal_code: oneOf('0', '09', '9'),
  workforce_min: oneOf(0, 2, 10, 9_999),
  postal_prefix: oneOf('0', '09', '9', '090'),
  company_id: maybe(fc.integer({ min: 0, max: 61 })),
  activity_code: oneOf('4711Z', '9999Z'),
  activity_prefix: oneOf('4', '47', '471', '00', '4712Z'),
  activity_start_from: oneOf('2000-01-01', '1999-12-31', '2018-01-01'),
  activity_start_to: oneOf('2000-01-01', '2000-06-14', '2030-12-31'),
  name: oneOf('kow', 'ska', 'a ba', 'ba a', 'kowal ska', 'ż', 'a kow', 'xxx', 'a b a'),
};
/** A search has at most three filters, because more filters would rarely match a company. */
const some = fc.subarray(Object.keys(fields), { maxLength: 3 });
const filter = fc.tuple(fc.record(fields), some).map(([drawn, names]) => ({
  ...Object.fromEntries(Object.entries(drawn).filter(([name]) => names.includes(name))),
  status: 'ACTIVE' as const,
}));
const search = fc.record({ filter, sort: oneOf(...sorts) });

/** Compares two companies by the requested order; companies without a start day come last. */
function compare(one: Searched, other: Searched, sort: (typeof sorts)[number]): number {
  const [start, next] = [one.activity_start ?? '', other.activity_start ?? ''];
  if (sort === 'added' || start === next) return one.id - other.id;
  if (start === '' || next === '') return start === '' ? 1 : -1;
  return start < next === (sort === 'activity_start') ? -1 : 1;
}

/**
 * Returns the rows with which companies are loaded into the index. The codes and other names of each company are
 * divided between two rows, as of two entries.
 */
function rowsOf(companies: Searched[]): string {
  const write = (text: string | null) => text?.replaceAll('\\', '\\\\') ?? String.raw`\N`;
  return companies
    .flatMap((one) => {
      const texts = [...columns, 'activity_start' as const, 'name' as const].map(
        (column) => one[column],
      );
      return [0, 2].map((from) =>
        [
          one.id,
          ...texts.map(write),
          write(one.codes.slice(from, from + 2).join() || null),
          write(one.other_names.slice(from, from + 2).join('  ') || null),
          write(from === 0 ? null : (one.workforce?.toString() ?? null)),
        ].join('\t'),
      );
    })
    .map((row) => `${row}\n`)
    .join('');
}

/** Loads companies into a segment of the index, in chunks of bytes that may end within a row. */
async function load(
  companies: Map<number, Searched>,
  head: Pick<SegmentHead, 'snapshot_no'> & Partial<SegmentHead>,
): Promise<Segment> {
  const whole: SegmentHead = { from: 0, to: null, publication: '', loaded_at: '', ...head };
  const own = [...companies.values()]
    .filter(({ id }) => id >= whole.from && id < (whole.to ?? Infinity))
    .toSorted((one, other) => one.id - other.id);
  const bytes = Buffer.from(rowsOf(own));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 37) }, (_, at) =>
    bytes.subarray(at * 37, at * 37 + 37),
  );
  const builder = new SegmentBuilder();
  await eachRow(Readable.from(chunks).setEncoding('utf8'), (row) => builder.add(row));
  return new Segment(builder.build(whole));
}

test('Segments find what a look at each company finds, after changes and loads of any range', async () => {
  const step = fc.record({
    changed: fc.array(company, { maxLength: 8 }),
    split: fc.integer({ min: 1, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(company, { maxLength: 60 }),
      fc.array(step, { maxLength: 6 }),
      fc.array(search, { minLength: 8, maxLength: 20 }),
      fc.nat(12),
      async (first, steps, searches, skipped) => {
        const known = new Map(first.map((one) => [one.id, one]));
        const segments = new Segments();
        segments.ranges.push(await load(known, { to: 30, snapshot_no: 1 }));
        expect(segments.missing_from).toBe(30);
        segments.ranges.push(await load(known, { from: 30, snapshot_no: 1 }));
        segments.update([await load(new Map(), { snapshot_no: 1 })]);
        // The number of the snapshot in which each company last changed, by company id.
        const changedIn = new Map<number, number>();
        for (const [at, { changed, split }] of steps.entries()) {
          const snapshot_no = at + 2;
          for (const one of changed) {
            known.set(one.id, one);
            changedIn.set(one.id, snapshot_no);
          }
          const news = [...known].filter(([id]) => (changedIn.get(id) ?? 0) > segments.base_no);
          const parts = [
            { snapshot_no, to: split },
            { snapshot_no, from: split },
          ];
          segments.update(await Promise.all(parts.map((part) => load(new Map(news), part))));
          if (at % 3 === 0) continue;
          const range = segments.ranges[split % segments.ranges.length]!;
          segments.renew(range, [await load(known, { ...range.head, snapshot_no })]);
        }
        expect(segments.missing_from).toBe(null);
        for (const { filter: wanted, sort } of searches) {
          const expected = [...known.values()].filter((one) => isMatch(one, wanted));
          const ids = expected
            .toSorted((one, other) => compare(one, other, sort))
            .map(({ id }) => id);
          const { total, company_ids } = segments.search({
            filter: wanted,
            sort,
            skipped,
            size: 5,
          });
          expect([wanted, sort, total, company_ids]).toEqual([
            wanted,
            sort,
            ids.length,
            ids.slice(skipped, skipped + 5),
          ]);
        }
      },
    ),
    { numRuns: 60 },
  );
});
