import { readTable } from '../table.ts';

/**
 * What a key of an extract holds. `text`: a value. `day`: a day such as 31.12.2026, read as YYYY-MM-DD.
 * `first_day`: the first day in a text. `country`: the Polish name of a country, read as its ISO 3166-1
 * code. `number`: a KRS or REGON number, plain or in an object. `ignored`: known, and not shown.
 * `entry_day`: the day of the entry that brought the object in.
 */
const leaves = ['text', 'day', 'first_day', 'country', 'number', 'ignored', 'entry_day'] as const;

export interface LeafShape {
  kind: (typeof leaves)[number];
}

/** `group`: one object. `list`: any number of objects. */
export interface ObjectShape {
  kind: 'group' | 'list';
  members: Readonly<Record<string, Shape>>;
  /** Patterns of keys that mean a member, since some names drift with the law. */
  spellings: readonly (readonly [RegExp, string])[];
}

export type Shape = LeafShape | ObjectShape;

/**
 * The keys of an extract, of OdpisAktualny and OdpisPelny alike. Any other key is reported as unknown. A
 * kind is the name of an object of this table, with `[]` of a list of them, or one of `leaves`.
 */
const keys = readTable<'object' | 'key' | 'kind' | 'spelling'>(
  new URL('shape.csv', import.meta.url),
);
const objects = Map.groupBy(keys, ({ object }) => object);

/** Below `odpis.dane`. */
export const contentShape = shapeOf('content');

/** `odpis.naglowekA` or `odpis.naglowekP`. */
export const headerShape = shapeOf('header');

function shapeOf(kind: string): Shape {
  const leaf = leaves.find((name) => name === kind);
  if (leaf) return { kind: leaf };
  const members = objects.get(kind.replace('[]', ''))!;
  return {
    kind: kind.endsWith('[]') ? 'list' : 'group',
    members: Object.fromEntries(members.map((member) => [member.key, shapeOf(member.kind)])),
    spellings: members.flatMap(({ spelling, key }) =>
      spelling === '' ? [] : [[new RegExp(spelling), key]],
    ),
  };
}
