import { sql, type RawBuilder } from 'kysely';
import type { SearchFilter } from './search-filter.ts';

/** Digits of the number of a day in `registry.search_day`, and the first and last year that it tells. */
const dayDigits = 17;
const [firstYear, lastYear] = [1900, 2155];

const [lastMonth, lastDay] = [12, 31];

function numberOf(year: number, month: number, day: number): number {
  return ((year - firstYear) << 9) | ((month + 3) << 5) | day;
}

/** A number that only the days before this one do not exceed; with as many ones at its end as can be. */
function beforeDay(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (day > 1) return numberOf(year, month, day - 1);
  return month > 1 ? numberOf(year, month - 1, lastDay) : numberOf(year - 1, lastMonth, lastDay);
}

/** The same for the days before the next one. */
function endOf(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return numberOf(year, month, day === daysOfMonth ? lastDay : day);
}

/** Whether the number of a day stands for no other days. */
export function isKnownDay(date: string): boolean {
  const year = Number(date.slice(0, 4));
  return year > firstYear && year < lastYear;
}

/** Digit by digit from the lowest one: it is greater where the day's is, or equal and the rest greater. */
function isAfter(number: number, digits: Set<number>): string {
  let greater = '';
  for (let digit = 0; digit < dayDigits; digit += 1) {
    const isOne = (number >> digit) & 1;
    // Nothing is greater than ones alone.
    if (isOne && !greater) continue;
    digits.add(digit);
    greater = greater ? `(digit_${digit} ${isOne ? '&' : '|'} ${greater})` : `digit_${digit}`;
  }
  return greater;
}

/**
 * The bits of the companies that began in the time that a filter names, by block.
 *
 * @param inBlocks a further condition, which begins with `and`; or nothing
 */
export function startedIn(filter: SearchFilter, inBlocks: RawBuilder<unknown>) {
  const { activity_start_from: from, activity_start_to: to } = filter;
  if (from === undefined && to === undefined) return undefined;
  const digits = new Set<number>();
  const conditions = from === undefined ? ['known'] : [isAfter(beforeDay(from), digits)];
  if (to !== undefined) conditions.push(`~ ${isAfter(endOf(to), digits)}`);
  const columns = [...digits].map((digit): [term: string, column: string] => {
    return [`start ${String(digit).padStart(2, '0')}`, `digit_${digit}`];
  });
  if (from === undefined) columns.push(['start', 'known']);
  const picked = columns.map(
    ([term, column]) => `bit_or(bits) filter (where term = '${term}') as ${column}`,
  );
  return sql`
    select block, ${sql.raw(conditions.join(' & '))} as bits
    from (
        select block, ${sql.raw(picked.join(', '))}
        from registry.search_bits
        where term = any(${columns.map(([term]) => term)}::text[]) ${inBlocks}
        group by block
    ) as digit
  `;
}
