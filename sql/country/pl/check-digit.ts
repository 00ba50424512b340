// The check digits of NIP and REGON are sums of weighted digits, modulo 11, as in `registry.is_nip` and
// `registry.is_regon9`. A NIP with the remainder 10 is never issued.
const nipWeights = Uint8Array.of(6, 5, 7, 2, 3, 4, 5, 6, 7);
const regon9Weights = Uint8Array.of(8, 9, 2, 3, 4, 5, 6, 7);

const zero = '0'.charCodeAt(0);

/** Checks whether ten bytes are the digits of a NIP with a correct check digit. */
export function areNipDigits(bytes: Uint8Array, at: number): boolean {
  const sum = weigh(bytes, at, nipWeights);
  // A sum of 10 is refused first: the character `:`, which follows `9` in ASCII, would match as a digit of 10.
  return sum < 10 && sum === bytes[at + nipWeights.length]! - zero;
}

/** Checks whether nine bytes are the digits of a REGON with a correct check digit. */
export function areRegon9Digits(bytes: Uint8Array, at: number): boolean {
  return weigh(bytes, at, regon9Weights) % 10 === bytes[at + regon9Weights.length]! - zero;
}

/** Returns the sum of the weighted digits, modulo 11; NaN when a byte is no digit, or all digits are zeros. */
function weigh(bytes: Uint8Array, from: number, weights: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) {
    const digit = bytes[from + at]! - zero;
    if (digit < 0 || digit > 9) return NaN;
    sum += digit * weights[at]!;
  }
  return sum === 0 ? NaN : sum % 11;
}
