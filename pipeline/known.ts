import { finished } from 'node:stream/promises';
import { escapeLiteral, type PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { KnownRecords } from './fingerprint.ts';

/** Bytes before the first tuple of binary COPY: signature, flags, length of the extension. */
const COPY_HEADER_BYTES = 19;
/** Bytes before the value of a tuple of one field: count of the fields, length of the field. */
const TUPLE_HEADER_BYTES = 6;

/**
 * Loads the fingerprints of the entries that the source showed last time.
 *
 * @param expected_count about how many there are
 */
export async function loadKnown(
  client: PoolClient,
  source: string,
  expected_count: number,
): Promise<KnownRecords> {
  const known = new KnownRecords(expected_count);
  // Large values in few rows: a row for each fingerprint costs more than the fingerprint itself.
  const copy = client.query(
    copyTo(`copy (
      select string_agg(int8send(fingerprint), '')
      from registry.entry_key
      where source = ${escapeLiteral(source)} and fingerprint is not null
      group by entry_id / 4096
    ) to stdout (format binary)`),
  );
  let rest: Buffer = Buffer.alloc(0);
  let isHeaderRead = false;
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (!isHeaderRead && data.length >= COPY_HEADER_BYTES) {
      data = data.subarray(COPY_HEADER_BYTES);
      isHeaderRead = true;
    }
    rest = isHeaderRead ? addTuples(known, data) : data;
  }
  return known;
}

/** @returns the bytes of the tuple that is not whole yet */
function addTuples(known: KnownRecords, data: Buffer): Buffer {
  let at = 0;
  while (at + TUPLE_HEADER_BYTES <= data.length && data.readInt16BE(at) === 1) {
    const start = at + TUPLE_HEADER_BYTES;
    const end = start + data.readInt32BE(at + 2);
    if (end > data.length) break;
    for (let print = start; print < end; print += 8) {
      known.add(data.readInt32BE(print), data.readInt32BE(print + 4));
    }
    at = end;
  }
  return data.subarray(at);
}

/** Sends the fingerprints that no record of today has to `stage.unmet`. */
export async function sendUnmet(client: PoolClient, known: KnownRecords): Promise<void> {
  const copy = client.query(copyFrom('copy stage.unmet (fingerprint) from stdin'));
  let lines: string[] = [];
  for (const fingerprint of known.unmet()) {
    lines.push(`${fingerprint}\n`);
    if (lines.length >= 10_000) {
      const text = lines.join('');
      lines = [];
      if (!copy.write(text)) await new Promise((resolve) => copy.once('drain', resolve));
    }
  }
  copy.end(lines.join(''));
  await finished(copy);
}
