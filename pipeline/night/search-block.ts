import { Words } from './words.ts';

/** Numbers of a block, as a power of two. */
const blockBits = 13;
const blockMask = (1 << blockBits) - 1;
const blockBytes = 1 << (blockBits - 3);

/** Lengths of the beginnings of an activity that have bits. */
const beginnings = [1, 2, 3];

/** Binary digits of a day of the year, and the years since which dates have bits. */
const dayDigits = 9;
const [firstYear, lastYear] = [1950, 2155];

const [tab, space, quote, dash, zero, backslash] = Buffer.from("\t '-0\\") as unknown as number[];

/** What a company has one of, before the date in its line. */
const columns = ['status', 'voivodeship', 'legal_form'];

interface Activity {
  code: string;
  places: number[];
}

const words = new Words();

/** The block of a company. */
export function blockOf(search_no: number): number {
  return search_no >> blockBits;
}

/**
 * Which companies of one block have what. The same as `registry.search_terms` says of one company
 * after the other, which takes many times as long.
 */
export class Block {
  readonly no: number;
  /** By their terms, 8192 of a kind in a row; the first is the leftmost, as in Postgres. */
  readonly bits = new Map<string, Uint8Array>();
  /** By the number of their code. */
  readonly #activities: (Activity | undefined)[] = [];
  /** By column, and by the number of its value. */
  readonly #columns: (Uint8Array | undefined)[][] = columns.map(() => []);
  readonly #known = this.#bitsOf('start');
  readonly #days = Array.from({ length: dayDigits }, (_, digit) => this.#bitsOf(`start ${digit}`));
  readonly #years = Array.from(
    { length: lastYear - firstYear + 1 },
    () => new Uint8Array(blockBytes),
  );

  constructor(no: number) {
    this.no = no;
  }

  get activities(): Activity[] {
    return this.#activities.filter((activity) => activity !== undefined);
  }

  /**
   * @param text holds a company as COPY writes it: status, voivodeship, legal form, start date, and
   * activities like `'4321Z' '4754Z'`
   * @param from where that begins
   * @returns where its line ends
   */
  add(search_no: number, text: Uint8Array, from: number): number {
    const place = search_no & blockMask;
    let at = from;
    for (let column = 0; column < columns.length; column += 1) {
      const value = words.read(text, at, tab!);
      if (text[at] !== backslash) setBit(this.#bitsOfColumn(column, value), place);
      at = words.end + 1;
    }
    if (text[at] !== backslash) this.#setDate(text, at, place);
    for (; text[at] !== tab; at += 1);
    return this.#addActivities(text, at + 1, place);
  }

  #bitsOf(term: string): Uint8Array {
    const known = this.bits.get(term);
    if (known) return known;
    const made = new Uint8Array(blockBytes);
    this.bits.set(term, made);
    return made;
  }

  #bitsOfColumn(column: number, value: number): Uint8Array {
    return (this.#columns[column]![value] ??= this.#bitsOf(
      `${columns[column]!} ${words.textOf(value)}`,
    ));
  }

  /** @param at where YYYY-MM-DD begins */
  #setDate(text: Uint8Array, at: number, place: number): void {
    let year = 0;
    let from = at;
    for (; text[from] !== dash; from += 1) year = year * 10 + text[from]! - zero!;
    const month = readTwoDigits(text, from + 1);
    const day = ((month + 3) << 5) | readTwoDigits(text, from + 4);
    setBit(this.#known, place);
    if (year >= firstYear) setBit(this.#years[Math.min(year, lastYear) - firstYear]!, place);
    for (let digit = 0; digit < dayDigits; digit += 1) {
      if ((day >> digit) & 1) setBit(this.#days[digit]!, place);
    }
  }

  #addActivities(text: Uint8Array, from: number, place: number): number {
    let at = from;
    for (; text[at] === quote; at = words.end + 2) {
      const code = words.read(text, at + 1, quote!);
      (this.#activities[code] ??= { code: words.textOf(code), places: [] }).places.push(place);
      if (text[words.end + 1] !== space) return words.end + 1;
    }
    return at;
  }

  /** Once all companies are added: those bits that depend on others. */
  finish(): void {
    this.#setBeginnings();
    this.#setYearsSince();
  }

  #setBeginnings(): void {
    for (const { code, places } of this.activities) {
      for (const beginning of new Set(beginnings.map((length) => code.slice(0, length)))) {
        const bits = this.#bitsOf(`activity ${beginning}`);
        for (const place of places) setBit(bits, place);
      }
    }
  }

  /** Who began in a year began since all years before it. */
  #setYearsSince(): void {
    // Several bytes at a time.
    const since = new Uint32Array(blockBytes / Uint32Array.BYTES_PER_ELEMENT);
    for (let at = this.#years.length - 1; at >= 0; at -= 1) {
      const year = new Uint32Array(this.#years[at]!.buffer);
      let any = 0;
      for (let part = 0; part < since.length; part += 1) any |= since[part]! |= year[part]!;
      year.set(since);
      if (any !== 0) this.bits.set(`start ${firstYear + at}`, this.#years[at]!);
    }
  }
}

/** Bit 0 is the leftmost one. */
function setBit(bits: Uint8Array, place: number): void {
  bits[place >> 3]! |= 0x80 >> (place & 7);
}

function readTwoDigits(text: Uint8Array, at: number): number {
  return (text[at]! - zero!) * 10 + text[at + 1]! - zero!;
}
