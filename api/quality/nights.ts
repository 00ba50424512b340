import { sql } from 'kysely';
import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

/** Files of a dump, and refused attempts, that an answer lists; the totals count all. */
const mostListed = 200;

const count = z.int().nonnegative();

/** What a guard found; the figures are those of its sentence in `registry show`. */
const guard = z
  .strictObject({
    guard: z.string(),
    file: z.string().nullable(),
    field: z.string().nullable(),
    value: z.number(),
    limit: z.number(),
  })
  .meta({ id: 'Guard', description: 'A check that a dump did not pass.' });

const published = z
  .strictObject({
    published_at: z.iso.datetime({ offset: true }),
    days_late: z.int(),
    is_baseline: z.boolean(),
    read: count,
    accepted: count,
    rejected: count,
    entries: count,
    files_total: count,
    files: z.array(
      z.strictObject({
        file: z.string(),
        bytes: count,
        sha256: z.string(),
        read: count,
        accepted: count,
        rejected: count,
      }),
    ),
    rejected_by_reason: z.array(z.strictObject({ reason: z.string(), rows: count })).nullable(),
    accepted_refusal: z
      .strictObject({ reason: z.string().nullable(), guards: z.array(guard) })
      .nullable(),
    fields: z.array(
      z.strictObject({
        field: z.string(),
        filled: count,
        share: z.number().nullable(),
        change: z.number().nullable(),
      }),
    ),
    compared_entries: count.nullable(),
    contradictions: z.array(
      z.strictObject({
        source: z.string(),
        field: z.string(),
        compared: count,
        contradicted: count,
      }),
    ),
    corroborations: z.array(
      z.strictObject({ source: z.string(), subject: z.string(), events: count }),
    ),
  })
  .meta({ id: 'PublishedDump', description: 'A dump that was published, in figures.' });

export const nightOfRegistry = z
  .strictObject({
    source: z.string(),
    published: published.nullable(),
    refusals_total: count,
    refusals: z.array(
      z.strictObject({
        refused_at: z.iso.datetime({ offset: true }),
        guards: z.array(guard),
      }),
    ),
  })
  .meta({ id: 'NightOfRegistry', description: 'What became of the dump of a registry.' });

/** What became of the dumps of a day, by registry; none where none was delivered. */
export function readNight(db: Db, date: string) {
  const file = 'api/read_quality.sql';
  return runPrepared<z.output<typeof nightOfRegistry>>(db, file, [date, mostListed]);
}

export const nightSummary = z
  .strictObject({
    date: z.iso.date(),
    registries: z.array(
      z.strictObject({
        source: z.string(),
        is_published: z.boolean(),
        read: count.nullable(),
        rejected: count.nullable(),
        days_late: z.int().nullable(),
        refusals: count,
        has_accepted_refusal: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'NightSummary', description: 'A day that a dump was delivered for.' });

/** A page of the days that dumps were delivered for, the newest first, and how many there are. */
export async function readNights(db: Db, paging: Paging) {
  const { rows: nights } = await sql<z.output<typeof nightSummary>>`
    select
        night.dump_date as date,
        json_agg(
            json_build_object(
                'source', night.source,
                'is_published', night.is_published,
                'read', night.read_count,
                'rejected', night.rejected_count,
                'days_late', night.late_days,
                'refusals', night.refusal_count,
                'has_accepted_refusal', night.has_accepted_refusal
            )
            order by night.source
        ) as registries
    from (
        select
            dump_date,
            source,
            bool_or(state = 'published') as is_published,
            max(read_count) filter (where state = 'published') as read_count,
            max(rejected_count) filter (where state = 'published') as rejected_count,
            max((finished_at at time zone 'Europe/Warsaw')::date - dump_date)
                filter (where state = 'published') as late_days,
            count(*) filter (where state = 'refused') as refusal_count,
            bool_or(state = 'published' and coalesce(jsonb_array_length(refusals), 0) > 0)
                as has_accepted_refusal
        from registry.run
        where
            state in ('published', 'refused')
            and dump_date = any(
                array(
                    select distinct dump_date
                    from registry.run
                    where state in ('published', 'refused')
                    order by dump_date desc
                    limit ${paging.per_page}
                    offset ${skippedBy(paging)}
                )
            )
        group by dump_date, source
    ) as night
    group by night.dump_date
    order by night.dump_date desc
  `.execute(db);
  const { rows } = await sql<{ total: number }>`
    select count(distinct dump_date)::int as total
    from registry.run
    where state in ('published', 'refused')
  `.execute(db);
  return { nights, total: rows[0]!.total };
}
