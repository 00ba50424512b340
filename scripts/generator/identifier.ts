import { createShuffle, Random } from './random.ts';

// The weights of the tax office and of GUS.
const nipWeights = [6, 5, 7, 2, 3, 4, 5, 6];
const regonWeights = [8, 9, 2, 3, 4, 5, 6, 7];

/** How many serial numbers there are: enough for any country, every one with its own numbers. */
export const serialLimit = 60_000_000;

export type Numbering = ReturnType<typeof createNumbering>;

function weigh(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
}

/** A NIP from eight digits. The ninth is free, so that the check digit is not 10, which does not exist. */
function completeNip(prefix: number): string {
  const digits = String(prefix);
  const sum = weigh(digits, nipWeights);
  const drawn = (prefix * 7 + 3) % 10;
  const ninth = (sum + 7 * drawn) % 11 === 10 ? (drawn + 1) % 10 : drawn;
  return `${digits}${ninth}${(sum + 7 * ninth) % 11}`;
}

function completeRegon(prefix: number): string {
  const digits = String(prefix).padStart(8, '0');
  return `${digits}${(weigh(digits, regonWeights) % 11) % 10}`;
}

/** Gives each serial number below `serialLimit` a NIP and a REGON that no other one of the seed has. */
export function createNumbering(seed: number) {
  const random = new Random().start(seed, 0, 101);
  const nip = createShuffle(random, 90_000_000);
  const regon = createShuffle(random, serialLimit);
  return {
    // The first digit of a NIP is never 0; a REGON below 1 million would be all zeros in front.
    nip: (serial: number) => completeNip(10_000_000 + nip(serial)),
    regon: (serial: number) => completeRegon(1_000_000 + regon(serial)),
  };
}
