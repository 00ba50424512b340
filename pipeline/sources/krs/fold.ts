import { findCountry } from './country.ts';
import type { Shape } from './shape.ts';

/** An extract that cannot be used; the message is the reason of its reject. */
export class UnusableExtract extends Error {
  override name = 'UnusableExtract';
}

/** A value that the product does not know, such as a key that no table of `shape.ts` names. */
export interface OddValue {
  subject: string;
  value: string;
}

/** What stands in the register now: text, objects by the keys of `shape.ts`, lists of those. */
export type Folded = string | readonly Folded[] | { readonly [key: string]: Folded };

export interface Folding {
  /** The entry that struck the company off: what it removed stands to the last. */
  last_entry?: string | undefined;
  odd: OddValue[];
}

/** A value of a key, and the number of the entry that brought it in; 0 where none is told. */
interface Version {
  value: unknown;
  entry: number;
}

/**
 * What stands in the register of a key now. A full extract gives every leaf as a list of versions
 * `{<key>, nrWpisuWprow, nrWpisuWykr}`, items of lists behind `pozycja`; what has a `nrWpisuWykr`
 * was removed by that entry. Blank values, objects and lists without anything in them, which the
 * register gives too, mean nothing: undefined.
 * Throws an `UnusableExtract` where a known key holds something of another shape, since to read it
 * as nothing would mean that it was removed.
 */
export function fold(
  shape: Shape,
  found: unknown,
  path: string,
  folding: Folding,
): Folded | undefined {
  if (shape.kind === 'ignored') return undefined;
  const key = path.slice(path.lastIndexOf('.') + 1);
  const versions = standing(found, key, folding);
  if (!('members' in shape)) {
    const texts = versions.map(({ value, entry }) => ({ value: readText(value, path), entry }));
    const text = newest(texts);
    return text === undefined ? undefined : readLeaf(shape.kind, text, folding);
  }
  const groups = versions.map(({ value, entry }) => ({
    value: foldMembers(shape.members, value, path, folding),
    entry,
  }));
  if (shape.kind === 'group') return newest(groups, path);
  const items = groups.map(({ value }) => value).filter((value) => value !== undefined);
  return items.length === 0 ? undefined : items;
}

function standing(found: unknown, key: string, folding: Folding): Version[] {
  const items: unknown[] = Array.isArray(found) ? found : [found];
  return items.flatMap((item) => {
    if (item === null || item === undefined) return [];
    if (!isRecord(item)) return [{ value: item, entry: 0 }];
    const { pozycja, nrWpisuWprow, nrWpisuWykr, ...rest } = item;
    if (pozycja !== undefined) return standing(pozycja, key, folding);
    const isRemoved = isEntry(nrWpisuWykr) && String(nrWpisuWykr) !== folding.last_entry;
    if (isRemoved) return [];
    // A leaf, and here and there an object, stands below its own name.
    const isNamed = isEntry(nrWpisuWprow) && Object.keys(rest).length === 1 && key in rest;
    return [{ value: isNamed ? rest[key] : rest, entry: Number(nrWpisuWprow ?? 0) || 0 }];
  });
}

function isEntry(number: unknown): boolean {
  return number !== undefined && number !== null && number !== '';
}

function foldMembers(
  members: Readonly<Record<string, Shape>>,
  value: unknown,
  path: string,
  folding: Folding,
): Folded | undefined {
  if (value === null) return undefined;
  if (!isRecord(value)) throw new UnusableExtract(`${path} is no object`);
  const folded: Record<string, Folded> = {};
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new UnusableExtract(`${path} has a key '__proto__'`);
    if (!Object.hasOwn(members, key)) {
      folding.odd.push({ subject: 'field', value: `${path}.${key}`.slice(0, 200) });
    }
  }
  // In the order of the table: two extracts that say the same are equal.
  for (const [key, shape] of Object.entries(members)) {
    if (!Object.hasOwn(value, key)) continue;
    const member = fold(shape, value[key], `${path}.${key}`, folding);
    if (member !== undefined) folded[key] = member;
  }
  return Object.keys(folded).length === 0 ? undefined : folded;
}

/** The version that came last; without a path, of several at once the last one. */
function newest<Value>(
  versions: readonly { value: Value | undefined; entry: number }[],
  path?: string,
): Value | undefined {
  const filled = versions.filter(({ value }) => value !== undefined);
  if (path !== undefined && filled.length > 1 && filled.every(({ entry }) => entry === 0)) {
    throw new UnusableExtract(`${path} is there ${filled.length} times`);
  }
  return filled.toSorted((a, b) => a.entry - b.entry).at(-1)?.value;
}

function readText(value: unknown, path: string): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return squeeze(value) || undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UnusableExtract(`${path} is no text`);
}

function readLeaf(kind: Shape['kind'], text: string, folding: Folding): string | undefined {
  // What is no day stays as it is: the night says so.
  if (kind === 'day') return text.replace(/^(\d{2})\.(\d{2})\.(\d{4})$/, '$3-$2-$1');
  if (kind === 'country') return readCountry(text, folding);
  if (kind === 'text') return text;
  const [, day, month, year] = /(?<!\d)(\d{2})\.(\d{2})\.(\d{4})(?!\d)/.exec(text) ?? [];
  return year && `${year}-${month}-${day}`;
}

function readCountry(name: string, folding: Folding): string | undefined {
  const code = findCountry(name);
  if (code === undefined) folding.odd.push({ subject: 'country', value: name.slice(0, 200) });
  return code;
}

const whiteSpace = new RegExp(String.raw`[\s\u001c-\u001f\u0085\u200b]+`, 'g');

/** Trims, and makes one blank of every white space, as `registry.squeeze` does. */
function squeeze(text: string): string {
  return text.replace(whiteSpace, ' ').trim();
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
