import { isPossibleDay } from '../../calendar.ts';
import { type OddValue, UnusableAnswer } from '../answer.ts';
import { findCountry } from '../../../sql/country/pl/find-country.ts';
import { shorten } from '../rejects.ts';
import { tidy } from '../tidy.ts';
import type { Folded, ObjectShape, Shape } from './shape.ts';

/** An object in a list of an extract of KRS. */
type Item = Readonly<Record<string, Folded>>;

export interface Folding {
  /** The number of the register entry that struck the company off; the values that it removed are still read. */
  last_entry?: string | undefined;
  /** The day of each register entry in a full extract, YYYY-MM-DD, by the number of the register entry. */
  entry_days?: ReadonlyMap<number, string>;
  odd: OddValue[];
}

/** A value in an extract, with the number of the register entry that added the value; 0 if the number is unknown. */
interface Version {
  value: unknown;
  entry: number;
}

/**
 * Returns the current value of a key in an extract. A full extract states a value as a list of versions `{<key>,
 * nrWpisuWprow, nrWpisuWykr}`, and the versions of an item of a list as `pozycja`. `nrWpisuWprow` and `nrWpisuWykr` are
 * the numbers of the register entries that added and removed a version. Returns undefined for a blank value, and for an
 * object or list without content. Throws an `UnusableAnswer` if the value has another shape than in `shape.csv`.
 */
export function fold(
  shape: Shape,
  found: unknown,
  path: string,
  folding: Folding,
): Folded | undefined {
  // Keys of kind `ignored` are not read; `foldObject` adds the keys of kind `entry_day` and `former_names`.
  if (['ignored', 'entry_day', 'former_names'].includes(shape.kind)) return undefined;
  const key = path.slice(path.lastIndexOf('.') + 1);
  const versions = standing(found, key, folding).flatMap(({ value, entry }) => {
    const folded =
      'members' in shape
        ? foldObject(shape, value, { path, entry }, folding)
        : shape.kind === 'number'
          ? readNumber(value)
          : readText(value, path);
    return folded === undefined ? [] : [{ folded, entry }];
  });
  if (versions.length === 0) return undefined;
  if (shape.kind === 'list' || shape.kind === 'history')
    return versions.map(({ folded }) => folded);
  const hasOrder = versions.length === 1 || versions.some(({ entry }) => entry !== 0);
  if (shape.kind === 'group' && !hasOrder) {
    throw new UnusableAnswer(`${path} is there ${versions.length} times`);
  }
  const newest = versions.toSorted((a, b) => a.entry - b.entry).at(-1)!.folded;
  return 'members' in shape ? newest : readLeaf(shape.kind, newest as string, path, folding);
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
    // A version of the key `nazwa` holds its value in the property `nazwa`, unless the value is an object.
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
  { members, spellings }: ObjectShape,
  value: unknown,
  { path, entry }: { path: string; entry: number },
  folding: Folding,
): Folded | undefined {
  if (value === null) return undefined;
  if (!isRecord(value)) throw new UnusableAnswer(`${path} is no object`);
  const keys = Map.groupBy(Object.keys(value), (key) =>
    Object.hasOwn(members, key) ? key : spellings.find(([pattern]) => pattern.test(key))?.[1],
  );
  // Members are sorted as in `shape.csv`, so that extracts with equal content have equal JSON.
  const found = Object.entries(members).flatMap(([name, shape]): [string, Folded][] => {
    const values = (keys.get(name) ?? []).flatMap(
      (key) => fold(shape, value[key], `${path}.${key}`, folding) ?? [],
    );
    const [first] = values;
    if (first === undefined) return [];
    if (!('members' in shape) || shape.kind === 'group') return [[name, first]];
    return [[name, shape.kind === 'list' ? values : joinHistory(shape, values as Item[])]];
  });
  for (const key of keys.get(undefined) ?? []) {
    folding.odd.push({ subject: 'field', value: shorten(`${path}.${key}`, 200) });
  }
  if (found.length === 0) return undefined;
  const folded = Object.fromEntries(found);
  const entry_day = folding.entry_days?.get(entry || firstEntry(value));
  if ('entry_day' in members && entry_day) return { ...folded, entry_day };
  const former_names = 'former_names' in members ? listFormerNames(value.nazwa, path) : [];
  return former_names.length > 0 ? { ...folded, former_names } : folded;
}

/**
 * Joins each opening in a `history`, such as a list of proceedings, with its end. KRS writes the end of a proceeding,
 * or a person appointed in it, in the item of the opening or in an item of its own. An item without an opening is
 * joined to the last preceding item with an opening. An end is joined only to an opening without an end, whose day is
 * not after the day of the end. If no preceding item fits, an item is joined to the first following item that fits. In
 * the result, items that fit no opening come first.
 */
function joinHistory({ members }: ObjectShape, items: readonly Item[]): readonly Item[] {
  const keys = Object.keys(members);
  const [opening, end] = keys as [string, string];
  const joined = items.map((item) => (opening in item ? item : undefined));
  const left = items.filter((item, place) => {
    if (opening in item) return false;
    const isOpen = (other: Item | undefined) =>
      other !== undefined &&
      !(end in item && end in other) &&
      !(dayOf(other[opening]) > (dayOf(item[end]) || '9999'));
    const before = joined.findLastIndex((other, at) => at < place && isOpen(other));
    const at = before >= 0 ? before : joined.findIndex(isOpen);
    if (at >= 0) joined[at] = join(keys, joined[at]!, item);
    return at < 0;
  });
  return [...left, ...joined.filter((item) => item !== undefined)];
}

