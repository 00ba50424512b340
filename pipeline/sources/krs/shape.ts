import { readTable } from '../table.ts';

/**
 * A key of an extract whose value is no object and no list of objects. A key of kind `text` holds any text. A key of
 * kind `day` holds a day such as 31.12.2026, stored as YYYY-MM-DD. Of a key of kind `first_day`, only the first day in
 * the text is stored. A key of kind `country` holds a country's Polish name, stored as ISO 3166-1 code. A key of kind
 * `number` holds a KRS or REGON number, as a text or in an object. Of a key of kind `holding`, only the count and the
 * value of shares are stored. A key of kind `ignored` is not read. A key of kind `entry_day` gets the day of the
 * register entry that added the object. A key of kind `former_names` gets a list of former names.
 */
interface LeafShape {
  kind: string;
}

/**
 * A key of an extract whose value is an object (kind `group`) or a list of objects. The kind `history` is a list of
 * objects such as suspensions, whose first member is the beginning, the second the end.
 */
export interface ObjectShape {
  kind: 'group' | 'list' | 'history';
  members: Readonly<Record<string, Shape>>;
  /** Pairs of a pattern and the name of a member: a key that matches the pattern is read as the member. */
  spellings: readonly (readonly [RegExp, string])[];
}

export type Shape = LeafShape | ObjectShape;

/** The current content of an extract or of a part of it: a text, a list, or an object with the keys of `shape.csv`. */
export type Folded = string | readonly Folded[] | { readonly [key: string]: Folded };

/**
 * The known keys of current and full extracts; a run notes any other key as unknown. The `kind` of a key is a kind of
 * `LeafShape`, or the name of an object in `shape.csv`. A kind such as `x[]` is a list of objects, `x[..]` a history.
 */
const keys = readTable<'object' | 'key' | 'kind' | 'spelling'>(
  new URL('shape.csv', import.meta.url),
);
const objects = Map.groupBy(keys, ({ object }) => object);

/** The shape of `odpis.dane`, the content of an extract. */
export const contentShape = shapeOf('content');

/** The shape of `odpis.naglowekA` and `odpis.naglowekP`, the headers of current and full extracts. */
export const headerShape = shapeOf('header');

function shapeOf(kind: string): Shape {
  const [name = '', many] = kind.split('[');
  const members = objects.get(name);
  if (!members) return { kind };
  return {
    kind: many === undefined ? 'group' : many === ']' ? 'list' : 'history',
    members: Object.fromEntries(members.map((member) => [member.key, shapeOf(member.kind)])),
    spellings: members.flatMap(({ spelling, key }) =>
      spelling === '' ? [] : [[new RegExp(spelling), key]],
    ),
  };
}
