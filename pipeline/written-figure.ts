/** Returns a count with thousands separators, such as `5,796`. `registry.figure` does so in SQL. */
export function figure(count: number): string {
  return count.toLocaleString('en');
}
