/** Returns whether a text is an existing day in the form YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns whether a text is an existing day of the years 1800 to 2199, as `registry.calendar_day` does in SQL. */
export function isPossibleDay(text: string): boolean {
  return /^(1[89]|2[01])/.test(text) && isDate(text);
}

/** Returns the day that is `days` days after `date`; both days have the form YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns the number of days from the day `from` to the day `until`; both have the form YYYY-MM-DD. */
export function daysBetween(from: string, until: string): number {
  return (Date.parse(until) - Date.parse(from)) / 86_400_000;
}
