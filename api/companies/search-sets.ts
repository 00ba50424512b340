import { copyBits, keepCommon, keepListed, nobody, blockBits, rangeOf } from './search-bits.ts';
import type { Bits, Range } from './search-bits.ts';
import { findStarted, isKnownDay } from './search-day.ts';
import type { SearchFilter } from './search-filter.ts';
import type { SearchSet } from './search-memory.ts';

/** The longest beginnings of activities that have bits. */
const longestBeginning = 3;

/** The sets whose intersection a filter asks for. */
export type SearchSets = ReadonlyMap<string, SearchSet>;

/** Whether sets know all that a filter asks for: no postal codes, nor days that count as other ones. */
export function isOfSets(filter: SearchFilter): boolean {
  const { postal_code, activity_start_from: from, activity_start_to: to } = filter;
  return (
    postal_code === undefined && [from, to].every((day) => day === undefined || isKnownDay(day))
  );
}

function beginningOf({ activity_code, activity_prefix }: SearchFilter): string | undefined {
  return activity_prefix && activity_code?.startsWith(activity_prefix)
    ? undefined
    : activity_prefix;
}

/** What many have in common, as `registry.search_bits` names it; without the time of the start. */
function termsOf(filter: SearchFilter): string[] {
  const { status, voivodeship, legal_form } = filter;
  const beginning = beginningOf(filter);
  const terms = [`status ${status}`];
  if (voivodeship !== undefined) terms.push(`voivodeship ${voivodeship}`);
  if (legal_form !== undefined) terms.push(`legal_form ${legal_form}`);
  if (beginning && beginning.length <= longestBeginning) terms.push(`activity ${beginning}`);
  return terms;
}

const listKinds = ['code', 'beginning', 'city', 'name'] as const;

/** What the sets are of that fewer companies have. */
export type ListKind = (typeof listKinds)[number];

/** What fewer have in common: its kind, a space, and what it is. */
function listsOf(filter: SearchFilter): string[] {
  const beginning = beginningOf(filter);
  const values: Record<ListKind, string | undefined> = {
    code: filter.activity_code,
    beginning: beginning && beginning.length > longestBeginning ? beginning : undefined,
    city: filter.city,
    name: filter.name,
  };
  return listKinds.flatMap((kind) => (values[kind] === undefined ? [] : `${kind} ${values[kind]}`));
}

/** The names of the sets that a filter asks for: those of bits, and those of numbers. */
export function namesOfSets(filter: SearchFilter): { terms: string[]; lists: string[] } {
  const terms = new Set(termsOf(filter));
  const collect = (term: string) => (terms.add(term), nobody);
  findStarted(filter, collect, { first: 0, end: 0 });
  return { terms: [...terms], lists: listsOf(filter) };
}

/** Whether a number is in an ascending list. */
function includes(numbers: Int32Array, number: number): boolean {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < number) from = middle + 1;
    else to = middle;
  }
  return numbers[from] === number;
}

function narrowTo(numbers: Int32Array, { first, end }: Range): Range {
  if (numbers.length === 0) return { first: 0, end: 0 };
  return {
    first: Math.max(first, numbers[0]! >> blockBits),
    end: Math.min(end, (numbers.at(-1)! >> blockBits) + 1),
  };
}

/**
 * Finds what matches a filter, in some blocks or in all.
 *
 * @param sets that the filter asks for; all are known
 * @returns bits where many have each of the things asked for, else numbers
 */
export function findInSets(filter: SearchFilter, sets: SearchSets, within?: Range) {
  const bitsOf = (term: string) => sets.get(term) as Bits;
  const known = listsOf(filter).map((name) => sets.get(name)!);
  const terms = termsOf(filter).map(bitsOf);
  terms.push(...known.filter((set) => 'words' in set));
  const [shortest, ...others] = known
    .filter((set) => set instanceof Int32Array)
    .toSorted((one, other) => one.length - other.length);
  const common = rangeOf(terms, within);
  const range = shortest ? narrowTo(shortest, common) : common;
  if (range.end <= range.first) return shortest ? new Int32Array() : nobody;
  const found = copyBits(terms[0]!, range);
  for (const term of terms.slice(1)) keepCommon(found, term);
  const started = findStarted(filter, bitsOf, range);
  if (started) keepCommon(found, started);
  if (!shortest) return found;
  return others.reduce(
    (numbers, list) => numbers.filter((number) => includes(list, number)),
    keepListed(shortest, found),
  );
}
