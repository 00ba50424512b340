import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  option,
  record,
  string,
} from 'fast-check';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { eachRow, SegmentBuilder } from './builder.ts';
import type { SearchFilter } from './filter.ts';
import { Segment, type SegmentHead } from './segment.ts';
import { Segments } from './segments.ts';

interface Company {
  id: number;
  country: string;
  status: SearchFilter['status'] | null;
  voivodeship: string | null;
  legal_form: string | null;
  city: string | null;
  postal_code: string | null;
  activity_start: string | null;
  name: string | null;
  codes: string[];
}

const word = constantFrom(
  'a',
  'ba',
  'kowal',
  'kowalska',
  'ska',
  'żaba',
  'bar',
  '',
  'x'.repeat(2000),
);
const nameOf = array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const maybe = { nil: null, freq: 4 };
const company = record({
  id: integer({ min: 1, max: 60 }),
  country: constantFrom('FR', 'PL'),
  status: option(constantFrom('ACTIVE' as const, 'SUSPENDED' as const), maybe),
  voivodeship: option(constantFrom('02', '14', '24'), maybe),
  legal_form: option(constantFrom('117', '9', '99'), maybe),
  city: option(constantFrom('lodz', 'lodz 2', String.raw`nowe \ miasto`, 'ł'), maybe),
  postal_code: option(string({ maxLength: 2, unit: constantFrom('0', '9') }), maybe),
  activity_start: option(
    constantFrom('1999-12-31', '2000-01-01', '2000-06-15', '2019-02-28'),
    maybe,
  ),
  name: option(nameOf, maybe),
  codes: array(constantFrom('4711Z', '4712Z', '47', '4', '001', '9999Z'), { maxLength: 4 }),
});
const filter = record(
  {
    country: constantFrom('FR', 'PL', 'XX'),
    voivodeship: constantFrom('02', '14', '1'),
    legal_form: constantFrom('9', '117'),
    city: constantFrom('lodz', String.raw`nowe \ miasto`, 'lod'),
    postal_code: constantFrom('0', '09', '9'),
    activity_code: constantFrom('4711Z', '9999Z'),
    activity_prefix: constantFrom('4', '47', '471', '00', '4712Z'),
    activity_start_from: constantFrom('2000-01-01', '1999-12-31', '2018-01-01'),
    activity_start_to: constantFrom('2000-01-01', '2000-06-14', '2030-12-31'),
    name: constantFrom('kow', 'ska', 'a ba', 'ba a', 'kowal ska', 'ż', 'a kow', 'xxx', 'a b a'),
  },
  { requiredKeys: [] },
).map((drawn) => ({ ...drawn, status: 'ACTIVE' as const }));

/** The rows of a load, the codes of each company over two entries. */
function rowsOf(companies: Company[]): string {
  const write = (text: string | null) => text?.replaceAll('\\', '\\\\') ?? String.raw`\N`;
  return companies
    .flatMap((one) => {
      const columns = [one.country, one.status, one.voivodeship, one.legal_form, one.city];
      const texts = [...columns, one.postal_code, one.activity_start, one.name];
      return [one.codes.slice(0, 2), one.codes.slice(2)].map((codes) =>
        [one.id, ...texts.map(write), codes.join() || String.raw`\N`].join('\t'),
      );
    })
    .map((row) => `${row}\n`)
    .join('');
}

/** Loads companies into a segment, in chunks that end anywhere. */
async function load(
  companies: Map<number, Company>,
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

function isMatch(one: Company, wanted: SearchFilter): boolean {
  for (const column of [
    'country',
    'status',
    'voivodeship',
    'legal_form',
    'city',
    'postal_code',
  ] as const) {
    if (wanted[column] !== undefined && one[column] !== wanted[column]) return false;
  }
  const { activity_code, activity_prefix, activity_start_from, activity_start_to, name } = wanted;
  for (const prefix of [activity_code, activity_prefix]) {
    if (prefix && !one.codes.some((code) => code.startsWith(prefix))) return false;
  }
  const start = one.activity_start;
  if (activity_start_from && (start === null || start < activity_start_from)) return false;
  if (activity_start_to && (start === null || start > activity_start_to)) return false;
  return name === undefined || (one.name?.includes(name) ?? false);
}

test('Segments find what a look at each company finds, after changes and loads of any range', async () => {
  const step = record({
    changed: array(company, { maxLength: 8 }),
    split: integer({ min: 1, max: 60 }),
  });
  await assert(
    asyncProperty(
      array(company, { maxLength: 60 }),
      array(step, { maxLength: 6 }),
      array(filter, { minLength: 8, maxLength: 20 }),
      nat(12),
      async (first, steps, filters, skipped) => {
        const known = new Map(first.map((one) => [one.id, one]));
        const segments = new Segments();
        segments.extend(await load(known, { to: 30, snapshot_no: 1 }));
        expect(segments.missing_from).toBe(30);
        segments.extend(await load(known, { from: 30, snapshot_no: 1 }));
        segments.update([await load(new Map(), { snapshot_no: 1 })]);
        // The snapshot in which each company changed last.
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
        for (const wanted of filters) {
          const expected = [...known.values()].filter((one) => isMatch(one, wanted));
          const ids = expected.map(({ id }) => id).toSorted((one, other) => one - other);
          const { total, company_ids } = segments.search({ filter: wanted, skipped, size: 5 });
          expect([wanted, total, company_ids]).toEqual([
            wanted,
            ids.length,
            ids.slice(skipped, skipped + 5),
          ]);
        }
      },
    ),
    { numRuns: 60 },
  );
});
