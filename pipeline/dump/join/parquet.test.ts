import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as collect } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import {
  establishmentHeader,
  makeEstablishment,
  makeStock,
  makeUnit,
  stageStock,
  type StockRow,
  toCsv,
  unitFile,
  unitHeader,
} from '../../../fixtures/dump/sirene-stock.ts';
import { Refusal } from '../../errors.ts';
import { readParquet } from '../parquet/read-parquet.ts';

const db = await createTestDatabase();

type Kind = 'text' | 'bytes' | 'number' | 'float' | 'boolean' | 'date' | 'time' | 'list';

const elements: Record<Kind, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bytes: { type: 'BYTE_ARRAY' },
  number: { type: 'INT64' },
  float: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  list: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
};

const values: Record<Kind, (text: string) => unknown> = {
  text: (text) => text,
  bytes: (text) => Buffer.from(text, 'latin1'),
  number: BigInt,
  float: Number,
  boolean: (text) => text === 'true',
  date: (text) => new Date(`${text}T00:00:00Z`),
  list: (text) => [text],
  time: (text) => BigInt(Date.parse(`${text}Z`)) * 1000n,
};

/** Returns the type of a column in INSEE's Parquet files. */
function kindOf(name: string): Kind {
  if (/^date(?:Creation|Debut)/.test(name)) return 'date';
  if (name.startsWith('dateDernierTraitement')) return 'time';
  if (/^nombrePeriodes|^categorieJuridique/.test(name)) return 'number';
  return /^(?:etablissementSiege|unitePurgee)/.test(name) ? 'boolean' : 'text';
}

function toParquet(
  header: readonly string[],
  rows: readonly StockRow[],
  kinds: Record<string, Kind> = {},
  codec: 'ZSTD' | 'LZ4' = 'ZSTD',
  rowGroupSize = 2,
): Buffer {
  const columns = header.map((name) => {
    const kind = kinds[name] ?? kindOf(name);
    const data = rows.map((row) => {
      const text = row[name] ?? '';
      return text === '' ? null : values[kind](text);
    });
    return { name, kind, data };
  });
  const written = parquetWriteBuffer({
    columnData: columns.map(({ name, data }) => ({ name, data })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) => ({
        ...elements[kind],
        name,
        repetition_type: 'OPTIONAL' as const,
      })),
    ],
    codec,
    // ZSTD compresses the data even if the file names the codec LZ4, because the product refuses LZ4 unread.
    compressors: { [codec]: (bytes: Uint8Array) => zstdCompressSync(bytes) },
    rowGroupSize,
  });
  return Buffer.from(written);
}

const [one, two, three] = ['010000004', '320000001', '330000009'] as const;
const units = [
  makeUnit(one, { nicSiegeUniteLegale: '00065', denominationUniteLegale: 'DUPONT, "FILS"' }),
  makeUnit(two, { unitePurgeeUniteLegale: 'true', sigleUniteLegale: 'É\nF' }),
  makeUnit(three, { dateCreationUniteLegale: '1900-01-01' }),
];
const establishments = [
  makeEstablishment(one, '00065', { codePostalEtablissement: '01000' }),
  makeEstablishment(two),
  makeEstablishment(three, '00012', { etatAdministratifEtablissement: 'F' }),
];
const unitParquet = 'StockUniteLegale_utf8.parquet';
const establishmentParquet = 'StockEtablissement_utf8.parquet';
const good = {
  [unitParquet]: toParquet(unitHeader, units),
  [establishmentParquet]: toParquet(establishmentHeader, establishments),
};

