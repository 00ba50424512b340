/** Writes a count for people: 5,796. `registry.figure` does the same in SQL. */
export function figure(count: number): string {
  return count.toLocaleString('en');
}
