/** Returns the `Cache-Control` of a day's counts: a past day, whose snapshot may come late, is cached for an hour. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}
