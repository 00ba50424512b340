import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import {
  establishmentFile,
  makeEstablishment,
  makeStock,
  makeUnit,
  source,
  stageStock,
  type StockFiles,
  unitFile,
} from '../../../fixtures/dump/sirene-stock.ts';
import { Refusal } from '../../errors.ts';
import { findKind, listDump } from '../files.ts';

const db = await createTestDatabase();

const [one, two, three] = ['310000003', '320000001', '330000009'] as const;
const units = [makeUnit(one), makeUnit(two), makeUnit(three)];
const establishments = [one, two, three].map((siren) => makeEstablishment(siren));
const good = makeStock(units, establishments);

/** Returns a zip of `content` in the ZIP64 format, which INSEE uses for files of more than 4 GB. */
async function makeZip64(content: Buffer): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(content, establishmentFile, { forceZip64Format: true });
  zip.end({ forceZip64Format: true, comment: '' });
  return buffer(zip.outputStream);
}

/** Stages a dump that must be refused. @returns the sentence of the refusal */
async function refuse(files: StockFiles): Promise<string> {
  const error: unknown = await stageStock(db, files).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  return (error as Refusal).message;
}

/** Stages a dump. Returns the SIRENs of the staged units, and the rejected rows. */
async function stage(files: StockFiles) {
  const { records, rejects } = await stageStock(db, files);
  return { sirens: records.map(({ siren }) => siren), rejects };
}

describe('a dump is refused', () => {
  test.each([
    [unitFile, 'StockEtablissement'],
    [establishmentFile, 'StockUniteLegale'],
  ])('with nothing but %s', async (file, other) => {
    const sentence = `${other} is missing: a dump needs it beside ${file}`;
    expect(await refuse({ [file]: good[file]! })).toBe(sentence);
  });

  test('whose stocks are of different months, and not for a day between them', async () => {
    const touch = (day: string) => {
      const touched = { dateDernierTraitementEtablissement: `${day}T09:00:00` };
      return makeStock(
        units,
        establishments.map((row) => ({ ...row, ...touched })),
      );
    };
    const near = await stageStock(db, touch('2026-10-31'));
    expect(near.records.length).toBe(3);
    expect(await refuse(touch('2026-11-30'))).toBe(
      `${unitFile} goes up to 2026-10-30, and ${establishmentFile} up to 2026-11-30: ` +
        'the files are not of the same month',
    );
  });

  test('whose establishments are cut off', async () => {
    const many = Array.from({ length: 300 }, (_, at) => makeUnit(String(400_000_000 + at)));
    const theirs = many.map(({ siren }) => makeEstablishment(siren!));
    const cut = await stageStock(db, makeStock(many, theirs.slice(0, 200)));
    expect(cut.records.length).toBe(300);
    expect(await refuse(makeStock(many, theirs.slice(0, 199)))).toBe(
      `${establishmentFile}: 101 of 300 rows of ${unitFile} have no row of their siren in it, ` +
        'perhaps it is cut off',
    );
  });

  test('that is larger than 16 MB and not sorted', async () => {
    const denominationUniteLegale = 'X'.repeat(32_000);
    const rows = Array.from({ length: 530 }, (_, at) =>
      makeUnit(String(400_000_000 + at), { denominationUniteLegale }),
    );
    expect(await refuse(makeStock([...rows, makeUnit(one)], []))).toBe(
      `${unitFile}, line 532: siren ${one} after 400000529; ` +
        'a file of more than 16,777,216 bytes must be sorted by siren',
    );
  });
});

