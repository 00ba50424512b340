import type { Kysely, Selectable } from 'kysely';
import type { EntryTable } from '../../sql/tables/registry.ts';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Identifier } from './identifier.ts';

/** What one registry says of a company, from JSON, which cannot hold the large numbers of an entry. */
export type SnapshotEntry = Omit<
  Selectable<EntryTable>,
  'company_id' | 'entry_id' | 'fingerprint' | 'content_hash'
>;

/**
 * Reads the registry entries of the companies that these numbers name, in one statement: the entry
 * that the search shows comes first.
 *
 * @returns undefined for a number that names no company
 */
export async function readEntries(
  db: Kysely<Tables>,
  identifiers: Identifier[],
): Promise<(SnapshotEntry[] | undefined)[]> {
  const rows = await runPrepared<{ place: string; entries: SnapshotEntry[] }>(
    db,
    'api/read_snapshot.sql',
    [
      identifiers.map(({ identifier_type }) => identifier_type),
      identifiers.map(({ identifier_value }) => identifier_value),
    ],
  );
  const byPlace = new Map(rows.map(({ place, entries }) => [Number(place), entries]));
  return identifiers.map((_, at) => byPlace.get(at + 1));
}
