import { sql } from 'kysely';
import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import { chooseCountries, countriesField } from '../dictionaries/countries.ts';
import { model, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { HttpError } from '../http/errors.ts';
import { dateField } from '../http/text-fields.ts';
import {
  pageMeta,
  type Paging,
  pagingFields,
  skippedBy,
  viewPageMeta,
} from '../http/page-numbers.ts';

/** The maximum count of a dump's files, and of its refused attempts, in an answer; `…_total` counts all. */
const mostListed = 200;

const count = z.int().nonnegative();
const rows = { read: count, accepted: count, rejected: count };

/** A check that a dump failed, with the figures of the check; the command `registry show` prints them as a sentence. */
const guard = model('Guard', {
  guard: z.string(),
  file: z.string().nullable(),
  field: z.string().nullable(),
  value: z.number(),
  limit: z.number(),
});

const published = model('PublishedDump', {
  published_at: time,
  days_late: z.int(),
  is_baseline: z.boolean(),
  ...rows,
  entries: count,
  files_total: count,
  files: z.array(z.strictObject({ file: z.string(), bytes: count, sha256: z.string(), ...rows })),
  rejected_by_reason: z.array(model('RejectCount', { subject: z.string(), count })),
  accepted_refusal: z
    .strictObject({ reason: z.string().nullable(), guards: z.array(guard) })
    .nullable(),
});

const nightOfRegistry = model('NightOfRegistry', {
  source: z.string(),
  published: published.nullable(),
  refusals_total: count,
  refusals: z.array(z.strictObject({ refused_at: time, guards: z.array(guard) })),
});

/** Returns the outcomes of a day's dumps in the given countries, one per registry; [] for a day without dumps. */
export function readNight(db: Db, date: string, countries: string[]) {
  const file = 'api/stats/read_quality.sql';
  return runPrepared<z.output<typeof nightOfRegistry>>(db, file, [date, mostListed, countries]);
}

const nightSummary = model('NightSummary', {
  date: z.iso.date(),
  source: z.string(),
  is_published: z.boolean(),
  read: count.nullable(),
  rejected: count.nullable(),
  days_late: z.int().nullable(),
  refusals: count,
  has_accepted_refusal: z.boolean(),
});

/** Returns a page of the dumps of the given countries, one row per day and registry, the newest day first. */
export function readNights(readers: Readers, paging: Paging, countries: string[]) {
  return readers.read(async (db) => {
    const { rows: found } = await sql<{ total: number; data: z.output<typeof nightSummary>[] }>`
      with night as (
          select
              dump_date as date,
              source,
              bool_or(state = 'published') as is_published,
              max(read_count) filter (where state = 'published') as read,
              max(rejected_count) filter (where state = 'published') as rejected,
              max((finished_at at time zone country.time_zone)::date - dump_date)
                  filter (where state = 'published') as days_late,
              count(*) filter (where state = 'refused') as refusals,
              bool_or(state = 'published' and coalesce(jsonb_array_length(refusals), 0) > 0)
                  as has_accepted_refusal
          from registry.run
          join registry.country on country_code = registry.source_country(source)
          where state in ('published', 'refused') and country_code = any(${countries})
          group by dump_date, source
      ),
      page as (
          select * from night order by date desc, source
          limit ${paging.per_page} offset ${skippedBy(paging)}
      )
      select
          (select count(*)::int from night) as total,
          (select coalesce(json_agg(page), '[]') from page) as data
    `.execute(db);
    const { total, data } = found[0]!;
    return { data, meta: viewPageMeta(paging, total) };
  });
}

const common = { method: 'get', tag: 'Quality', auth: 'none', limit: limits.quality } as const;

/** (+) The public endpoints about the quality of dumps: files, rejected rows and refusals, by the day of the dump. */
export const qualityEndpoints = [
  endpoint(
    {
      ...common,
      path: '/quality',
      summary: 'List the days of delivered dumps',
      query: z.strictObject({ ...pagingFields, country: countriesField }),
      answer: z.strictObject({ data: z.array(nightSummary), meta: pageMeta }),
    },
    async ({ query: { country, ...paging }, options: { readers } }) =>
      readNights(readers, paging, await chooseCountries(readers.db, country)),
  ),
  endpoint(
    {
      ...common,
      path: '/quality/{date}',
      summary: 'Read the findings of the night in the dumps of a day',
      params: z.strictObject({ date: dateField }),
      query: z.strictObject({ country: countriesField }),
      answer: z.strictObject({
        meta: z.strictObject({ date: z.iso.date() }),
        data: z.array(nightOfRegistry),
      }),
    },
    async ({ params: { date }, query, options }) => {
      const { db } = options.readers;
      const data = await readNight(db, date, await chooseCountries(db, query.country));
      if (data.length === 0) {
        const message = `No dump was delivered for ${date}.`;
        throw new HttpError(404, { message, code: 'NO_SNAPSHOT' });
      }
      return { meta: { date }, data };
    },
  ),
];
