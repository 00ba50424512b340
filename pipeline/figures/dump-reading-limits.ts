/**
 * The limits of reading a dump. `RECORD_BYTES` in dump/record-scanner.ts limits a record, and so an unclosed quote. The
 * limit on a registry's answers is in the registry's folder of `sources/`. The limits on the number of rows compared
 * with the last dump (98 % and 105 %) are in sql/check/guard_row_count.sql.
 */
export const reads = {
  /** The maximum number of unreadable rows of a file, since the rows of a file of another kind could fill the disk. */
  unreadableRows: 100_000,
  /** The maximum number of consecutive unreadable rows. More rows indicate an unclosed quote or a file without rows. */
  unreadableInARow: 1_000,
  /** The number of rejected rows that one statement saves. */
  rejectBatch: 1_000,
  /** The maximum length of a stored rejected record, in characters; `reject.sql` contains the same limit. */
  rawLength: 4_000,
};
