/** Spreads every bit of a 32-bit number over all of its bits; a bijection. */
function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/**
 * Deterministic random numbers (SplitMix32): `start` with the same numbers gives the same sequence. One
 * object is started again for every entry, so that a country of millions makes no garbage.
 */
export class Random {
  private state = 0;

  /** Starts the sequence of one entry (`index`) for one purpose (`salt`). */
  start(seed: number, index: number, salt: number): this {
    // Every index of a seed and salt has another state: no two entries are twins.
    const key = mix(mix(seed >>> 0) ^ Math.floor(seed / 2 ** 32)) ^ Math.imul(salt, 0x9e3779b1);
    this.state = mix(index ^ key);
    return this;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  unit(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    return (mix(this.state) >>> 0) / 2 ** 32;
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

/** A prime above every limit of a shuffle: its multiples meet every number below the limit. */
const step = 96_019_031;

/** A shuffle of the whole numbers below `limit`, at most 90 million, so that all products are exact. */
export function createShuffle(random: Random, limit: number): (position: number) => number {
  const offset = random.below(limit);
  return (position) => (offset + step * position) % limit;
}
