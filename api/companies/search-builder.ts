import { kinds, nameBlock, type SegmentData, type SegmentHead } from './search-layout.ts';
import { TermTable } from './search-term-table.ts';

/** A company and one of its entries, a row of `sql/api/search_rows.sql`; null is unknown. */
export type Row = [company_id: string, ...texts: (string | null)[]];

/** The columns of a row that are terms, after the id; the start, the name and the codes follow. */
const columns = [
  kinds.country,
  kinds.status,
  kinds.voivodeship,
  kinds.legal_form,
  kinds.city,
  kinds.postal_code,
];

// COPY writes null as \N, and doubles each backslash.
function readText(text: string): string | null {
  if (!text.includes('\\')) return text;
  return text === String.raw`\N` ? null : text.replaceAll('\\\\', '\\');
}

/** Calls `use` for each row that COPY writes, in chunks that end anywhere. */
export async function eachRow(chunks: AsyncIterable<string>, use: (row: Row) => void) {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) use(line.split('\t').map(readText) as Row);
  }
}

/** Makes a segment of companies from their rows. */
export class SegmentBuilder {
  #ids = new Float64Array(64);
  #starts = new Uint32Array(64);
  /** The id of the last company. */
  last_id = -1;
  count = 0;
  readonly #terms = new TermTable();
  readonly #words = new TermTable();
  readonly #nameStarts: number[] = [];

  /** Adds a company, or one more entry of the last one. */
  add([company_id, ...texts]: Row): void {
    const [start, name, codes] = texts.slice(columns.length);
    if (Number(company_id) !== this.last_id) {
      this.#endCompany();
      this.#beginCompany(Number(company_id), Number(start?.replaceAll('-', '') ?? 0));
      for (const [at, kind] of columns.entries()) {
        if (texts[at] !== null) this.#terms.add(kind + texts[at]!);
      }
      for (const word of name?.split(' ') ?? []) this.#words.add(` ${word}`);
    }
    for (const code of codes?.split(',') ?? []) {
      this.#terms.add(kinds.activity + code);
      this.#terms.add(kinds.division + code.slice(0, 2));
    }
  }

  #beginCompany(company_id: number, start: number): void {
    if (this.count === this.#ids.length) {
      this.#ids = new Float64Array(this.#ids.buffer.transfer(this.#ids.byteLength * 2));
      this.#starts = new Uint32Array(this.#starts.buffer.transfer(this.#starts.byteLength * 2));
    }
    if (this.count % nameBlock === 0) this.#nameStarts.push(this.#words.stream.length);
    this.#ids[this.count] = this.last_id = company_id;
    this.#starts[this.count] = start;
    this.count += 1;
  }

  #endCompany(): void {
    if (this.count === 0) return;
    this.#terms.next();
    this.#words.next();
  }

  /** The segment. Ends the builder. */
  build(head: SegmentHead): SegmentData {
    this.#endCompany();
    const first_id = this.#ids[0]!;
    const ids = this.#ids.slice(0, this.count).map((id) => id - first_id);
    const words = this.#words.finish(this.count, 'by use');
    const pairs = new TermTable();
    for (const word of this.#words.terms) {
      for (let at = 0; at < word.length; at += 1) pairs.add(`${word} `.slice(at, at + 2));
      pairs.next();
    }
    return {
      head,
      ids: this.last_id - first_id < 2 ** 32 ? Uint32Array.from(ids) : ids,
      first_id,
      starts: this.#starts.slice(0, this.count),
      terms: this.#terms.finish(this.count, 'by text'),
      words,
      pairs: pairs.finish(words.ends.length, 'by text'),
      names: this.#words.stream.bytes.slice(0, this.#words.stream.length),
      nameStarts: Uint32Array.from(this.#nameStarts),
    };
  }
}
