import { sql, type Kysely, type Selectable } from 'kysely';
import type { EntryTable } from '../../sql/tables/registry.ts';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Identifier, IdentifierType } from './identifier.ts';

const entryColumns = [
  'source',
  'country_code',
  'nip',
  'regon9',
  'krs',
  'entity_type',
  'legal_form',
  'name',
  'surname',
  'first_name',
  'phone',
  'email',
  'fax',
  'website',
  'postal_code',
  'city',
  'street',
  'building',
  'apartment',
  'voivodeship',
  'address_country_code',
  'activity_version',
  'activity_main',
  'activity_codes',
  'start_date',
  'end_date',
  'suspension_date',
  'resumption_date',
  'struck_off_date',
  'gone_date',
  'bankruptcy_start_date',
  'bankruptcy_end_date',
  'status',
  'units',
  'persons',
  'other_dates',
] as const satisfies (keyof EntryTable)[];

/** What one registry says of a company. */
export type SnapshotEntry = Pick<Selectable<EntryTable>, (typeof entryColumns)[number]>;

const columns = sql.raw(entryColumns.map((column) => `entry.${column}`).join(', '));

const numberColumns = {
  NIP: sql.ref('entry.nip'),
  REGON9: sql.ref('entry.regon9'),
  KRS: sql.ref('entry.krs'),
};

// Only of the types that are asked for: to plan for all of them would take longer than to read.
function findIn(types: Iterable<IdentifierType>) {
  const finds = [...types].map((type) => {
    return sql`
      select entry.company_id
      from registry.entry as entry
      where asked.type = ${sql.lit(type)} and ${numberColumns[type]} = asked.value
    `;
  });
  return sql.join(finds, sql` union all `);
}

/**
 * Reads the registry entries of the companies that have these numbers, in one statement: the entry
 * that the search shows comes first. Where several companies have a number it is the oldest.
 *
 * @returns undefined for a number that no company has
 */
export async function readEntries(
  db: Kysely<Tables>,
  identifiers: Identifier[],
): Promise<(SnapshotEntry[] | undefined)[]> {
  const types = identifiers.map(({ identifier_type }) => identifier_type);
  const values = identifiers.map(({ identifier_value }) => identifier_value);
  const { rows } = await sql<{ place: string; entries: SnapshotEntry[] }>`${prepared}
    with asked as materialized (
        select *
        from unnest(${types}::text[], ${values}::text[])
            with ordinality as asked (type, value, place)
    )
    select asked.place, found.entries
    from asked
    cross join lateral (
        select min(known.company_id) as company_id from (${findIn(new Set(types))}) as known
    ) as company
    cross join lateral (
        select json_agg(shown) as entries
        from (
            select ${columns}
            from registry.entry as entry
            where entry.company_id = company.company_id
            order by
                case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as shown
    ) as found
    where found.entries is not null
  `.execute(db);
  const byPlace = new Map(rows.map(({ place, entries }) => [Number(place), entries]));
  return identifiers.map((_, at) => byPlace.get(at + 1));
}
