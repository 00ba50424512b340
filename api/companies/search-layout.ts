import type { TermArrays } from './search-terms.ts';

/**
 * The kinds of terms, each the first byte of its texts. `division` is the first two characters of an
 * activity code.
 */
export const kinds = {
  country: 'a',
  status: 'b',
  voivodeship: 'c',
  legal_form: 'd',
  city: 'e',
  postal_code: 'f',
  division: 'g',
  activity: 'h',
} as const;

/** How many companies have one place in `nameStarts`. */
export const nameBlock = 4;

/** Which companies a segment has: those with ids from `from` to below `to` that changed after `since`. */
export interface SegmentHead {
  from: number;
  /** Null: without an end. */
  to: number | null;
  /** -1: all of them. */
  since: number;
  /** The snapshot that the rows are of. */
  snapshot_no: number;
  /** The newest run then: the database still has it, unless another one was put in its place. */
  run: string;
  loaded_at: string;
}

/** Some companies with what a search compares. A company has a number: its place in `ids`. */
export interface SegmentData {
  head: SegmentHead;
  /** Their ids, ascending, less the first one. */
  ids: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  /** Below 2^53: registry.last_id holds no larger id. */
  first_id: number;
  /** The days of start as numbers, such as 20121231; 0: unknown. */
  starts: Uint32Array<ArrayBuffer>;
  /** What companies have, in the order of the texts. */
  terms: TermArrays;
  /** The words of their names, each after a space. */
  words: TermArrays;
  /** The pairs of bytes that words have, with a space before and after, in the order of the pairs. */
  pairs: TermArrays;
  /** The names: the numbers of their words plus 1, then a 0. */
  names: Uint8Array<ArrayBuffer>;
  /** Where the names of each block begin. */
  nameStarts: Uint32Array<ArrayBuffer>;
}

/** The code of an error: what is loaded is not of this database. */
export const otherDatabase = 'OTHER_DATABASE';
