import { LRUCache } from 'lru-cache';
import { intersect, listBits, makeBits, NumberList, type Bits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { NameColumn } from './search-names.ts';
import { TextColumn } from './search-text.ts';

/** What is kept of the sets that were searched for, in bytes. */
const cacheBytes = 32_000_000;

/** A company and one of its entries, as `sql/api/search_rows.sql` gives them; null is unknown. */
export type SearchRow = [
  company_id: string,
  status: string | null,
  voivodeship: string | null,
  legal_form: string | null,
  activity_start: string | null,
  city: string | null,
  postal_code: string | null,
  name: string | null,
  activity_codes: string | null,
];

const columnNames = [
  'status',
  'voivodeship',
  'legal_form',
  'activity_start',
  'city',
  'postal_code',
] as const;

type ColumnName = (typeof columnNames)[number];

/**
 * The companies of one snapshot in columns. A company is known by its number, its place in the order
 * of ids, which is the order of the answers.
 */
export class SearchCompanies {
  #count = 0;
  #ids = new Float64Array(32);
  readonly #columns = Object.fromEntries(
    columnNames.map((name) => [name, new TextColumn()]),
  ) as Record<ColumnName, TextColumn>;
  readonly #names = new NameColumn();
  #activities = new Map<string, NumberList>();
  readonly #sets = new LRUCache<string, Bits>({
    maxSize: cacheBytes,
    sizeCalculation: (bits, key) => bits.byteLength + key.length + 100,
  });

  /**
   * Takes over the rows of companies that are new or have changed, in the order of their ids.
   *
   * Throws when a new company belongs before a known one. The companies are of no use then, nor when
   * the rows end in an error.
   */
  async update(batches: AsyncIterable<SearchRow[]>): Promise<void> {
    const changed = new NumberList();
    const activities = new Map<string, NumberList>();
    let [company_id, number] = ['', -1];
    for await (const rows of batches) {
      for (const row of rows) {
        if (row[0] !== company_id) {
          company_id = row[0];
          number = this.#put(row);
          if (number !== -1) changed.add(number);
        }
        if (number !== -1 && row[8]) addActivities(activities, row[8], number);
      }
    }
    this.#names.close();
    this.#mergeActivities(activities, changed);
    this.#sets.clear();
  }

  /** @returns the number of the company; -1 for one that is merged into another and was never known */
  #put([id, ...texts]: SearchRow): number {
    const company_id = Number(id);
    const known = this.#numberOf(company_id);
    if (known === -1 && texts[0] === null) return -1;
    const number = known === -1 ? this.#append(company_id) : known;
    columnNames.forEach((name, at) => this.#columns[name].set(number, texts[at]!));
    this.#names.set(number, texts[6]);
    return number;
  }

  #append(company_id: number): number {
    const number = this.#count;
    if (number > 0 && company_id < this.#ids[number - 1]!) {
      throw new Error(`Company ${company_id} is new, but its id is not the highest.`);
    }
    if (number === this.#ids.length) {
      const longer = new Float64Array(Math.ceil(number * 1.125));
      longer.set(this.#ids);
      this.#ids = longer;
    }
    this.#ids[number] = company_id;
    this.#count += 1;
    return number;
  }

  #mergeActivities(added: Map<string, NumberList>, changed: NumberList): void {
    if (this.#activities.size === 0) {
      this.#activities = added;
      return;
    }
    const isChanged = makeBits(this.#count);
    changed.addTo(isChanged);
    for (const code of new Set([...this.#activities.keys(), ...added.keys()])) {
      const bits = makeBits(this.#count);
      this.#activities.get(code)?.addTo(bits);
      let isSame = !added.has(code);
      for (let at = 0; at < bits.length; at += 1) {
        if ((bits[at]! & isChanged[at]!) !== 0) isSame = false;
        bits[at]! &= ~isChanged[at]!;
      }
      if (isSame) continue;
      added.get(code)?.addTo(bits);
      const list = new NumberList();
      for (const number of listBits(bits)) list.add(number);
      this.#activities.set(code, list);
    }
  }

  /** The number of the company with this id; -1 when the id is unknown. */
  #numberOf(company_id: number): number {
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#ids[middle]! < company_id) from = middle + 1;
      else to = middle;
    }
    return from < this.#count && this.#ids[from] === company_id ? from : -1;
  }

  /** The ids of companies by their numbers. */
  idsOf(numbers: number[]): number[] {
    return numbers.map((number) => this.#ids[number]!);
  }

  /** A set of the cache, which lasts until the next update. */
  #cached(key: string, find: () => Bits): Bits {
    const known = this.#sets.get(key);
    if (known) return known;
    const bits = find();
    this.#sets.set(key, bits);
    return bits;
  }

  /** The companies that match a filter. */
  find(filter: SearchFilter): Bits {
    const { name } = filter;
    if (name === undefined) return this.#findOthers(filter);
    return this.#cached(JSON.stringify(filter), () =>
      this.#names.find(this.#findOthers(filter), name),
    );
  }

  /** The companies that match all of a filter but the name. */
  #findOthers(filter: SearchFilter): Bits {
    const { activity_start_from, activity_start_to, activity_code, activity_prefix } = filter;
    const sets: [Bits, ...Bits[]] = [this.#findText('status', filter.status)];
    for (const name of ['voivodeship', 'legal_form', 'city', 'postal_code'] as const) {
      const text = filter[name];
      if (text !== undefined) sets.push(this.#findText(name, text));
    }
    if (activity_start_from !== undefined || activity_start_to !== undefined) {
      sets.push(this.#findStart(activity_start_from ?? '', activity_start_to ?? '9999-12-31'));
    }
    if (activity_code !== undefined) sets.push(this.#findActivities(activity_code));
    if (activity_prefix !== undefined) sets.push(this.#findActivities(activity_prefix));
    return intersect(sets);
  }

  #findText(name: ColumnName, text: string): Bits {
    return this.#cached(`${name} ${text}`, () => this.#columns[name].find(this.#count, text));
  }

  // A range is rarely asked for twice.
  #findStart(from: string, to: string): Bits {
    return this.#columns.activity_start.find(this.#count, (day) => day >= from && day <= to);
  }

  // A whole code begins with itself alone.
  #findActivities(prefix: string): Bits {
    return this.#cached(`activity ${prefix}`, () => {
      const bits = makeBits(this.#count);
      for (const [code, list] of this.#activities) if (code.startsWith(prefix)) list.addTo(bits);
      return bits;
    });
  }
}

// KRS has partial codes, some of them with a dot.
function addActivities(lists: Map<string, NumberList>, codes: string, number: number): void {
  for (const written of codes.split(',')) {
    const code = written.includes('.') ? written.replaceAll('.', '') : written;
    let list = lists.get(code);
    if (!list) {
      list = new NumberList();
      lists.set(Buffer.from(code).toString(), list);
    }
    list.add(number);
  }
}
