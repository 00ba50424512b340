/** Returns the `Cache-Control` of a day's counts. Past days are cached for an hour only: a snapshot may come late. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}
