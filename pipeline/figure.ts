/** A count as sentences for people have it: 5,796. `registry.figure` does the same in SQL. */
export function figure(count: number): string {
  return count.toLocaleString('en');
}