describe('a stock in Parquet', async () => {
  test('says what the same stock says in CSV, to the fingerprint', async () => {
    const csv = await stageStock(db, makeStock(units, establishments));
    const withoutLine = ({ records }: typeof csv) => records.map((row) => ({ ...row, line: '' }));
    const parquet = await stageStock(db, good);
    expect(csv.records.length).toBe(3);
    expect(parquet.rejects).toEqual([]);
    expect(withoutLine(parquet)).toEqual(withoutLine(csv));
    expect((await stageStock(db, good, csv.yesterday)).records).toEqual([]);
    const { [unitFile]: unitCsv } = makeStock(units, []);
    const mixed = { [unitFile]: unitCsv!, [establishmentParquet]: good[establishmentParquet] };
    expect((await stageStock(db, mixed, csv.yesterday)).records).toEqual([]);
  });

  test('may have lost the leading zeros of its numbers', async () => {
    const numbers: Record<string, Kind> = {
      siren: 'number',
      nic: 'number',
      siret: 'number',
      nicSiegeUniteLegale: 'float',
    };
    const copied = {
      [unitParquet]: toParquet(unitHeader, units, numbers),
      [establishmentParquet]: toParquet(establishmentHeader, establishments, numbers),
    };
    const csv = await stageStock(db, makeStock(units, establishments));
    expect((await stageStock(db, copied, csv.yesterday)).records).toEqual([]);
    const { records } = await stageStock(db, copied);
    expect(records[0]).toMatchObject({ siren: one, nic_siege: '00065' });
    expect(records[0]!.details).toMatchObject([{ siret: `${one}00065`, code_postal: '01000' }]);
  });

  const bytes = good[unitParquet];
  const withoutKey = unitHeader.filter((name) => name !== 'siren');
  const nested = "'denominationUniteLegale' has a value that is no text, number, date or time";
  test.each<[string, Buffer, string]>([
    ['another schema', toParquet(withoutKey, units), ", line 1: the header lacks 'siren'"],
    ['a list', toParquet(unitHeader, units, { denominationUniteLegale: 'list' }), `: ${nested}`],
    [
      'another compression',
      toParquet(unitHeader, units, {}, 'LZ4'),
      ': parquet unsupported compression codec: LZ4',
    ],
    ['a lost end', bytes.subarray(0, -8), ': parquet file invalid'],
    ['another content', Buffer.from('siren\n'), ': parquet file'],
    ['damage', Buffer.from(bytes).fill(0xff, 4, 300), ': '],
  ])('is refused with %s', async (_, damaged, reason) => {
    const staging = stageStock(db, { ...good, [unitParquet]: damaged });
    await expect(staging).rejects.toThrow(Refusal);
    await expect(staging).rejects.toThrow(`${unitParquet}${reason}`);
  });

  test('loses the row alone whose text is not UTF-8', async () => {
    const wrong = toParquet(
      unitHeader,
      units.map((unit) => ({ ...unit, sigleUniteLegale: unit.siren === two ? 'É' : 'E' })),
      { sigleUniteLegale: 'bytes' },
    );
    const { records, rejects } = await stageStock(db, { ...good, [unitParquet]: wrong });
    expect(records.map(({ siren }) => siren)).toEqual([one, three]);
    expect(rejects).toEqual([`${unitParquet}, line 3: not UTF-8`]);
  });

  const header = [
    'siren',
    'denominationUniteLegale',
    'unitePurgeeUniteLegale',
    'dateCreationUniteLegale',
    'dateDernierTraitementUniteLegale',
  ];
  const names = ['DUPONT, "FILS"', 'É\nF', '', 'ATELIER', 'ATELIER'];
  const days = ['1900-01-01', '1900-03-01', '1969-12-31', '1970-01-01', '2000-02-29', '2099-12-31'];
  const makeRow = (at: number) => ({
    siren: String(100_000_000 + at),
    denominationUniteLegale: at % 7 === 6 ? `ATELIER ${at}` : names[at % 5]!,
    unitePurgeeUniteLegale: at % 8 === 0 ? 'true' : '',
    dateCreationUniteLegale: at % 3 === 0 ? '' : days[at % 6]!,
    dateDernierTraitementUniteLegale: at % 11 === 0 ? '' : `${days[at % 6]}T${clockOf(at)}`,
  });
  // The product keeps only the day of a point in time, so the expected CSV has no time of day.
  const asCsv = (rows: ReturnType<typeof makeRow>[]) =>
    toCsv(header, rows).replaceAll(/T[0-9:]{8}(?=\n)/g, '');
  const clockOf = (at: number) => new Date(at * 7000).toISOString().slice(11, 19);
  const read = async (path: string, separator: ',' | ';' = ',') => {
    const columns = header.map((name) => ({ header: name }));
    return await collect(readParquet(path, columns, separator, () => undefined));
  };

  const folder = await mkdtemp(join(tmpdir(), 'registry-parquet-'));

  test('is the same in one group of many rows and in small ones', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => makeRow(at));
    for (const group_rows of [50_000, 5000]) {
      const path = join(folder, `${group_rows}.parquet`);
      await writeFile(path, toParquet(header, rows, {}, 'ZSTD', group_rows));
      // `===` compares the texts, because a failing `toBe(text)` would print both huge texts.
      expect((await read(path)) === asCsv(rows)).toBe(true);
    }
  });

  test('has the days of any year as texts, and a text that is no day beyond the year 9999', async () => {
    const path = join(folder, 'years.parquet');
    const written = ['0000-01-01', '1582-10-15', '9999-12-31', '+012000-01-01', '-000001-12-31'];
    const name = 'dateCreationUniteLegale';
    const rows = written.map((day) => ({ [name]: day }));
    await writeFile(path, toParquet([name], rows));
    const lines = await collect(readParquet(path, [{ header: name }], ',', () => undefined));
    expect(lines.split('\n')).toEqual([name, ...written.map((day) => day.slice(0, 10)), '']);
  });

  // PyArrow 25 has written the Parquet files from the rows that `makeRow` returns, with small pages and a small
  // dictionary.
  test.each(['arrow-1-snappy', 'arrow-2-gzip'])('is the same as %s writes it', async (name) => {
    const path = fileURLToPath(new URL(`../../../fixtures/dump/${name}.parquet`, import.meta.url));
    const rows = Array.from({ length: 3000 }, (_, at) => makeRow(at));
    expect(await read(path)).toBe(asCsv(rows));
    const semicolons = asCsv(rows).replaceAll(',', ';');
    expect(await read(path, ';')).toBe(semicolons.replaceAll('DUPONT;', 'DUPONT,'));
  });
});
