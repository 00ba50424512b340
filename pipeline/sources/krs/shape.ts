import { readTable } from '../table.ts';

/**
 * A key with a value. The kinds are: `text`: a value. `day`: a day such as 31.12.2026, read as YYYY-MM-DD.
 * `first_day`: the first day in a text. `country`: the Polish name of a country, read as its ISO 3166-1 code.
 * `number`: a KRS or REGON number, plain or in an object. `holding`: the count and the value of shares in a
 * text. `ignored`: a known value that is not shown. `entry_day`: the day of the entry that brought the object
 * in. `former_names`: the earlier names of the object.
 */
interface LeafShape {
  kind: string;
}

/**
 * The shape of objects. `group`: one object. `list`: any number of objects. `history`: a list of objects that
 * begin and end, whose first member is the opening and whose second is the end.
 */
export interface ObjectShape {
  kind: 'group' | 'list' | 'history';
  members: Readonly<Record<string, Shape>>;
  /**
   * Pairs of a pattern and a member: a key that matches the pattern means the member. Some names drift with the law.
   */
  spellings: readonly (readonly [RegExp, string])[];
}

export type Shape = LeafShape | ObjectShape;

/** The current content of the register: text, objects by the keys of `shape.csv`, and lists of objects. */
export type Folded = string | readonly Folded[] | { readonly [key: string]: Folded };

/**
 * The keys of an extract, whether OdpisAktualny or OdpisPelny. Any other key is noted as unknown. A kind is a
 * kind of values, or the name of an object of this table, followed by `[]` for a list of objects and by `[..]`
 * for a history.
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
