/** Returns a count with thousands separators, such as `5,796`. The SQL function `registry.figure` returns the same. */
export function figure(count: number): string {
  return count.toLocaleString('en');
}
