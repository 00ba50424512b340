/** A 64-bit fingerprint as two signed 32-bit halves; never both zero. */
export interface Fingerprint {
  high: number;
  low: number;
}

/**
 * Fingerprints bytes[start, end) into `out`: two 32-bit lanes that feed each other, with the rotations
 * and constants of MurmurHash3_x86_128 (Austin Appleby, public domain), eight bytes a step. The hash is
 * not cryptographic. An attack could only hide a change of the attacker's own record.
 *
 * @param seed the fingerprint of the context: file, header and mapping
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
