import { LRUCache } from 'lru-cache';
import { countBits, intersect, listBits, makeBits, NumberList, type Bits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import type { Found, Search } from './search-index.ts';
import { NameColumn } from './search-names.ts';
import { TextColumn } from './search-text.ts';

/**
 * A company and one of its entries, a row of `sql/api/search_rows.sql`: the id, a text for each of the
 * columns, the name, and the activity codes. Null is unknown.
 */
export type SearchRow = [company_id: string, ...texts: (string | null)[]];

/**
 * The companies of one snapshot in columns. The number of a company is its place in the order of ids,
 * which is the order of the answers.
 */
export class SearchCompanies {
  /** The snapshot of the last update. */
  snapshot_no = -1;
  #count = 0;
  /** Below 2^53: registry.last_id holds no larger one. */
  #ids = new Float64Array(32);
  /** In the order of the texts of a row. */
  readonly #columns = {
    status: new TextColumn(),
    voivodeship: new TextColumn(),
    legal_form: new TextColumn(),
    activity_start: new TextColumn(),
    city: new TextColumn(),
    postal_code: new TextColumn(),
  };
  readonly #names = new NameColumn();
  #activities = new Map<string, NumberList>();
  /** Caches sets until the next update, in 32 MB. */
  readonly #sets = new LRUCache<string, Bits, () => Bits>({
    maxSize: 32_000_000,
    sizeCalculation: (bits, key) => bits.byteLength + key.length + 100,
    memoMethod: (_key, _stale, { context: find }) => find(),
  });

  /**
   * Adds the new companies of a snapshot and replaces the changed ones, in the order of their ids.
   * Throws when the id of a new company is not the highest. An error leaves the columns incomplete.
   */
  async update(snapshot_no: number, batches: AsyncIterable<SearchRow[]>): Promise<void> {
    const changed = new NumberList();
    const activities = new Map<string, NumberList>();
    const columns = Object.values(this.#columns);
    let [company_id, number] = ['', -1];
    for await (const rows of batches) {
      for (const row of rows) {
        if (row[0] !== company_id) {
          company_id = row[0];
          number = this.#numberOf(Number(company_id), number + 1);
          for (const [at, column] of columns.entries()) column.set(number, row[at + 1]!);
          this.#names.set(number, row.at(-2)!);
          changed.add(number);
        }
        addActivities(activities, row.at(-1), number);
      }
    }
    this.#names.close();
    this.#mergeActivities(activities, changed);
    this.#sets.clear();
    this.snapshot_no = snapshot_no;
  }

  #mergeActivities(added: Map<string, NumberList>, changed: NumberList): void {
    const isChanged = makeBits(this.#count);
    changed.addTo(isChanged);
    for (const [code, known] of this.#activities) {
      const bits = makeBits(this.#count);
      known.addTo(bits);
      for (let at = 0; at < bits.length; at += 1) bits[at]! &= ~isChanged[at]!;
      added.get(code)?.addTo(bits);
      const list = new NumberList();
      for (const number of listBits(bits)) list.add(number);
      added.set(code, list);
      // Frees the memory of the old list.
      this.#activities.delete(code);
    }
    this.#activities = added;
  }

  /** Finds the number of a company, from `number` on, or appends the company. */
  #numberOf(company_id: number, number: number): number {
    while (number < this.#count && this.#ids[number]! < company_id) number += 1;
    if (number < this.#count) {
      if (this.#ids[number] === company_id) return number;
      throw new Error(`Company ${company_id} is new, but its id is not the highest.`);
    }
    if (number === this.#ids.length) {
      this.#ids = new Float64Array(this.#ids.buffer.transfer(8 * Math.ceil(number * 1.125)));
    }
    this.#ids[number] = company_id;
    this.#count += 1;
    return number;
  }

  search({ filter, skipped, size }: Search): Found {
    const matches = this.#find(filter);
    const company_ids = listBits(matches, skipped, size).map((number) => this.#ids[number]!);
    return { snapshot_no: this.snapshot_no, total: countBits(matches), company_ids };
  }

  #find(filter: SearchFilter): Bits {
    const sets: Bits[] = [];
    const addSet = (key: string, find: () => Bits) =>
      sets.push(this.#sets.memo(key, { context: find }));
    for (const column of ['status', 'voivodeship', 'legal_form', 'city', 'postal_code'] as const) {
      const text = filter[column];
      if (text === undefined) continue;
      addSet(`${column} ${text}`, () => this.#columns[column].find(this.#count, text));
    }
    // A whole code is the prefix of no other code, so that both filters search by prefix.
    for (const prefix of [filter.activity_code, filter.activity_prefix]) {
      if (prefix !== undefined) addSet(`activity ${prefix}`, () => this.#findActivities(prefix));
    }
    const { activity_start_from: from, activity_start_to: to, name } = filter;
    if (from ?? to) {
      const isWithin = (day: string) => day >= (from ?? '') && day <= (to ?? '9999-12-31');
      addSet(`start ${from} ${to}`, () => this.#columns.activity_start.find(this.#count, isWithin));
    }
    if (name === undefined) return intersect(sets);
    const findName = () => this.#names.find(intersect(sets), name);
    return this.#sets.memo(JSON.stringify(filter), { context: findName });
  }

  #findActivities(prefix: string): Bits {
    const bits = makeBits(this.#count);
    for (const [code, list] of this.#activities) if (code.startsWith(prefix)) list.addTo(bits);
    return bits;
  }
}

function addActivities(
  lists: Map<string, NumberList>,
  codes: string | null | undefined,
  number: number,
) {
  for (const code of codes?.split(',') ?? []) {
    let list = lists.get(code);
    if (!list) {
      list = new NumberList();
      // A copy: a substring would keep the whole row in memory.
      lists.set(Buffer.from(code).toString(), list);
    }
    list.add(number);
  }
}
