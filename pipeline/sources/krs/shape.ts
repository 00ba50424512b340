import { readTable } from '../table.ts';

/**
 * A key of an extract that has a single value. The kind `text` is any text. The kind `day` is a day such as 31.12.2026,
 * stored as YYYY-MM-DD. The kind `first_day` is the first day in a text. The kind `country` is a Polish name of a
 * country, stored as its ISO 3166-1 code. The kind `number` is a KRS or REGON number, plain or in an object. The kind
 * `holding` is the count and the value of shares in a text. The kind `ignored` is a known value that the product does
 * not show. The kind `entry_day` is the day of the register entry that added the object. The kind `former_names` is a
 * list of former names.
 */
interface LeafShape {
  kind: string;
}

/**
 * A key of an extract that holds objects. A `group` is a single object. A `list` is a list of objects. A `history` is a
 * list of objects that begin and end, such as suspensions: the first member is the opening, the second the end.
 */
export interface ObjectShape {
  kind: 'group' | 'list' | 'history';
  members: Readonly<Record<string, Shape>>;
  /** Pairs of a pattern and a member: a key that matches the pattern, such as a renamed one, is read as the member. */
  spellings: readonly (readonly [RegExp, string])[];
}

export type Shape = LeafShape | ObjectShape;

/** The current content of an extract: a text, a list, or an object with the keys of `shape.csv`. */
export type Folded = string | readonly Folded[] | { readonly [key: string]: Folded };

/**
 * The keys of an extract, both OdpisAktualny and OdpisPelny; any other key is noted as unknown. A `kind` is a kind of
 * values or the name of an object in this table. A kind ending in `[]` is a list of objects, in `[..]` a history.
 */
const keys = readTable<'object' | 'key' | 'kind' | 'spelling'>(
  new URL('shape.csv', import.meta.url),
);
const objects = Map.groupBy(keys, ({ object }) => object);

/** The shape of the content of an extract, `odpis.dane`. */
export const contentShape = shapeOf('content');

/** The shape of the header of an extract, `odpis.naglowekA` or `odpis.naglowekP`. */
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
