import { addAll, copyBits, keepCommon, removeAll, type Bits, type Range } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';

/** The first and last year since which dates have bits. */
const [firstYear, lastYear] = [1950, 2155];

/** Binary digits of a day of the year, as `registry.search_day` numbers them: months from 4 to 15. */
const dayDigits = 9;
const lastDay = 2 ** dayDigits - 1;

/** Whether bits can tell the companies that began before a day from those that began on it. */
export function isKnownDay(date: string): boolean {
  const year = Number(date.slice(0, 4));
  return year > firstYear && year < lastYear;
}

/** A day, or one of the same year that is none, between it and the next one. */
interface Moment {
  year: number;
  day: number;
}

function numberOf(month: number, day: number): number {
  return ((month + 3) << 5) | day;
}

// Of what means the same, what has the most ones at its end: it takes the fewest digits to compare.
function beforeDay(date: string): Moment {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (day > 1) return { year, day: numberOf(month, day - 1) };
  return month > 1 ? { year, day: numberOf(month - 1, 31) } : { year: year - 1, day: lastDay };
}

function endOf(date: string): Moment {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return { year, day: numberOf(month, day === daysOfMonth ? 31 : day) };
}

/** Gives the companies that have a term. */
type BitsOf = (term: string) => Bits;

/** The companies that began after a moment. */
function findAfter({ year, day }: Moment, bitsOf: BitsOf, range: Range): Bits {
  // Digit by digit from the lowest one: it is greater where the day's is, or equal and the rest greater.
  let greater: Bits | undefined;
  for (let digit = 0; digit < dayDigits; digit += 1) {
    const isOne = (day >> digit) & 1;
    // Nothing is greater than ones alone.
    if (isOne && !greater) continue;
    const bits = bitsOf(`start ${digit}`);
    if (!greater) greater = copyBits(bits, range);
    else if (isOne) keepCommon(greater, bits);
    else addAll(greater, bits);
  }
  const nextYear = bitsOf(`start ${year + 1}`);
  if (!greater) return copyBits(nextYear, range);
  keepCommon(greater, bitsOf(`start ${year}`));
  addAll(greater, nextYear);
  return greater;
}

/** The companies that began in the time that a filter names; undefined where it names none. */
export function findStarted(filter: SearchFilter, bitsOf: BitsOf, range: Range): Bits | undefined {
  const { activity_start_from: from, activity_start_to: to } = filter;
  if (from === undefined && to === undefined) return undefined;
  const began =
    from === undefined
      ? copyBits(bitsOf('start'), range)
      : findAfter(beforeDay(from), bitsOf, range);
  if (to !== undefined) removeAll(began, findAfter(endOf(to), bitsOf, range));
  return began;
}