/** Returns the members of both items as one item, in the order of `shape.csv`. */
function join(keys: readonly string[], item: Item, other: Item): Item {
  const members = keys.flatMap((key): [string, Folded][] => {
    const values = [item[key], other[key]].filter((value) => value !== undefined);
    const [first] = values;
    if (first === undefined) return [];
    return [[key, Array.isArray(first) ? values.flat() : first]];
  });
  return Object.fromEntries(members);
}

/** Returns the day of an item's opening or end, YYYY-MM-DD; '' if the day is unknown. */
function dayOf(value: Folded | undefined): string {
  if (typeof value === 'string') return isPossibleDay(value) ? value : '';
  if (value === undefined || Array.isArray(value)) return '';
  const { data, entry_day } = value as Record<string, Folded>;
  return dayOf(data) || dayOf(entry_day);
}

/** Returns the former names in a full extract (map.sql: `other_names`), the newest first; else an empty list. */
function listFormerNames(found: unknown, path: string): string[] {
  const versions = (Array.isArray(found) ? found : []).filter(isRecord);
  return versions
    .filter(({ nrWpisuWykr }) => isEntry(nrWpisuWykr))
    .toSorted((a, b) => Number(b.nrWpisuWykr) - Number(a.nrWpisuWykr))
    .flatMap(({ nazwa }) => readText(nazwa ?? null, path) ?? []);
}

/** Returns the number of the first register entry that added a member of an object; 0 if the number is unknown. */
function firstEntry(value: Record<string, unknown>): number {
  const numbers = Object.values(value)
    .flat()
    .map((version) => (isRecord(version) ? Number(version.nrWpisuWprow) : 0))
    .filter((number) => number > 0);
  return numbers.length === 0 ? 0 : Math.min(...numbers);
}

function readText(value: unknown, path: string): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return tidy(value) || undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UnusableAnswer(`${path} is no text`);
}

/** Returns a KRS number of 10 digits, or the first 9 digits of a REGON; undefined if the value is neither number. */
function readNumber(value: unknown): string | undefined {
  const values = isRecord(value) ? Object.values(value) : [value];
  return values
    .map((text) => /^(\d{10}$|\d{9}(?=\d{5}$|$))/.exec(String(text))?.[0])
    .find((number) => number !== undefined && /[1-9]/.test(number));
}

function readLeaf(kind: string, text: string, path: string, folding: Folding): string | undefined {
  if (kind === 'text' || kind === 'number') return text;
  if (kind === 'holding') return readHolding(text);
  if (kind === 'day') {
    const day = readDay(text);
    if (!day) folding.odd.push({ subject: 'day', value: shorten(`${path}: ${text}`, 200) });
    // An unreadable day is returned unchanged, and map.sql then keeps the known day.
    return day ?? text;
  }
  if (kind === 'country') {
    const code = findCountry(text);
    if (code === undefined) folding.odd.push({ subject: 'country', value: shorten(text, 200) });
    return code;
  }
  const [, day, month, year] = /(?<!\d)(\d{2})\.(\d{2})\.(\d{4})(?!\d)/.exec(text) ?? [];
  return year && `${year}-${month}-${day}`;
}

/** Returns a day such as 31.12.2026, `z dnia 1.9.2026 r.` or 2026-12-31 as YYYY-MM-DD; undefined if unreadable. */
function readDay(text: string): string | undefined {
  if (isPossibleDay(text)) return text;
  const written = /^(?:z )?(?:dnia )?(\d{1,2})\.(\d{1,2})\.(\d{4})(?: ?r\.?| ?roku)?$/i.exec(text);
  const [, day = '', month = '', year] = written ?? [];
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isPossibleDay(found) ? found : undefined;
}

/** The number of characters at the beginning of a text in which the count and the value of shares are searched for. */
const TEXT_LENGTH = 1000;

/** The pattern of figures such as 50, 5.000,00 and 4 500. No match has eleven digits in a row, as a PESEL has. */
const figure = String.raw`(?<![\d.,/])(?:\d{1,3}(?:[ .]\d{3}){1,4}|\d{1,10})(?:,\d{1,4})?(?![\d/])`;
const count = new RegExp(
  String.raw`(\d{1,6}/\d{1,6}|${figure})\s+(?:\([^)]*\)\s*)?(?:\p{L}+\s+)?(UDZIA[ŁL]\p{L}{0,4})(?!\p{L})`,
  'iu',
);
const countAfter = new RegExp(String.raw`UDZIA[ŁL]\p{L}{0,4}\s*[:–-]?\s*(${figure})`, 'iu');
const sum = new RegExp(
  String.raw`${figure}(?:\s*(?:ZŁ(?:OTYCH|OTE|OTY)?|PLN|EUR|USD)(?!\p{L}))?`,
  'giu',
);

/**
 * Returns the count and the value of shares from a text, such as `50 UDZIAŁÓW O ŁĄCZNEJ WARTOŚCI 2.500,00 ZŁ`;
 * undefined if neither is stated. The rest of the text is not stored, because it may name other persons.
 */
function readHolding(text: string): string | undefined {
  const told = text.slice(0, TEXT_LENGTH);
  const [, shares = countAfter.exec(told)?.[1], word = 'UDZIAŁÓW'] = count.exec(told) ?? [];
  const sums = [...told.matchAll(sum)].flatMap(({ 0: written, index }) => {
    const before = told.slice(0, index);
    const isTotal = /ŁĄCZN\P{Nd}*$/iu.test(before);
    const isSum = /\p{L}$/u.test(written) || /(?:WARTOŚ|WYSOKOŚ)CI\P{Nd}*$/iu.test(before);
    return isSum ? [{ written, isTotal }] : [];
  });
  const value = sums.find(({ isTotal }) => isTotal) ?? sums[0];
  const parts = [
    shares && `${shares} ${word}`,
    value && `O ${value.isTotal ? 'ŁĄCZNEJ ' : ''}WARTOŚCI ${value.written}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
