const dayLength_ms = 86_400_000;
const offset = 40_000;
const written: string[] = [];

/** `YYYY-MM-DD` as the number of days since 1970-01-01; NaN when there is no such day. */
export function dayNumber(date: string): number {
  const time = Date.parse(`${date}T00:00:00Z`);
  const day = time / dayLength_ms;
  // Date.parse reads 31 February as a day of March in some forms: only what reads back counts.
  return Number.isInteger(day) && isoDate(day) === date ? day : Number.NaN;
}

/** The day as `YYYY-MM-DD`. Every date is written once and then remembered. */
export function isoDate(day: number): string {
  return (written[day + offset] ??= new Date(day * dayLength_ms).toISOString().slice(0, 10));
}
