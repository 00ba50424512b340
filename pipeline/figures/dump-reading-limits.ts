/**
 * The limits of reading a dump. `RECORD_BYTES` in dump/record-scanner.ts limits a record, and so an unclosed quote. The
 * limit on the size of a registry's answers is in the registry's folder of `sources/`. sql/check/guard_row_count.sql
 * limits the number of rows to 98 % and 105 % of the last dump's rows.
 */
export const reads = {
  /** The maximum number of stored unreadable rows of a file, since the rows of a wrong file could fill the disk. */
  unreadableRows: 100_000,
  /** The maximum number of consecutive unreadable rows, beyond which the file is refused as damaged or as no table. */
  unreadableInARow: 1_000,
  /** The number of rejected rows that one SQL statement saves. */
  rejectBatch: 1_000,
  /** The maximum length of a stored rejected record, in characters; `reject.sql` contains the same limit. */
  rawLength: 4_000,
};
