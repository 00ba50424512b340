import { findCountry } from './country.ts';
import type { ObjectShape, Shape } from './shape.ts';

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
  /** The days of the entries of a full extract, YYYY-MM-DD, by their numbers. */
  entry_days?: ReadonlyMap<number, string>;
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
    value: foldObject(shape, value, { path, entry }, folding),
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
    // A leaf, and here and there an object or a list, stands below its own name.
    const isNamed = isEntry(nrWpisuWprow) && Object.keys(rest).length === 1 && key in rest;
    const value = isNamed ? rest[key] : rest;
    const entry = Number(nrWpisuWprow ?? 0) || 0;
    if (!Array.isArray(value)) return [{ value, entry }];
    return standing(value, key, folding).map((one) => ({ ...one, entry: one.entry || entry }));
  });
}

function isEntry(number: unknown): boolean {
  return number !== undefined && number !== null && number !== '';
}

function foldObject(
  shape: ObjectShape,
  value: unknown,
  { path, entry }: { path: string; entry: number },
  folding: Folding,
): Folded | undefined {
  if (value === null) return undefined;
  if (!isRecord(value)) throw new UnusableExtract(`${path} is no object`);
  const found = foldMembers(shape, value, path, folding);
  // In the order of the table: two extracts that say the same are equal.
  const members = Object.keys(shape.members).filter((name) => found.has(name));
  if (members.length === 0) return undefined;
  const folded = Object.fromEntries(members.map((name) => [name, found.get(name)!]));
  const entry_day = folding.entry_days?.get(entry || firstEntry(value));
  return shape.is_dated === true && entry_day !== undefined ? { ...folded, entry_day } : folded;
}

function foldMembers(
  { members, spellings = [] }: ObjectShape,
  value: Record<string, unknown>,
  path: string,
  folding: Folding,
): Map<string, Folded> {
  const found = new Map<string, Folded>();
  for (const [key, name] of nameMembers({ members, spellings }, value, path, folding)) {
    const member = fold(members[name]!, value[key], `${path}.${key}`, folding);
    const other = found.get(name);
    if (Array.isArray(member) && Array.isArray(other)) found.set(name, [...other, ...member]);
    else if (member !== undefined) found.set(name, other ?? member);
  }
  return found;
}

/** The keys of an object that are known, each with the member that it means. */
function nameMembers(
  { members, spellings }: { members: object; spellings: NonNullable<ObjectShape['spellings']> },
  value: Record<string, unknown>,
  path: string,
  { odd }: Folding,
): [string, string][] {
  return Object.keys(value).flatMap((key): [string, string][] => {
    if (key === '__proto__') throw new UnusableExtract(`${path} has a key '__proto__'`);
    if (Object.hasOwn(members, key)) return [[key, key]];
    const spelled = spellings.find(([pattern]) => pattern.test(key));
    if (spelled) return [[key, spelled[1]]];
    odd.push({ subject: 'field', value: `${path}.${key}`.slice(0, 200) });
    return [];
  });
}

/** The number of the first entry that brought in anything of what stands in an object; 0: unknown. */
function firstEntry(value: Record<string, unknown>): number {
  const numbers = Object.values(value)
    .flat()
    .map((version) => (isRecord(version) ? Number(version.nrWpisuWprow) : 0))
    .filter((number) => number > 0);
  return numbers.length === 0 ? 0 : Math.min(...numbers);
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
