import { identifierTypes } from './identifier.ts';

const columns = { NIP: 'nip', REGON9: 'regon9', KRS: 'krs' } as const;

type Numbered = Record<(typeof columns)[keyof typeof columns], string | null>;

/** The numbers of some entries of a company, each once, by type and then in the order of the entries. */
export function identifiersOf(entries: readonly Numbered[]) {
  return identifierTypes.flatMap((type) => {
    const values = new Set(entries.map((entry) => entry[columns[type]]));
    values.delete(null);
    return [...values].map((value) => ({ type, value: value! }));
  });
}
