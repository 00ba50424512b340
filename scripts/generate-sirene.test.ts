import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { stdnum } from 'stdnum';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArchive } from '../pipeline/dump/archive.ts';
import { readObjects } from '../fixtures/registry/fetching.ts';
import { writeStep } from './generate-sirene.ts';
import { expectEvents, type SireneOptions } from '../fixtures/sirene-country/country.ts';

type Row = Record<string, string>;
type Value = Date | bigint | boolean | string | null;

const options: SireneOptions = {
  seed: 1,
  units: 4000,
  steps: [
    { date: '2026-10-31' },
    { date: '2026-11-02', changes: 0.05 },
    { date: '2026-11-30', changes: 0.02 },
    { date: '2027-01-05', changes: 0.02 },
  ],
};

let root: string;
let units: Row[];
let establishments: Row[];

const files = ['StockUniteLegale_utf8', 'StockEtablissement_utf8'] as const;
const duplicateFile = 'StockDoublons_utf8';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'generate-sirene-'));
  await writeStep(options, 0, join(root, 'first'), 'csv');
  [units, establishments] = (await readStock('first')) as [Row[], Row[]];
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function readStock(name: string): Promise<Row[][]> {
  const texts = files.map((file) => readFile(join(root, name, `${file}.csv`)));
  return (await Promise.all(texts)).map((text) => parse<Row>(text, { columns: true }));
}

function share(rows: Row[], holds: (row: Row) => boolean): number {
  return rows.filter(holds).length / rows.length;
}

