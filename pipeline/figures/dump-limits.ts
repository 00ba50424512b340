/**
 * The limits of reading a dump. The longest record, and so the bound of a quote that never closes, stands in
 * dump/record-scanner.ts; the largest answer of a registry stands in its folder of `sources/`.
 */
export const reads = {
  /** The most unreadable rows of a file: a file of another kind could fill the disk with them. */
  unreadableRows: 100_000,
  /** The most unreadable rows in a row: more mean an open quote, or a file without rows. */
  unreadableInARow: 1_000,
  /** The number of rejected rows that are saved together. */
  rejectBatch: 1_000,
  /** The characters of a rejected record that are kept; `reject.sql` has the same limit. */
  rawLength: 4_000,
};
