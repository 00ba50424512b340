import type { SnapshotWords } from './snapshot-dictionary.ts';
import type { Person, SnapshotEntry } from './snapshot-entry.ts';

/** Returns the first name and surname of the natural person who owns an entry; '' for a legal person's entry. */
export function fullNameOf({ first_name, surname }: SnapshotEntry): string {
  return [first_name, surname].filter((part) => part !== null).join(' ');
}

/** Returns each person of a company once: the owners of entries, and persons with roles by map.sql of the source. */
export function viewPersons(entries: SnapshotEntry[], { words, lang }: SnapshotWords) {
  const persons = entries.flatMap((entry) => {
    const ownerRole = words.find(entry.country_code, 'owner', lang) ?? 'owner';
    const owner: Person = { full_name: fullNameOf(entry), role: ownerRole };
    const others = entry.persons ?? [];
    return owner.full_name === '' ? others : [owner, ...others];
  });
  const byContent = new Map(
    persons.map(({ full_name, role, holding, number }) => [
      [full_name, role, holding, number].join('\n'),
      { full_name, role, ...(holding && { holding }) },
    ]),
  );
  return [...byContent.values()];
}
