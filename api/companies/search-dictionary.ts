import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';

/** What the search knows of the dictionaries: both maps by slug. */
export interface SearchDictionary {
  /** TERYT symbols. */
  voivodeships: ReadonlyMap<string, string>;
  /** Newest symbols. */
  legalForms: ReadonlyMap<string, string>;
}

async function readDictionary(db: Kysely<Tables>): Promise<SearchDictionary> {
  const voivodeships = await db
    .selectFrom('registry.voivodeship')
    .select(['slug', 'teryt'])
    .orderBy('slug')
    .execute();
  const legalForms = await db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol'])
    .orderBy('slug')
    .execute();
  return {
    voivodeships: new Map(voivodeships.map(({ slug, teryt }) => [slug, teryt])),
    legalForms: new Map(legalForms.map(({ slug, symbol }) => [slug, symbol])),
  };
}

/**
 * Keeps what is read once: dictionaries change with a migration, and no process outlives one. What
 * could not be read is read again by the next who asks.
 */
export function keep<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}

/** @returns gives the dictionary, which is read when it is first asked for */
export function createSearchDictionary(db: Kysely<Tables>): () => Promise<SearchDictionary> {
  return keep(() => readDictionary(db));
}
