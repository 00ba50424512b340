import { sql, type RawBuilder } from 'kysely';
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

/** Bits by their term, each named as a column. */
type Columns = Map<string, string>;

function columnOf(term: string, columns: Columns): string {
  const column = term.replace(' ', '_');
  columns.set(term, column);
  return column;
}

/** The companies that began after a moment, as an expression of those columns. */
function isAfter({ year, day }: Moment, columns: Columns): string {
  // Digit by digit from the lowest one: it is greater where the day's is, or equal and the rest greater.
  let greater = '';
  for (let digit = 0; digit < dayDigits; digit += 1) {
    const isOne = (day >> digit) & 1;
    // Nothing is greater than ones alone.
    if (isOne && !greater) continue;
    const column = columnOf(`start ${digit}`, columns);
    greater = greater ? `(${column} ${isOne ? '&' : '|'} ${greater})` : column;
  }
  const nextYear = columnOf(`start ${year + 1}`, columns);
  if (!greater) return nextYear;
  return `(${nextYear} | (${columnOf(`start ${year}`, columns)} & ${greater}))`;
}

/**
 * The bits of the companies that began in the time that a filter names, by block.
 *
 * @param inBlocks a further condition, which begins with `and`; or nothing
 */
export function startedIn(filter: SearchFilter, inBlocks: RawBuilder<unknown>) {
  const { activity_start_from: from, activity_start_to: to } = filter;
  if (from === undefined && to === undefined) return undefined;
  const columns: Columns = new Map();
  const began = from === undefined ? columnOf('start', columns) : isAfter(beforeDay(from), columns);
  const ended = to === undefined ? '' : ` & ~ ${isAfter(endOf(to), columns)}`;
  const picked = [...columns].map(([term, column]) => {
    return `coalesce(bit_or(bits) filter (where term = '${term}'), 0::bit(8192)) as ${column}`;
  });
  return sql`
    select block, ${sql.raw(`(${began})${ended}`)} as bits
    from (
        select block, ${sql.raw(picked.join(', '))}
        from registry.search_bits
        where term = any(${[...columns.keys()]}::text[]) ${inBlocks}
        group by block
    ) as picked
  `;
}
