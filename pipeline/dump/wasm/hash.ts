// AssemblyScript, compiled into lines.wasm: computes fingerprints of bytes. `FileReader` makes the seed from the
// mapping's version, the file's `file_key` and the file's header.

export const PRIME_1: u64 = 0x9e3779b185ebca87;
const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME_3: u64 = 0x165667b19e3779f9;
const PRIME_4: u64 = 0x85ebca77c2b2ae63;
const PRIME_5: u64 = 0x27d4eb2f165667c5;

/** Returns the hash XXH64 (Yann Collet) of the bytes [at, end), but never 0, which marks a free slot of the table. */
export function hash(at: usize, end: usize, seed: u64): u64 {
  const length = <u64>(end - at);
  let h: u64;
  if (length >= 32) {
    let one = seed + PRIME_1 + PRIME_2;
    let two = seed + PRIME_2;
    let three = seed;
    let four = seed - PRIME_1;
    for (; at + 32 <= end; at += 32) {
      one = round(one, load<u64>(at));
      two = round(two, load<u64>(at, 8));
      three = round(three, load<u64>(at, 16));
      four = round(four, load<u64>(at, 24));
    }
    h = rotl(one, 1) + rotl(two, 7) + rotl(three, 12) + rotl(four, 18);
    h = merge(merge(merge(merge(h, one), two), three), four);
  } else {
    h = seed + PRIME_5;
  }
  h += length;
  for (; at + 8 <= end; at += 8) h = rotl(h ^ round(0, load<u64>(at)), 27) * PRIME_1 + PRIME_4;
  if (at + 4 <= end) {
    h = rotl(h ^ (<u64>load<u32>(at) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    at += 4;
  }
  for (; at < end; at++) h = rotl(h ^ (<u64>load<u8>(at) * PRIME_5), 11) * PRIME_1;
  h = (h ^ (h >> 33)) * PRIME_2;
  h = (h ^ (h >> 29)) * PRIME_3;
  h ^= h >> 32;
  return h == 0 ? 1 : h;
}

function round(lane: u64, word: u64): u64 {
  return rotl(lane + word * PRIME_2, 31) * PRIME_1;
}

function merge(h: u64, lane: u64): u64 {
  return (h ^ round(0, lane)) * PRIME_1 + PRIME_4;
}
