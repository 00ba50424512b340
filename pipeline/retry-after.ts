/** Returns the wait of a Retry-After header, in ms; undefined without one. The header holds seconds or a date. */
export function readRetryAfter(value: string | null, now_ms = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at_ms = Date.parse(value);
  return Number.isNaN(at_ms) ? undefined : Math.max(0, at_ms - now_ms);
}
