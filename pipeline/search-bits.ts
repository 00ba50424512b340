import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { runFile } from '../sql/database.ts';

/** Numbers of a block, as a power of two. */
const blockBits = 13;
const blockBytes = 1 << (blockBits - 3);

/** Beginnings of an activity that have bits. */
const beginnings = [1, 2, 3];

/** Binary digits of a day of the year, and the years since which dates have bits. */
const dayDigits = 9;
const [firstYear, lastYear] = [1950, 2155];

interface Activity {
  /** The bits of its beginnings. */
  bits: Uint8Array[];
  places: number[];
}

/**
 * Which companies of one block have what. The same as `registry.search_terms` says of one company
 * after the other, which takes many times as long.
 */
class Block {
  readonly bits = new Map<string, Uint8Array>();
  readonly activities = new Map<string, Activity>();
  readonly #known = this.#bitsOf('start');
  readonly #days = Array.from({ length: dayDigits }, (_, digit) => this.#bitsOf(`start ${digit}`));
  readonly #years = Array.from(
    { length: lastYear - firstYear + 1 },
    () => new Uint8Array(blockBytes),
  );

  /** @param line a company as `readBlocks` gives it */
  add(line: string): void {
    const [no, status, voivodeship, legal_form, year, day, codes] = line.split('|');
    const place = Number(no);
    setBit(this.#bitsOf(`status ${status}`), place);
    if (voivodeship) setBit(this.#bitsOf(`voivodeship ${voivodeship}`), place);
    if (legal_form) setBit(this.#bitsOf(`legal_form ${legal_form}`), place);
    if (year) this.#setDate(Number(year), Number(day), place);
    if (!codes) return;
    for (const code of codes.split(' ')) {
      const { bits, places } = this.#activityOf(code);
      for (const some of bits) setBit(some, place);
      places.push(place);
    }
  }

  #bitsOf(term: string): Uint8Array {
    const known = this.bits.get(term);
    if (known) return known;
    const made = new Uint8Array(blockBytes);
    this.bits.set(term, made);
    return made;
  }

  #setDate(year: number, day: number, place: number): void {
    setBit(this.#known, place);
    if (year >= firstYear) setBit(this.#years[Math.min(year, lastYear) - firstYear]!, place);
    for (let digit = 0; digit < dayDigits; digit += 1) {
      if ((day >> digit) & 1) setBit(this.#days[digit]!, place);
    }
  }

  /** Once all companies are added: who began in a year began since all years before it. */
  finish(): void {
    for (let at = this.#years.length - 1; at >= 0; at -= 1) {
      const [year, next] = [this.#years[at]!, this.#years[at + 1]];
      if (next) for (let byte = 0; byte < blockBytes; byte += 1) year[byte]! |= next[byte]!;
      if (year.some(Boolean)) this.bits.set(`start ${firstYear + at}`, year);
    }
  }

  #activityOf(code: string): Activity {
    const known = this.activities.get(code);
    if (known) return known;
    const terms = new Set(beginnings.map((length) => `activity ${code.slice(0, length)}`));
    const made = { bits: [...terms].map((term) => this.#bitsOf(term)), places: [] };
    this.activities.set(code, made);
    return made;
  }
}

/** Bit 0 is the leftmost one, as in Postgres. */
function setBit(bits: Uint8Array, place: number): void {
  bits[place >> 3]! |= 0x80 >> (place & 7);
}

// What follows is the binary format of COPY: each field is preceded by its length in bytes.
const signature = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const trailer = Buffer.from([0xff, 0xff]);
/** The type of the elements of `smallint[]`. */
const smallintOid = 21;

/** A row up to its third and last field. */
function encodeKey(text: string, block: number, lastLength: number): Buffer {
  const head = Buffer.alloc(16 + Buffer.byteLength(text));
  let at = head.writeInt16BE(3);
  at = head.writeInt32BE(Buffer.byteLength(text), at);
  at += head.write(text, at);
  at = head.writeInt32BE(2, at);
  at = head.writeInt16BE(block, at);
  head.writeInt32BE(lastLength, at);
  return head;
}

function encodeBits(block: number, { bits }: Block): Buffer {
  const parts: Buffer[] = [];
  for (const [term, some] of bits) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(some.length * 8);
    parts.push(encodeKey(term, block, 4 + some.length), length, Buffer.from(some.buffer));
  }
  return Buffer.concat(parts);
}

function encodePlaces(block: number, { activities }: Block): Buffer {
  const parts: Buffer[] = [];
  for (const [code, { places }] of activities) {
    const array = Buffer.alloc(20 + 6 * places.length);
    // One dimension, no nulls; its length, and the number of its first element.
    let at = 0;
    for (const value of [1, 0, smallintOid, places.length, 1]) at = array.writeInt32BE(value, at);
    for (const place of places) {
      at = array.writeInt32BE(2, at);
      at = array.writeInt16BE(place, at);
    }
    parts.push(encodeKey(code, block, array.length), array);
  }
  return Buffer.concat(parts);
}

/** Makes a table and fills it; `end` makes it whole. */
async function openTable(client: PoolClient, name: string, key: string) {
  await client.query('begin');
  await runFile(client, `nightly/baseline/load_${name}.sql`);
  const copy = client.query(copyFrom(`copy stage.first_${name} from stdin (format binary)`));
  copy.write(signature);
  return {
    write: async (rows: Buffer) => {
      if (!copy.write(rows)) await once(copy, 'drain');
    },
    end: async () => {
      copy.end(trailer);
      await finished(copy);
      await client.query(
        `alter table stage.first_${name} add constraint first_${name}_pkey primary key (${key}, block)`,
      );
      await client.query('commit');
      await client.query(`analyze stage.first_${name} (${key}, block)`);
    },
  };
}

// A line a company: its place, what is known of it, its activities.
const readBlocks = `
  declare search_block no scroll cursor for
  select
    search_no >> ${blockBits} as block,
    string_agg(
      concat(
        search_no & ${(1 << blockBits) - 1}, '|', status, '|', voivodeship, '|', legal_form, '|',
        extract(year from activity_start), '|', registry.search_day(activity_start), '|',
        array_to_string(tsvector_to_array(codes), ' ')
      ),
      E'\\n'
    ) as companies
  from stage.first_search
  where not exists (
    select from stage.correction where correction.entry_id = first_search.company_id
  )
  group by search_no >> ${blockBits}`;

/**
 * Makes `stage.first_search_bits` and `stage.first_search_places` of what `stage.first_search` holds
 * and `stage.correction` does not take away.
 *
 * @param sessions none in a transaction: one reads, the others write
 */
export async function writeSearchBits(
  sessions: Record<'reader' | 'bits' | 'places', PoolClient>,
): Promise<void> {
  const { reader } = sessions;
  await reader.query('begin');
  await reader.query(readBlocks);
  const fetchBlock = () =>
    reader.query<{ block: number; companies: string }>('fetch 1 from search_block');
  const bits = await openTable(sessions.bits, 'search_bits', 'term');
  const places = await openTable(sessions.places, 'search_places', 'code');
  let next = fetchBlock();
  for (;;) {
    const [row] = (await next).rows;
    if (!row) break;
    // Fetched while this one is worked on.
    next = fetchBlock();
    const block = new Block();
    for (const line of row.companies.split('\n')) block.add(line);
    block.finish();
    await bits.write(encodeBits(row.block, block));
    await places.write(encodePlaces(row.block, block));
  }
  await Promise.all([bits.end(), places.end()]);
  await reader.query('commit');
}
