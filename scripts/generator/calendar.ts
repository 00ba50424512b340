const dayLength_ms = 86_400_000;

/** `YYYY-MM-DD` as the number of days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(date) / dayLength_ms;
}

const written = new Map<number, string>();

/** The day as `YYYY-MM-DD`; each one is written once, since a country holds millions. */
export function isoDate(day: number): string {
  const known = written.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * dayLength_ms).toISOString().slice(0, 10);
  written.set(day, date);
  return date;
}
