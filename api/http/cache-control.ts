/** Returns the `Cache-Control` for the counts of a day: an hour for past days, since a snapshot may arrive late. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}
