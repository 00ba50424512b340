/** Spreads every bit of a 32-bit number over all of its bits; a bijection. */
function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/**
 * Deterministic random numbers (xoroshiro64**): `start` with the same numbers gives the same
 * sequence on every machine. One object is started again for every entry, so that a country of
 * millions makes no garbage.
 */
export class Random {
  private a = 1;
  private b = 1;

  /** Starts the sequence of one entry (`index`) for one purpose (`salt`). */
  start(seed: number, index: number, salt: number): this {
    // `a` alone is already different for every index of a seed and salt: no two entries are twins.
    const key = mix(mix(seed >>> 0) ^ Math.floor(seed / 2 ** 32)) ^ Math.imul(salt, 0x9e3779b1);
    this.a = mix(mix(index) ^ key);
    this.b = mix(Math.imul(index, 0x27d4eb2f) ^ mix(key + 0x165667b1)) | 1;
    return this;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  unit(): number {
    const product = Math.imul(this.a, 0x9e3779bb);
    const result = Math.imul((product << 5) | (product >>> 27), 5) >>> 0;
    const b = this.b ^ this.a;
    this.a = ((this.a << 26) | (this.a >>> 6)) ^ b ^ (b << 9);
    this.b = (b << 13) | (b >>> 19);
    return result / 2 ** 32;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** One element; elements at the front are drawn much more often. */
  pickEarly<T>(list: readonly T[]): T {
    const unit = this.unit();
    return list[Math.floor(unit * unit * list.length)]!;
  }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/**
 * A shuffle of the whole numbers below `limit` (at most 90 million, so that the product stays
 * exact): every number comes once. It is a straight line modulo `limit`, so it needs no memory.
 */
export function createShuffle(random: Random, limit: number): (position: number) => number {
  const offset = random.below(limit);
  // Steps near the golden section spread neighbours over the whole range.
  let step = Math.floor(limit * (0.55 + random.unit() * 0.13)) || 1;
  while (commonDivisor(step, limit) !== 1) step += 1;
  return (position) => (offset + step * (position % limit)) % limit;
}
