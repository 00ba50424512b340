import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { runFile } from '../../sql/database.ts';
import { CopyIn } from '../dump/copy-in.ts';
import { Block, blockOf } from './search-block.ts';

const [tab, newline, zero] = Buffer.from('\t\n0') as unknown as number[];

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

function encodeBits({ no, bits }: Block): Buffer {
  const parts: Buffer[] = [];
  for (const [term, some] of bits) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(some.length * 8);
    parts.push(encodeKey(term, no, 4 + some.length), length, Buffer.from(some.buffer));
  }
  return Buffer.concat(parts);
}

function encodePlaces({ no, activities }: Block): Buffer {
  const parts: Buffer[] = [];
  for (const { code, places } of activities) {
    const array = Buffer.alloc(20 + 6 * places.length);
    // One dimension, no nulls; its length, and the number of its first element.
    let at = 0;
    for (const value of [1, 0, smallintOid, places.length, 1]) at = array.writeInt32BE(value, at);
    // Byte by byte: there are several to each company.
    for (const place of places) {
      array[at + 3] = 2;
      array[at + 4] = place >> 8;
      array[at + 5] = place & 0xff;
      at += 6;
    }
    parts.push(encodeKey(code, no, array.length), array);
  }
  return Buffer.concat(parts);
}

/** Makes a table and fills it; `end` makes it whole. */
async function openTable(client: PoolClient, name: string, key: string) {
  await client.query('begin');
  await runFile(client, `nightly/baseline/load_${name}.sql`);
  const copy = new CopyIn(client, `copy stage.first_${name} from stdin (format binary)`);
  await copy.write(signature);
  return {
    write: (rows: Buffer) => copy.write(rows),
    end: async () => {
      await copy.write(trailer);
      await copy.end();
      await client.query(
        `alter table stage.first_${name} add constraint first_${name}_pkey primary key (${key}, block)`,
      );
      await client.query('commit');
      await client.query(`analyze stage.first_${name} (${key}, block)`);
    },
  };
}

// A line a company, in the order of their numbers. What was corrected is a hash that is asked, not a
// join, which would lose the order.
const readCompanies = `
  copy (
    select search_no, status, voivodeship, legal_form, activity_start, codes
    from stage.first_search
    where first_search.company_id not in (select correction.entry_id from stage.correction)
    order by search_no
  ) to stdout`;

/** One block after the other, each complete. */
async function* readBlocks(client: PoolClient): AsyncGenerator<Block> {
  let block: Block | undefined;
  let rest = Buffer.alloc(0);
  for await (const chunk of client.query(copyTo(readCompanies)) as AsyncIterable<Buffer>) {
    const text = Buffer.concat([rest, chunk]);
    let at = 0;
    for (const end = text.lastIndexOf(newline!); at < end;) {
      let search_no = 0;
      for (; text[at] !== tab; at += 1) search_no = search_no * 10 + text[at]! - zero!;
      if (block?.no !== blockOf(search_no)) {
        if (block) yield block;
        block = new Block(blockOf(search_no));
      }
      at = block.add(search_no, text, at + 1) + 1;
    }
    rest = text.subarray(at);
  }
  if (block) yield block;
}

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
  // The rows lie in that order already: to sort them again would be most of the work.
  await reader.query('begin; set local enable_sort = off');
  const bits = await openTable(sessions.bits, 'search_bits', 'term');
  const places = await openTable(sessions.places, 'search_places', 'code');
  for await (const block of readBlocks(reader)) {
    block.finish();
    await bits.write(encodeBits(block));
    await places.write(encodePlaces(block));
  }
  await Promise.all([bits.end(), places.end()]);
  await reader.query('commit');
}
