/** Returns the `Cache-Control` of a day's counts: an hour for past days, since a snapshot may arrive late. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}
