const dayLength_ms = 86_400_000;

/** `YYYY-MM-DD` as the number of days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(date) / dayLength_ms;
}

/** The day as `YYYY-MM-DD`. */
export function isoDate(day: number): string {
  return new Date(day * dayLength_ms).toISOString().slice(0, 10);
}
