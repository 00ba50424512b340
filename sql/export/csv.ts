import { escapeIdentifier, type PoolClient, types } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Passes the next bytes of an exported file to the receiver, and waits until the receiver has taken them. */
export type Put = (bytes: Uint8Array) => Promise<void>;

/** Matches a text that a spreadsheet would run as a formula, but not a telephone number such as +48 42 123 45 67. */
const formula = String.raw`^[=@\t\r]|^[+-].*[^\d\s().,/+-]`;

const textType: number = types.builtins.TEXT;

/** Writes rows as CSV, with an apostrophe before text that a spreadsheet would run as a formula; returns the count. */
export async function writeCsv(client: PoolClient, query: string, put: Put): Promise<number> {
  const { fields } = await client.query(`${query} limit 0`);
  const columns = fields.map(({ name, dataTypeID }) => {
    const column = escapeIdentifier(name);
    if (dataTypeID !== textType) return column;
    return `case when ${column} ~ '${formula}' then '''' || ${column} else ${column} end as ${column}`;
  });
  const neutral = `select ${columns.join(', ')} from (${query}) as exported`;
  const copy = client.query(copyTo(`copy (${neutral}) to stdout (format csv, header)`));
  for await (const chunk of copy) await put(chunk as Uint8Array);
  return copy.rowCount;
}
