import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { openPromise } from 'yauzl';

/** A row by the names of its columns, and `region`: the voivodeship of its report or ''. */
export type Row = Record<string, string>;

/** The bytes of the one member of a zip; throws when it is not named as in the real report. */
async function unzip(path: string): Promise<Buffer> {
  const zip = await openPromise(path);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== 'Zarejestrowane działalności.csv') throw new Error(entry.fileName);
    return buffer(await zip.openReadStreamPromise(entry));
  }
  throw new Error(`${path} is empty`);
}

/**
 * Reads the reports of one day for the tests, by file name and in row order, with what did not
 * write them: csv-parse, strict, which throws where a record has not the columns of the header.
 */
export async function readReports(folder: string): Promise<Map<string, Row[]>> {
  const reports = new Map<string, Row[]>();
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name);
    const stored = name.endsWith('.zip') ? await unzip(path) : await readFile(path);
    const bytes = name.endsWith('.gz') ? gunzipSync(stored) : stored;
    const region = / województwo (\S+?)\./u.exec(name)?.[1] ?? '';
    const rows = parse<Row>(bytes, {
      bom: true,
      delimiter: ';',
      columns: true,
      record_delimiter: '\r\n',
      on_record: (record) => ({ ...record, region }),
    });
    reports.set(name, rows);
  }
  return reports;
}
