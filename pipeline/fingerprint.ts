/** A 64-bit fingerprint as two signed 32-bit halves; never both zero. */
export interface Fingerprint {
  high: number;
  low: number;
}

/**
 * Fingerprints bytes[start, end) into `out`: two 32-bit lanes that feed each other, with the
 * rotations and constants of MurmurHash3_x86_128 (Austin Appleby, public domain), eight bytes a
 * step. It tells records apart, it does not withstand an attacker, who could only make a changed
 * record of his own look unchanged.
 *
 * @param seed fingerprint to start from: what else the bytes depend on
 */
export function fingerprint(
  view: DataView,
  start: number,
  end: number,
  seed: Fingerprint,
  out: Fingerprint,
): void {
  let h1 = seed.low;
  let h2 = seed.high;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    let a = Math.imul(view.getInt32(at, true), 0x239b961b);
    a = Math.imul((a << 15) | (a >>> 17), 0xab0e9789);
    h1 ^= a;
    h1 = (h1 << 19) | (h1 >>> 13);
    h1 = (Math.imul(h1 + h2, 5) + 0x561ccd1b) | 0;
    let b = Math.imul(view.getInt32(at + 4, true), 0xab0e9789);
    b = Math.imul((b << 16) | (b >>> 16), 0x38b34ae5);
    h2 ^= b;
    h2 = (h2 << 17) | (h2 >>> 15);
    h2 = (Math.imul(h2 + h1, 5) + 0x0bcaa747) | 0;
  }
  for (; at < end; at++) {
    h1 = Math.imul(h1 ^ view.getUint8(at), 0x9e3779b1);
    h2 = Math.imul(h2 ^ h1 ^ (h1 >>> 15), 0x85ebca6b);
  }
  h1 = (h1 ^ (end - start)) + h2;
  h2 = (h2 ^ (end - start)) + h1;
  h1 = mix(h1) + mix(h2);
  h2 = mix(h2) + h1;
  out.low = h1 | 0;
  out.high = h2 | 0;
  if (out.low === 0 && out.high === 0) out.low = 1;
}

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** The fingerprint of a text, for seeds. */
export function fingerprintOf(text: string): Fingerprint {
  const bytes = new TextEncoder().encode(text);
  const out = { high: 0, low: 0 };
  fingerprint(new DataView(bytes.buffer), 0, bytes.length, { high: 0, low: 0 }, out);
  return out;
}

/** The signed 64-bit integer that the database holds. */
export function toBigint({ high, low }: Fingerprint): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/**
 * Not met today; met, or a free slot, so that few others have to be looked at in the end; shared by two
 * entries, and so never to be taken for known.
 */
const NOT_MET = 0;
const MET = 1;
const SHARED = 2;

/** Fingerprints whose slots are looked at before they are added. */
const AHEAD = 16;

/** What a `KnownRecords` consists of; both lie in memory that threads share. */
export interface KnownTable {
  /** Two halves of a fingerprint for each slot, high and low; both zero where it is free. */
  prints: Int32Array;
  /** For each slot whether it is free or was met. */
  states: Uint8Array;
}

/**
 * The fingerprints of yesterday's records: an open-addressing table in typed arrays, 9 bytes a
 * slot, at most three quarters full: four million records take 75 MB. Any number of threads may
 * meet its records at the same time; only one may add to it, before the others see it.
 */
export class KnownRecords {
  #mask: number;
  #prints: Int32Array;
  #states: Uint8Array;
  #size = 0;

  /**
   * @param expected_count about how many fingerprints will be added; it grows beyond
   * @param table that of another thread, to which nothing may be added any more
   */
  constructor(expected_count: number, table?: KnownTable) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, expected_count * 1.4)));
    ({ prints: this.#prints, states: this.#states } = table ?? makeTable(slots));
    this.#mask = this.#states.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** To be sent to other threads. */
  get table(): KnownTable {
    return { prints: this.#prints, states: this.#states };
  }

  /** Adds a fingerprint; one that two entries share is not told apart: both are always read. */
  add(high: number, low: number): void {
    if (this.#size > this.#mask * 0.75) this.#grow();
    const slot = this.#find(high, low);
    if (this.#isTaken(slot)) {
      this.#states[slot] = SHARED;
      return;
    }
    this.#prints[2 * slot] = high;
    this.#prints[2 * slot + 1] = low;
    this.#states[slot] = NOT_MET;
    this.#size++;
  }

  /** Adds the fingerprints of bytes[0, end), eight bytes each, the high half first. */
  addAll(bytes: Uint8Array, end: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let start = 0; start < end; start += 8 * AHEAD) {
      const stop = Math.min(start + 8 * AHEAD, end);
      this.#lookAhead(view, start, stop);
      for (let at = start; at < stop; at += 8) this.add(view.getInt32(at), view.getInt32(at + 4));
    }
  }

  /**
   * The memory of a table is large, and each slot far from the one before: several that are asked for
   * at once come in the time of one.
   */
  #lookAhead(view: DataView, start: number, stop: number): void {
    for (let at = start; at < stop; at += 8) {
      // Not left out, although nobody asks for the value.
      Atomics.load(this.#prints, 2 * this.#slotOf(view.getInt32(at), view.getInt32(at + 4)));
    }
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
    return Atomics.compareExchange(this.#states, slot, NOT_MET, MET) === NOT_MET;
  }

  /** The fingerprints that no record of today has. */
  *unmet(): Generator<bigint> {
    for (let slot = 0; slot <= this.#mask; slot++) {
      if (this.#states[slot] === MET) continue;
      yield toBigint({ high: this.#prints[2 * slot]!, low: this.#prints[2 * slot + 1]! });
    }
  }

  #isTaken(slot: number): boolean {
    return this.#prints[2 * slot] !== 0 || this.#prints[2 * slot + 1] !== 0;
  }

  #grow(): void {
    const [prints, states] = [this.#prints, this.#states];
    const slots = states.length * 2;
    this.#mask = slots - 1;
    ({ prints: this.#prints, states: this.#states } = makeTable(slots));
    for (let from = 0; from < states.length; from++) {
      const high = prints[2 * from]!;
      const low = prints[2 * from + 1]!;
      if (high === 0 && low === 0) continue;
      const slot = this.#find(high, low);
      this.#prints[2 * slot] = high;
      this.#prints[2 * slot + 1] = low;
      this.#states[slot] = states[from]!;
    }
  }

  /** Where a fingerprint is looked for first. */
  #slotOf(high: number, low: number): number {
    return (low ^ Math.imul(high, 0x9e3779b1)) & this.#mask;
  }

  #find(high: number, low: number): number {
    const prints = this.#prints;
    let slot = this.#slotOf(high, low);
    for (;;) {
      const foundHigh = prints[2 * slot]!;
      const foundLow = prints[2 * slot + 1]!;
      if (foundHigh === high && foundLow === low) return slot;
      if (foundHigh === 0 && foundLow === 0) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }
}

function makeTable(slots: number): KnownTable {
  return {
    prints: new Int32Array(new SharedArrayBuffer(slots * 8)),
    states: new Uint8Array(new SharedArrayBuffer(slots)).fill(MET),
  };
}
