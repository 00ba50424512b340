const dayLength_ms = 86_400_000;
const offset = 40_000;
const written: string[] = [];

/** `YYYY-MM-DD` as the number of days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(date) / dayLength_ms;
}

/** The day as `YYYY-MM-DD`. Every date is written once and then remembered. */
export function isoDate(day: number): string {
  return (written[day + offset] ??= new Date(day * dayLength_ms).toISOString().slice(0, 10));
}