describe('a row is rejected, and no other one,', () => {
  test('of an establishment without its unit', async () => {
    const stray = makeEstablishment('325000007');
    const rows = [establishments[0]!, stray, establishments[1]!, establishments[2]!];
    expect(await stage(makeStock(units, [...rows, makeEstablishment('990000006')]))).toEqual({
      sirens: [one, two, three],
      rejects: [
        `${establishmentFile}, line 3: no row of this siren in ${unitFile}`,
        `${establishmentFile}, line 6: no row of this siren in ${unitFile}`,
      ],
    });
  });

  test('but not of a unit without establishments', async () => {
    const { records, rejects } = await stageStock(db, makeStock(units, establishments.slice(1)));
    expect(rejects).toEqual([]);
    expect(records[0]).toMatchObject({ siren: one, details: [] });
  });

  test('of a unit that has fields too many, no number, or bytes that are not UTF-8', async () => {
    const lines = String(good[unitFile]).split('\n');
    const bad = [lines[1], `${lines[1]},`, lines[2]!.replace(two, '32000000X'), lines[3]];
    const bytes = Buffer.from(
      [lines[0], ...bad, ''].join('\n').replace(`ATELIER ${three}`, 'ÿ'),
      'latin1',
    );
    const { sirens, rejects } = await stage({ ...good, [unitFile]: bytes });
    expect(sirens).toEqual([one]);
    expect(rejects).toEqual([
      `${establishmentFile}, line 3: no row of this siren in ${unitFile}`,
      `${unitFile}, line 3: 36 fields instead of 35`,
      `${unitFile}, line 4: no siren of 9 digits`,
      `${unitFile}, line 5: not UTF-8`,
    ]);
  });

  test('and with an establishment that cannot be read the units that it may belong to', async () => {
    const lines = String(good[establishmentFile]).split('\n');
    const others = { ...good, [establishmentFile]: lines.with(2, '"lost').join('\n') };
    expect(await stage(others)).toEqual({
      sirens: [],
      rejects: [
        `${establishmentFile}, line 3: a quote that never closes`,
        `${unitFile}, line 2: ${establishmentFile}, line 3: a quote that never closes`,
        `${unitFile}, line 3: ${establishmentFile}, line 4: it follows a row that cannot be read`,
        `${unitFile}, line 4: ${establishmentFile}, line 4: it follows a row that cannot be read`,
      ],
    });
  });

  test('and with the last establishment, which is cut, all units after the one before it', async () => {
    const text = String(good[establishmentFile]).slice(0, -40);
    expect(await stage({ ...good, [establishmentFile]: text })).toMatchObject({ sirens: [one] });
  });

  test('when two rows of an establishment contradict each other; equal ones count once', async () => {
    const [first, second, third] = establishments as [object, object, object];
    const moved = { ...second, libelleVoieEtablissement: 'DES ROSES' };
    const files = makeStock(units, [first, first, second, moved, third] as typeof establishments);
    const { records, rejects } = await stageStock(db, files);
    expect(records.map(({ siren, details }) => [siren, (details as object[]).length])).toEqual([
      [one, 1],
      [three, 1],
    ]);
    expect(rejects).toEqual([
      `${unitFile}, line 3: ${establishmentFile}, line 5: ` +
        `another row of siret ${two}00012 than in line 4`,
    ]);
  });

  test('when a unit is there twice, both with its establishments', async () => {
    const twice = makeStock([units[0]!, ...units], establishments);
    const { records, yesterday } = await stageStock(db, twice);
    expect(
      records.map(({ siren, line, details }) => [siren, line, (details as object[]).length]),
    ).toEqual([
      [one, '2', 1],
      [one, '3', 1],
      [two, '4', 1],
      [three, '5', 1],
    ]);
    expect(yesterday[0]).toBe(yesterday[1]);
  });
});

test('a zip of 64 bits is read', async () => {
  const { [establishmentFile]: csv, ...others } = good;
  const zip = await makeZip64(Buffer.from(csv!));
  const files = { ...others, 'StockEtablissement_utf8.zip': zip };
  expect((await stage(files)).sirens).toEqual([one, two, three]);
});

test('histories and successions are other files, which are ignored', async () => {
  const more = {
    'StockUniteLegaleHistorique_utf8.csv': 'siren\n',
    'StockEtablissementLiensSuccession_utf8.zip': 'siren\n',
  };
  expect(await stage({ ...good, ...more })).toEqual({ sirens: [one, two, three], rejects: [] });
});

test('a folder of answers is a delta, one of stocks is full, and one of both is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'registry-kind-'));
  await mkdir(join(folder, '2026-11-20'));
  await writeFile(join(folder, '2026-11-20', 'siren.ndjson'), '');
  expect(await findKind(source, folder)).toBe('delta');
  const { files, ignored } = await listDump(source, folder);
  expect(files.map(({ file }) => file)).toEqual(['2026-11-20/siren.ndjson']);
  expect(ignored).toEqual([]);
  for (const [file, content] of Object.entries(good)) await writeFile(join(folder, file), content);
  await expect(listDump(source, folder)).rejects.toThrow(
    /^Stock\w+\.csv is part of a full dump, and 2026-11-20\/siren\.ndjson of a delta: /,
  );
  await rm(join(folder, '2026-11-20'), { recursive: true });
  expect(await findKind(source, folder)).toBe('full');
});
