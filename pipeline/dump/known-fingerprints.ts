import type { Fingerprint } from './fingerprint.ts';
import type { YesterdaysEntries } from './yesterday.ts';

/** The states of an entry. Met: a file of today holds its record. Shared: see `#add`. */
const MET = 0;
const NOT_MET = 1;
const SHARED = 2;

const FINGERPRINT_BYTES = 8;
const PLACE_BYTES = 6;

/**
 * The entries of yesterday by fingerprint: an open-addressing hash table, at most half full, of indexes
 * into the bytes from the database. An entry takes 19 to 23 bytes in all.
 */
export class KnownFingerprints {
  readonly #entries: YesterdaysEntries;
  readonly #prints: DataView;
  readonly #states: Uint8Array;
  /** The index of an entry plus one; zero where the slot is free. */
  readonly #slots: Int32Array;

  constructor(entries: YesterdaysEntries) {
    const { buffer, byteOffset, byteLength } = entries.fingerprints;
    const count = byteLength / FINGERPRINT_BYTES;
    this.#entries = entries;
    this.#prints = new DataView(buffer, byteOffset, byteLength);
    this.#states = new Uint8Array(count).fill(NOT_MET);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, count * 2))));
    for (let index = 0; index < count; index += 1) this.#add(index);
  }

  #add(index: number): void {
    const high = this.#prints.getInt32(FINGERPRINT_BYTES * index);
    const low = this.#prints.getInt32(FINGERPRINT_BYTES * index + 4);
    // An entry without a fingerprint is not in the table, so that its record is always read.
    if (high === 0 && low === 0) return;
    const slot = this.#find(high, low);
    const other = this.#slots[slot]! - 1;
    if (other < 0) {
      this.#slots[slot] = index + 1;
    } else {
      // Two entries share the fingerprint: the records of both are always read.
      this.#states[index] = SHARED;
      this.#states[other] = SHARED;
    }
  }

  /** Marks a record as met. @returns whether to skip it: it is known, not shared, and met once */
  meet({ high, low }: Fingerprint): boolean {
    const index = this.#slots[this.#find(high, low)]! - 1;
    if (index < 0 || this.#states[index] !== NOT_MET) return false;
    this.#states[index] = MET;
    return true;
  }

  /** Lists the entries whose record was not met today: fingerprint and ctid, as SQL writes them. */
  *missing(): Generator<{ fingerprint: bigint; place: string }> {
    const { places } = this.#entries;
    for (let index = 0; index < this.#states.length; index += 1) {
      if (this.#states[index] === MET) continue;
      const at = PLACE_BYTES * index;
      yield {
        fingerprint: this.#prints.getBigInt64(FINGERPRINT_BYTES * index),
        place: `(${places.readUInt32BE(at)},${places.readUInt16BE(at + 4)})`,
      };
    }
  }

  /** The slot of a fingerprint, or the free one that it would take. */
  #find(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    for (;;) {
      const at = FINGERPRINT_BYTES * (this.#slots[slot]! - 1);
      if (at < 0) return slot;
      if (this.#prints.getInt32(at) === high && this.#prints.getInt32(at + 4) === low) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
