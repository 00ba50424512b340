import { type Fingerprint, toBigint } from './fingerprint.ts';

/**
 * Met today, or a free slot, so that few others have to be looked at in the end; not met; shared by two
 * entries, and so never to be taken for known.
 */
const MET = 0;
const NOT_MET = 1;
const SHARED = 2;

/**
 * The table consists of regions. Whatever belongs to one is added by one thread at one time: then it
 * lies in the processor's cache, where finding a slot takes a tenth of the time.
 */
const REGION_BITS = 8;
const REGIONS = 2 ** REGION_BITS;
/** So many that no region is full while the table has room. */
const LEAST_SLOTS = 1024;
const PRINT_BYTES = 8;
/** Fingerprints of a region are gathered in pieces of so many halves. */
const PIECE_LENGTH = 4096;

/** Halves of fingerprints, high and low, in memory that threads share. */
type Piece = Int32Array<SharedArrayBuffer>;

/** Where a fingerprint belongs: the higher bits tell the region. */
function placeOf(high: number, low: number): number {
  return (low ^ Math.imul(high, 0x9e3779b1)) >>> 0;
}

/** Fingerprints by the region they belong to. */
export class Prints {
  readonly #pieces: Piece[][] = Array.from({ length: REGIONS }, () => []);
  /** The last piece of each region, and how far it is filled. */
  readonly #last: Piece[] = [];
  readonly #lengths = new Int32Array(REGIONS).fill(PIECE_LENGTH);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param bytes fingerprints of eight bytes each, the high half first */
  addAll(bytes: Uint8Array): void {
    const [last, lengths] = [this.#last, this.#lengths];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += PRINT_BYTES) {
      const high = view.getInt32(at);
      const low = view.getInt32(at + 4);
      const region = placeOf(high, low) >>> (32 - REGION_BITS);
      if (lengths[region] === PIECE_LENGTH) this.#grow(region);
      const length = lengths[region]!;
      last[region]![length] = high;
      last[region]![length + 1] = low;
      lengths[region] = length + 2;
    }
    this.#size += bytes.length / PRINT_BYTES;
  }

  #grow(region: number): void {
    const piece = new Int32Array(new SharedArrayBuffer(4 * PIECE_LENGTH));
    this.#pieces[region]!.push(piece);
    this.#last[region] = piece;
    this.#lengths[region] = 0;
  }

  /** Those of every so many-th region, for one of so many threads. */
  share(index: number, count: number): Share {
    const regions = this.#pieces.map((pieces, region) => ({
      region,
      pieces: pieces.map((piece, at) =>
        at < pieces.length - 1 ? piece : piece.subarray(0, this.#lengths[region]),
      ),
    }));
    return regions.filter(({ region }) => region % count === index);
  }
}

/** What a thread adds to the table. */
export type Share = { region: number; pieces: Piece[] }[];

/** What a `KnownRecords` consists of; both lie in memory that threads share. */
export interface KnownTable {
  /** Two halves of a fingerprint for each slot, high and low; both zero where it is free. */
  prints: Int32Array;
  /** For each slot whether it is free or was met. */
  states: Uint8Array;
}

/**
 * The fingerprints of yesterday's records: an open-addressing table in typed arrays, 9 bytes a
 * slot, at most three quarters full: four million records take 75 MB. Several threads may add to it at
 * the same time, each its share; when all are done, any number may meet its records.
 */
export class KnownRecords {
  /** To be sent to other threads. */
  readonly table: KnownTable;
  /** By how many bits a place is shifted to tell the slot. */
  readonly #shift: number;
  readonly #regionMask: number;

  /** @param size how many fingerprints will be added at most, or the table of another thread */
  constructor(size: number | KnownTable) {
    this.table = typeof size === 'number' ? makeTable(size) : size;
    const slots = this.table.states.length;
    this.#shift = 32 - Math.log2(slots);
    this.#regionMask = slots / REGIONS - 1;
  }

  /** Adds what nobody has added yet. */
  learn(share: Share): void {
    const slots = this.#regionMask + 1;
    for (const { region, pieces } of share) {
      // A page that is read before it is written to is given to the process twice, and all processors
      // have to be told in between: far slower than writing to all of it.
      this.table.prints.fill(0, 2 * region * slots, 2 * (region + 1) * slots);
      this.table.states.fill(MET, region * slots, (region + 1) * slots);
      for (const piece of pieces) {
        for (let at = 0; at < piece.length; at += 2) this.#add(piece[at]!, piece[at + 1]!);
      }
    }
  }

  /** One that two entries share is not told apart: both are always read. */
  #add(high: number, low: number): void {
    const { prints, states } = this.table;
    const slot = this.#find(high, low);
    if (this.#isTaken(slot)) {
      states[slot] = SHARED;
      return;
    }
    prints[2 * slot] = high;
    prints[2 * slot + 1] = low;
    states[slot] = NOT_MET;
  }

  /**
   * Notes that a record was met.
   *
   * @returns whether it is yesterday's and met for the first time, so that it need not be read; a
   *   record that repeats is read like a new one
   */
  meet({ high, low }: Fingerprint): boolean {
    const slot = this.#find(high, low);
    if (!this.#isTaken(slot)) return false;
    return Atomics.compareExchange(this.table.states, slot, NOT_MET, MET) === NOT_MET;
  }

  /** The fingerprints that no record of today has. */
  *unmet(): Generator<bigint> {
    const { prints, states } = this.table;
    for (let slot = 0; slot < states.length; slot++) {
      if (states[slot] === MET) continue;
      yield toBigint({ high: prints[2 * slot]!, low: prints[2 * slot + 1]! });
    }
  }

  #isTaken(slot: number): boolean {
    const { prints } = this.table;
    return prints[2 * slot] !== 0 || prints[2 * slot + 1] !== 0;
  }

  /** The slot of a fingerprint, or the free one that it would take; in its region. */
  #find(high: number, low: number): number {
    const { prints } = this.table;
    const within = this.#regionMask;
    let slot = placeOf(high, low) >>> this.#shift;
    const region = slot & ~within;
    for (let left = within; left >= 0; left--) {
      const foundHigh = prints[2 * slot]!;
      const foundLow = prints[2 * slot + 1]!;
      if (foundHigh === high && foundLow === low) return slot;
      if (foundHigh === 0 && foundLow === 0) return slot;
      slot = region | ((slot + 1) & within);
    }
    throw new Error('more fingerprints than there is room for');
  }
}

// Nothing is written here: whoever adds to it does.
function makeTable(size: number): KnownTable {
  const slots = REGIONS * 2 ** Math.ceil(Math.log2(Math.max(LEAST_SLOTS, (size * 1.4) / REGIONS)));
  return {
    prints: new Int32Array(new SharedArrayBuffer(slots * PRINT_BYTES)),
    states: new Uint8Array(new SharedArrayBuffer(slots)),
  };
}
