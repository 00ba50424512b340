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
  /** Below 2^32, because they come from one sequence. */
  #ids = new Uint32Array(32);
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
    let [company_id, number] = ['', -1];
    for await (const rows of batches) {
      for (const row of rows) {
        if (row[0] !== company_id) {
          company_id = row[0];
          number = this.#put(row);
          changed.add(number);
        }
        const codes = row.at(-1);
        if (codes) addActivities(activities, codes, number);
      }
    }
    this.#names.close();
    this.#mergeActivities(activities, changed);
    this.#sets.clear();
    this.snapshot_no = snapshot_no;
  }

  /** @returns the number of the company */
  #put([company_id, ...texts]: SearchRow): number {
    const number = this.#numberOf(Number(company_id));
    Object.values(this.#columns).forEach((column, at) => column.set(number, texts[at]!));
    this.#names.set(number, texts.at(-2)!);
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
      for (let at = 0; at < bits.length; at += 1) bits[at]! &= ~isChanged[at]!;
      added.get(code)?.addTo(bits);
      const list = new NumberList();
      for (const number of listBits(bits)) list.add(number);
      this.#activities.set(code, list);
    }
  }

  /** Finds the number of a company, or appends the company. */
  #numberOf(company_id: number): number {
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#ids[middle]! < company_id) from = middle + 1;
      else to = middle;
    }
    if (from < this.#count) {
      if (this.#ids[from] === company_id) return from;
      throw new Error(`Company ${company_id} is new, but its id is not the highest.`);
    }
    if (from === this.#ids.length) {
      this.#ids = new Uint32Array(this.#ids.buffer.transfer(4 * Math.ceil(from * 1.125)));
    }
    this.#ids[from] = company_id;
    this.#count += 1;
    return from;
  }

  search({ filter, skipped, size }: Search): Found {
    const matches = this.#find(filter);
    const company_ids = listBits(matches, skipped, size).map((number) => this.#ids[number]!);
    return { snapshot_no: this.snapshot_no, total: countBits(matches), company_ids };
  }

  #find(filter: SearchFilter): Bits {
    const { name } = filter;
    if (name === undefined) return this.#findOthers(filter);
    const find = () => this.#names.find(this.#findOthers(filter), name);
    return this.#sets.memo(JSON.stringify(filter), { context: find });
  }

  /** Finds the companies that match a filter, except for its name. */
  #findOthers(filter: SearchFilter): Bits {
    const sets: Bits[] = [];
    for (const name of ['status', 'voivodeship', 'legal_form', 'city', 'postal_code'] as const) {
      const text = filter[name];
      if (text === undefined) continue;
      const find = () => this.#columns[name].find(this.#count, text);
      sets.push(this.#sets.memo(`${name} ${text}`, { context: find }));
    }
    // A whole code is the prefix of no other code, so that both filters search by prefix.
    for (const prefix of [filter.activity_code, filter.activity_prefix]) {
      if (prefix === undefined) continue;
      const find = () => this.#findActivities(prefix);
      sets.push(this.#sets.memo(`activity ${prefix}`, { context: find }));
    }
    const { activity_start_from: from = '', activity_start_to: to = '9999-12-31' } = filter;
    if (filter.activity_start_from !== undefined || filter.activity_start_to !== undefined) {
      // Not cached: ranges rarely repeat.
      const isWithin = (day: string) => day >= from && day <= to;
      sets.push(this.#columns.activity_start.find(this.#count, isWithin));
    }
    return intersect(sets);
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
      // A copy: a substring would keep the whole row in memory.
      lists.set(Buffer.from(code).toString(), list);
    }
    list.add(number);
  }
}
