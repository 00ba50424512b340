/** Returns the wait that a Retry-After header (seconds or a date) requests, in ms; undefined without a header. */
export function readRetryAfter(value: string | null, now_ms = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at_ms = Date.parse(value);
  return Number.isNaN(at_ms) ? undefined : Math.max(0, at_ms - now_ms);
}
