import { LRUCache } from 'lru-cache';
import { intersect, listBits, makeBits, NumberList, type Bits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { NameColumn } from './search-names.ts';
import { TextColumn } from './search-text.ts';

/** The size of the cache of sets. */
const cacheBytes = 32_000_000;

/**
 * A company and one of its entries, a row of `sql/api/search_rows.sql`: the id, a text for each of
 * `columnNames`, the name, and the activity codes. Null is unknown.
 */
export type SearchRow = [company_id: string, ...texts: (string | null)[]];

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
 * The companies of one snapshot in columns. The number of a company is its place in the order of ids,
 * which is the order of the answers.
 */
export class SearchCompanies {
  /** The snapshot of the last update. */
  snapshot_no = -1;
  #count = 0;
  #ids = new Float64Array(32);
  readonly #columns = Object.fromEntries(
    columnNames.map((name) => [name, new TextColumn()]),
  ) as Record<ColumnName, TextColumn>;
  readonly #names = new NameColumn();
  #activities = new Map<string, NumberList>();
  /** Caches sets until the next update. */
  readonly #sets = new LRUCache<string, Bits>({
    maxSize: cacheBytes,
    sizeCalculation: (bits, key) => bits.byteLength + key.length + 100,
  });

  /**
   * Takes over the new and changed companies of a snapshot, in the order of their ids. Throws when the id
   * of a new company is not the highest. After any error the companies are not usable.
   */
  async update(snapshot_no: number, batches: AsyncIterable<SearchRow[]>): Promise<void> {
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
        const codes = row.at(-1);
        if (number !== -1 && codes) addActivities(activities, codes, number);
      }
    }
    this.#names.close();
    this.#mergeActivities(activities, changed);
    this.#sets.clear();
    this.snapshot_no = snapshot_no;
  }

  /** @returns the number of the company; -1 for an unknown company that is merged into another */
  #put([id, ...texts]: SearchRow): number {
    const company_id = Number(id);
    const known = this.#numberOf(company_id);
    if (known === -1 && texts[0] === null) return -1;
    const number = known === -1 ? this.#append(company_id) : known;
    columnNames.forEach((name, at) => this.#columns[name].set(number, texts[at]!));
    this.#names.set(number, texts[columnNames.length]!);
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

  /** The companies that match a filter. */
  find(filter: SearchFilter): Bits {
    const { name } = filter;
    const findOthers = () => this.#findOthers(filter);
    if (name === undefined) return findOthers();
    return this.#cached(JSON.stringify(filter), () => this.#names.find(findOthers(), name));
  }

  /** The companies that match all of a filter but the name. */
  #findOthers(filter: SearchFilter): Bits {
    const sets: Bits[] = [];
    for (const name of ['status', 'voivodeship', 'legal_form', 'city', 'postal_code'] as const) {
      const text = filter[name];
      if (text !== undefined) {
        const find = () => this.#columns[name].find(this.#count, text);
        sets.push(this.#cached(`${name} ${text}`, find));
      }
    }
    // No code is the beginning of a whole code but the code itself.
    for (const prefix of [filter.activity_code, filter.activity_prefix]) {
      if (prefix !== undefined) {
        sets.push(this.#cached(`activity ${prefix}`, () => this.#findActivities(prefix)));
      }
    }
    const { activity_start_from: from = '', activity_start_to: to = '9999-12-31' } = filter;
    if (filter.activity_start_from !== undefined || filter.activity_start_to !== undefined) {
      // Not cached: ranges rarely repeat.
      const isWithin = (day: string) => day >= from && day <= to;
      sets.push(this.#columns.activity_start.find(this.#count, isWithin));
    }
    return intersect(sets);
  }

  #cached(key: string, find: () => Bits): Bits {
    const known = this.#sets.get(key);
    if (known) return known;
    const bits = find();
    this.#sets.set(key, bits);
    return bits;
  }

  #findActivities(prefix: string): Bits {
    const bits = makeBits(this.#count);
    for (const [code, list] of this.#activities) if (code.startsWith(prefix)) list.addTo(bits);
    return bits;
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
