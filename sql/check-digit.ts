// Both check digits are sums of weighted digits, modulo 11; no NIP is issued whose sum gives 10.
// As `registry.is_nip` and `registry.is_regon9` have it.
const nipWeights = Uint8Array.of(6, 5, 7, 2, 3, 4, 5, 6, 7);
const regon9Weights = Uint8Array.of(8, 9, 2, 3, 4, 5, 6, 7);

const zero = '0'.charCodeAt(0);

/** Whether ten bytes are the digits of a NIP that may have been issued. */
export function areNipDigits(bytes: Uint8Array, at: number): boolean {
  const sum = weigh(bytes, at, nipWeights);
  // Behind '9' comes a colon, which is no tenth digit.
  return sum < 10 && sum === bytes[at + nipWeights.length]! - zero;
}

/** Whether nine bytes are the digits of a REGON that may have been issued. */
export function areRegon9Digits(bytes: Uint8Array, at: number): boolean {
  return weigh(bytes, at, regon9Weights) % 10 === bytes[at + regon9Weights.length]! - zero;
}

/** @returns NaN when one of the bytes is no digit, or all are zeros */
function weigh(bytes: Uint8Array, from: number, weights: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) {
    const digit = bytes[from + at]! - zero;
    if (digit < 0 || digit > 9) return NaN;
    sum += digit * weights[at]!;
  }
  return sum === 0 ? NaN : sum % 11;
}
