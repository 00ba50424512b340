// The check digit of NIP and REGON is the weighted sum of the other digits, modulo 11. No NIP has the remainder 10.
// functions.sql has the same rules (`is_nip`, `is_regon9`), and regon/answer.ts the rule for 14 digits.
const nipWeights = [6, 5, 7, 2, 3, 4, 5, 6, 7];
const regon9Weights = [8, 9, 2, 3, 4, 5, 6, 7];
const zero = '0'.charCodeAt(0);

/** Checks whether a text is a valid NIP: ten digits, the last of which is the right check digit. */
export function isNip(text: string): boolean {
  return /^[0-9]{10}$/.test(text) && weigh(text, nipWeights) === Number(text.at(-1));
}

/** Checks whether a text is a valid REGON of nine digits, the last of which is the right check digit. */
export function isRegon9(text: string): boolean {
  return /^[0-9]{9}$/.test(text) && weigh(text, regon9Weights) % 10 === Number(text.at(-1));
}

/** Returns the sum of the digits multiplied by `weights`, modulo 11; NaN for zeros only, which are no valid number. */
function weigh(digits: string, weights: readonly number[]): number {
  const sum = weights.reduce(
    (total, weight, at) => total + weight * (digits.charCodeAt(at) - zero),
    0,
  );
  return sum === 0 ? NaN : sum % 11;
}
