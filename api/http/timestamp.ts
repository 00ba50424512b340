/** Returns a time as ISO 8601 text, in UTC and whole seconds: `2026-05-01T10:00:00+00:00`. */
export function formatTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}+00:00`;
}

export function formatOptional(date: Date | null): string | null {
  return date && formatTimestamp(date);
}
