import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { readWords } from '../dictionaries/words.ts';

/** Reads the names of codes, with keys of version and code (`2025 4711Z`) or of country and code (`PL 14`). */
export async function readSnapshotDictionary(db: Db) {
  type Name = { kind: string; key: string; name: string; name_en: string | null };
  const names = await runPrepared<Name>(db, 'api/code_names.sql', []);
  const ofKind = (kind: string) =>
    new Map(names.filter((one) => one.kind === kind).map((one) => [one.key, one]));
  return {
    words: await readWords(db),
    activities: ofKind('activity'),
    legalForms: ofKind('legal form'),
    regions: ofKind('region'),
    attributeTypes: await db
      .selectFrom('registry.attribute_type')
      .selectAll()
      .orderBy('rank')
      .execute(),
    attributeValues: ofKind('attribute'),
  };
}

/** The names of the codes in a company's snapshot, and the language of labels (undefined: the registry's language). */
export type SnapshotWords = Awaited<ReturnType<typeof readSnapshotDictionary>> & {
  lang: string | undefined;
};