describe('the first stock', () => {
  test('has the columns of INSEE and is sorted by number', () => {
    expect(Object.keys(units[0]!)).toHaveLength(35);
    expect(Object.keys(establishments[0]!)).toHaveLength(54);
    const numbers = [units.map(({ siren }) => siren!), establishments.map(({ siret }) => siret!)];
    for (const list of numbers) {
      expect(new Set(list).size).toBe(list.length);
      expect(list.toSorted()).toEqual(list);
    }
    const wrong = numbers[0]!.filter((siren) => !stdnum.FR!.siren!.validate(siren).isValid);
    expect(wrong.length).toBeLessThan(3);
  });

  test('has the proportions of the real one', () => {
    expect(share(units, (row) => row.categorieJuridiqueUniteLegale === '1000')).toBeCloseTo(
      0.56,
      1,
    );
    expect(establishments.length / units.length).toBeCloseTo(1.47, 1);
    const isActive = (row: Row) => row.etatAdministratifEtablissement === 'A';
    expect(share(establishments, isActive)).toBeCloseTo(0.38, 1);
    expect(share(units, (row) => row.unitePurgeeUniteLegale === 'true')).toBeCloseTo(0.14, 1);
    expect(share(units, (row) => row.statutDiffusionUniteLegale === 'P')).toBeCloseTo(0.11, 1);
  });

  test('gives every unit one head office, and withholds the names of who objects', () => {
    const heads = establishments.filter((row) => row.etablissementSiege === 'true');
    expect(heads.map(({ siret }) => siret)).toEqual(
      units.map((row) => `${row.siren}${row.nicSiegeUniteLegale}`),
    );
    const persons = units.filter(
      (row) =>
        row.statutDiffusionUniteLegale === 'P' && row.categorieJuridiqueUniteLegale === '1000',
    );
    expect(new Set(persons.map((row) => row.nomUniteLegale))).toEqual(new Set(['[ND]']));
    expect(share(units, (row) => /[",]/.test(row.denominationUniteLegale!))).toBeGreaterThan(0.005);
  });
});

test('Duplicates of long ago stand for units of the stock, and are in it no more', async () => {
  const text = await readFile(join(root, 'first', `${duplicateFile}.csv`));
  const pairs = parse<Row>(text, { columns: true });
  expect(pairs.length).toBeGreaterThan(10);
  const known = new Set(units.map(({ siren }) => siren));
  for (const { siren, sirenDoublon } of pairs) {
    expect([known.has(siren), known.has(sirenDoublon)]).toEqual([true, false]);
  }
});

describe('the following dumps', () => {
  test('are a list of the day that tells what the stock of that day tells', async () => {
    await writeStep(options, 1, join(root, 'day'), 'delta');
    await writeStep(options, 1, join(root, 'stock'), 'csv');
    const [after] = (await readStock('stock')) as [Row[]];
    const known = new Map(units.map((row) => [row.siren, JSON.stringify(row)]));
    const changed = after.filter((row) => known.get(row.siren) !== JSON.stringify(row));
    const pages = await readObjects<{ unitesLegales: Row[] }>(join(root, 'day', 'siren.ndjson'));
    const listed = pages.flatMap(({ unitesLegales }) => unitesLegales);
    expect(listed.map(({ siren }) => siren)).toEqual(changed.map(({ siren }) => siren));
    expect(listed.length).toBeGreaterThan(100);
    expect(
      listed.every((row) => row.dateDernierTraitementUniteLegale!.startsWith('2026-11-02T')),
    ).toBe(true);
    const told = [...expectEvents(options, 1)];
    expect(told.length).toBeGreaterThan(50);
    const numbers = new Set(listed.map(({ siren }) => siren));
    expect(told.filter(({ siren }) => !numbers.has(siren))).toEqual([]);
  });

  test('of January 2027 lack a column, and every open unit has a code of NAF 2025', async () => {
    await writeStep(options, 3, join(root, 'recoded'), 'csv');
    const [recoded, places] = (await readStock('recoded')) as [Row[], Row[]];
    expect(Object.keys(recoded[0]!)).toHaveLength(34);
    expect(Object.keys(places[0]!)).toHaveLength(53);
    const open = recoded.filter((row) => row.etatAdministratifUniteLegale === 'A');
    const schemes = open.map((row) => row.nomenclatureActivitePrincipaleUniteLegale);
    expect(schemes.filter((scheme) => scheme !== 'NAF2025').length / open.length).toBeLessThan(
      0.01,
    );
    const told = [...expectEvents(options, 3)].map(({ event_type }) => event_type);
    const reclassified = told.filter((type) => type === 'COMPANY_ACTIVITIES_RECLASSIFIED').length;
    expect(reclassified / open.length).toBeGreaterThan(0.95);
  });
});

describe('the files', () => {
  const few = { ...options, units: 300 };

  test('hold the same rows in every format', async () => {
    for (const format of ['csv', 'csv.gz', 'zip', 'parquet'] as const) {
      await writeStep(few, 2, join(root, 'format'), format);
    }
    for (const file of [...files, duplicateFile]) {
      const path = join(root, 'format', file);
      const csv = await readFile(`${path}.csv`);
      expect(gunzipSync(await readFile(`${path}.csv.gz`)).equals(csv)).toBe(true);
      const zipped: Buffer[] = [];
      for await (const chunk of readArchive(`${path}.zip`)) zipped.push(chunk);
      expect(Buffer.concat(zipped).equals(csv)).toBe(true);
      const rows = await parquetReadObjects({
        file: await asyncBufferFromFile(`${path}.parquet`),
        compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
      });
      const written = rows.map((row) =>
        Object.values(row as Record<string, Value>).map(writeValue),
      );
      expect(written).toEqual(parse(csv, { from_line: 2 }));
    }
  });

  test('are the same every time, and others for another seed', async () => {
    const read = async (seed: number) => {
      const folder = join(root, `seed-${seed}`);
      await writeStep({ ...few, seed }, 2, folder, 'zip');
      return Promise.all(files.map((file) => readFile(join(folder, `${file}.zip`), 'base64')));
    };
    const first = await read(7);
    expect(await read(7)).toEqual(first);
    expect(await read(8)).not.toEqual(first);
  });

  test('are written by the command line, with what to expect beside them', async () => {
    const script = fileURLToPath(new URL('generate-sirene.ts', import.meta.url));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [script, join(root, 'line'), ...args], { encoding: 'utf8' });
    const dumps = ['--dump', 'stock:2026-10-31', '--dump', 'delta:2026-11-02:0.2'];
    const { status, stdout } = run('--units', '200', ...dumps);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^2026-10-31: 200 units, \d+ establishments, 0 events\n2026-11-02: /);
    expect((await readdir(join(root, 'line'))).toSorted()).toEqual([
      '2026-10-31',
      '2026-10-31.expected.ndjson',
      '2026-11-02',
      '2026-11-02.expected.ndjson',
    ]);
    const told = await readObjects(join(root, 'line', '2026-11-02.expected.ndjson'));
    expect(told.length).toBeGreaterThan(5);
    expect(run('--dump', 'delta:2026-11-02').status).toBe(2);
  });
});

/** A value of Parquet as the CSV has it. */
function writeValue(value: Value): string {
  if (value === null) return '';
  if (value instanceof Date) {
    const text = value.toISOString();
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
  }
  return String(value);
}
