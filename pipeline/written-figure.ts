/** Returns a count with thousands separators, such as `5,796`. In SQL, `registry.figure` writes counts in this form. */
export function figure(count: number): string {
  return count.toLocaleString('en');
}
