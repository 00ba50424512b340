import {
  activityKind,
  columns,
  dayOf,
  divisionKind,
  divisionLength,
  workforceText,
  type SegmentData,
  type SegmentHead,
} from './segment.ts';
import { nameBlock } from './names.ts';
import { TermTable } from './term-index.ts';

/** A row of `sql/api/search_rows.sql`: a company's id, and the values of one of its entries (null: no value). */
export type Row = [company_id: string, ...texts: (string | null)[]];

// PostgreSQL's COPY writes null as `\N`, and `\` as `\\`.
function readText(text: string): string | null {
  if (!text.includes('\\')) return text;
  return text === String.raw`\N` ? null : text.replaceAll('\\\\', '\\');
}

/** Calls `use` for each row of a COPY stream. A chunk of the stream may end in the middle of a row. */
export async function eachRow(chunks: AsyncIterable<string>, use: (row: Row) => void) {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) use(line.split('\t').map(readText) as Row);
  }
}

/** Builds a segment of the search index from rows. Cuts names into words, and words into pairs of characters. */
export class SegmentBuilder {
  readonly #ids: number[] = [];
  readonly #starts: number[] = [];
  readonly #nameStarts: number[] = [];
  readonly #terms = new TermTable();
  readonly #words = new TermTable();
  /** The names of the company that `add` added last. */
  #known: string[] = [];

  get count(): number {
    return this.#ids.length;
  }

  /** The id of the company that `add` added last. */
  get last_id(): number | undefined {
    return this.#ids.at(-1);
  }

  /** Adds a row: the first entry of a new company, or a further entry of the last company. */
  add([company_id, ...texts]: Row): void {
    const [start, name, codes, others, workforce] = texts.slice(columns.length);
    if (Number(company_id) !== this.last_id) {
      this.#endCompany();
      if (this.count % nameBlock === 0) this.#nameStarts.push(this.#words.stream.length);
      this.#ids.push(Number(company_id));
      this.#starts.push(start === null ? 0 : dayOf(start!));
      for (const kind of columns.keys()) {
        if (texts[kind] !== null) this.#terms.add(kind + texts[kind]!);
      }
      this.#known = [];
      if (name) this.#addName(name);
    }
    for (const other of others?.split('  ') ?? []) this.#addName(other);
    if (workforce) this.#terms.add(workforceText(Number(workforce)));
    for (const code of codes?.split(',') ?? []) {
      this.#terms.add(activityKind + code);
      this.#terms.add(divisionKind + code.slice(0, divisionLength));
    }
  }

  /** Adds a name to the last company, unless the name is part of another name of this company. */
  #addName(name: string): void {
    if (this.#known.some((one) => one.includes(name))) return;
    if (this.#known.length > 0) this.#words.add(' ');
    this.#known.push(name);
    for (const word of name.split(' ')) this.#words.add(` ${word}`);
  }

  #endCompany(): void {
    if (this.count === 0) return;
    this.#terms.next();
    this.#words.next();
  }

  /** Returns the finished segment, to which no row may be added. `TermTable.finish` (term-index.ts) makes bitmaps. */
  build(head: SegmentHead): SegmentData {
    this.#endCompany();
    const first_id = this.#ids[0] ?? 0;
    const ids = this.#ids.map((id) => id - first_id);
    const words = this.#words.finish(this.count, 'by use');
    const pairs = new TermTable();
    for (const word of this.#words.terms) {
      for (let at = 0; at < word.length; at += 1) pairs.add(`${word} `.slice(at, at + 2));
      pairs.next();
    }
    return {
      head,
      ids: (ids.at(-1) ?? 0) < 2 ** 32 ? Uint32Array.from(ids) : Float64Array.from(ids),
      first_id,
      starts: Uint32Array.from(this.#starts),
      terms: this.#terms.finish(this.count, 'by text'),
      words,
      pairs: pairs.finish(words.ends.length, 'by text'),
      names: this.#words.stream.bytes.slice(),
      nameStarts: Uint32Array.from(this.#nameStarts),
    };
  }
}
