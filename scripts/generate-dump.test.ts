import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stdnum } from 'stdnum';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReports, type Row } from '../fixtures/dump/report-reader.ts';
import { replay, writeDay, type DumpOptions, type ExpectedDay } from './generate-dump.ts';
import { changeKinds } from './generator/change.ts';

const from = '2026-09-01';
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'generate-dump-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** One hash of all names and bytes in a folder. */
async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).toSorted()) {
    hash.update(name).update(await readFile(join(folder, name)));
  }
  return hash.digest('hex');
}

function share(rows: Row[], holds: (row: Row) => boolean): number {
  return rows.filter(holds).length / rows.length;
}

/** True where the dates of a row agree with each other, its status and the date of the dump. */
function hasSoundDates(row: Row): boolean {
  const [start, pause] = [row.DataRozpoczeciaDzialalnosci!, row.DataZawieszeniaDzialalnosci!];
  const resumption = row.DataWznowieniaDzialalnosci!;
  if (!(start < from && pause < from && resumption < from)) return false;
  const isSuspended = row.StatusDzialalnosci === 'Zawieszony';
  return isSuspended
    ? pause > start && pause > resumption
    : resumption >= pause && (pause === '' || pause > start);
}

describe('the first dump', () => {
  let reports: Map<string, Row[]>;
  let rows: Row[];
  let expected: ExpectedDay;

  beforeAll(async () => {
    const folder = join(root, 'first');
    expected = await writeDay({ seed: 1, entries: 20_000, from }, 0, folder, 'csv');
    reports = await readReports(folder);
    rows = [...reports.values()].flat();
  });

  test('counts nothing and makes no events', () => {
    expect(expected).toEqual({
      date: from,
      new: 0,
      updated: 0,
      deleted: 0,
      total: 20_000,
      events: [],
    });
  });

  test('is 17 reports that parse strictly, with running row numbers', () => {
    expect(reports.size).toBe(17);
    expect(rows).toHaveLength(20_000);
    expect(Object.keys(rows[0]!)).toHaveLength(24 + 1);
    for (const report of reports.values()) {
      expect(report.map((row) => row['Lp.'])).toEqual(report.map((_, i) => String(i + 1)));
    }
    expect(share(rows, (row) => /[";]/.test(row.NazwaPodmiotu!))).toBeGreaterThan(0.05);
  });

  test('starts with a byte order mark, ends its lines with CRLF, and has rows of a real length', async () => {
    const names = await readdir(join(root, 'first'));
    const texts = await Promise.all(names.map((name) => readFile(join(root, 'first', name))));
    for (const text of texts) {
      expect(text.subarray(0, 7).toString()).toBe('\uFEFFLp.;');
      expect(text.subarray(-2).toString()).toBe('\r\n');
      expect(text.toString().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    }
    const wielkopolskie = texts[names.findIndex((name) => name.includes('wielkopolskie'))]!;
    const count = reports.get(names.find((name) => name.includes('wielkopolskie'))!)!.length;
    expect(Math.abs(wielkopolskie.length / count - 237)).toBeLessThan(12);
  });

  test('has valid numbers, unique but for the pairs that share a NIP', () => {
    const nips = rows.map((row) => row.Nip!).filter(Boolean);
    const regons = rows.map((row) => row.Regon!).filter(Boolean);
    expect(nips.filter((nip) => !stdnum.PL!.nip!.validate(nip).isValid)).toEqual([]);
    expect(regons.filter((regon) => !stdnum.PL!.regon!.validate(regon).isValid)).toEqual([]);
    expect(new Set(regons).size).toBe(regons.length);
    const shared = nips.length - new Set(nips).size;
    expect(shared).toBeGreaterThan(10);
    expect(shared).toBeLessThan(60);
    const keys = rows.map(
      ({ Regon, Nip, Nazwisko, Imie, NazwaPodmiotu, DataRozpoczeciaDzialalnosci: start }) =>
        Regon || Nip || [Nazwisko, Imie, NazwaPodmiotu, start].join('|'),
    );
    expect(new Set(keys).size).toBe(rows.length);
  });

  test('has the proportions of the real report', () => {
    const is = (status: string): number => share(rows, (r) => r.StatusDzialalnosci === status);
    expect(is('Aktywny')).toBeCloseTo(0.765, 2);
    expect(is('Zawieszony')).toBeCloseTo(0.203, 2);
    const partnership = 'Działalność prowadzona wyłącznie w formie spółki cywilnej';
    expect(is(partnership)).toBeCloseTo(0.032, 2);
    expect(share(rows, (row) => row.RokPKD === '2007')).toBeCloseTo(0.586, 2);
    expect(share(rows, (row) => !row.Nip && !row.Regon)).toBeCloseTo(0.0011, 3);
    const nowhere = rows.filter((row) => row.region === '');
    expect(nowhere.length / rows.length).toBeCloseTo(0.2, 2);
    expect(share(nowhere, (row) => row.Miejscowosc === '')).toBeCloseTo(0.998, 2);
    const sizes = [...reports].toSorted(([, a], [, b]) => b.length - a.length);
    expect(sizes[1]![0]).toContain('mazowieckie');
  });

  test('has dates that fit together and lie before it', () => {
    expect(rows.filter((row) => !hasSoundDates(row))).toEqual([]);
  });
});

describe('the following days', () => {
  test('keep the order of the rows; only their numbers shift', async () => {
    const shares = { gone: 0.01, new: 0.01 };
    const options: DumpOptions = { seed: 5, entries: 2000, from, shares };
    const order = async (day: number): Promise<string[]> => {
      await writeDay(options, day, join(root, `order-${day}`), 'csv');
      const reports = await readReports(join(root, `order-${day}`));
      const numbered = [...reports.values()].flat().filter((row) => row.Regon !== '');
      return numbered.map((row) => `${row.region} ${row.Regon}`);
    };
    const [before, after] = [await order(0), await order(1)];
    expect(before.filter((row) => after.includes(row))).toEqual(
      after.filter((row) => before.includes(row)),
    );
    expect(after).not.toEqual(before);
  });

  test('obey the shares: one kind alone, none at all, or all of them scaled', () => {
    const options: DumpOptions = { seed: 1, entries: 10_000, from };
    const none = Object.fromEntries(changeKinds.map((kind) => [kind, 0]));
    const countKinds = (more: Partial<DumpOptions>) => replay({ ...options, ...more }, 1).counts;
    const count = (more: Partial<DumpOptions>): number =>
      Object.values(countKinds(more)).reduce((sum, n) => sum + n, 0);
    expect(count({ changes: 0 })).toBe(0);
    expect(count({ shares: { ...none, name: 0.02 } })).toBe(200);
    expect(countKinds({ shares: { ...none, name: 0.02 } })).toMatchObject({ name: 200 });
    expect(Math.abs(count({ changes: 0.05 }) - 500)).toBeLessThan(25);
    expect(() => countKinds({ shares: { name: 2 } })).toThrow(RangeError);
  });
});

describe('the files', () => {
  const options: DumpOptions = { seed: 7, entries: 1000, from };

  test('are the same bytes every time, whether or not the days before were written', async () => {
    await writeDay(options, 2, join(root, 'once'));
    await writeDay(options, 0, join(root, 'again'));
    await writeDay(options, 1, join(root, 'again'));
    await writeDay(options, 2, join(root, 'again'));
    expect(await hashFolder(join(root, 'again'))).toBe(await hashFolder(join(root, 'once')));
    await writeDay({ ...options, seed: 8 }, 2, join(root, 'other'));
    expect(await hashFolder(join(root, 'other'))).not.toBe(await hashFolder(join(root, 'once')));
  });

  test('hold the same rows in all three formats, and replace those of another format', async () => {
    const folder = join(root, 'format');
    const rows: Row[][] = [];
    for (const format of ['zip', 'csv.gz', 'csv'] as const) {
      await writeDay(options, 1, folder, format);
      const reports = await readReports(folder);
      expect([...reports.keys()].filter((name) => name.endsWith(`.${format}`))).toHaveLength(17);
      expect(reports.size).toBe(17);
      if (format === 'zip') {
        const stored = await readFile(join(folder, [...reports.keys()][0]!));
        expect(stored.includes('Zarejestrowane działalności.csv')).toBe(true);
      }
      rows.push([...reports.values()].flat());
    }
    expect(rows[1]).toEqual(rows[0]);
    expect(rows[2]).toEqual(rows[0]);
  });

  test('that cannot be written reject', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(writeDay(options, 0, join(root, 'file'))).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('the command line', () => {
  const script = fileURLToPath(new URL('generate-dump.ts', import.meta.url));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  test('writes a folder a day and what to expect beside it', async () => {
    const folder = join(root, 'line');
    const { status, stdout } = run(folder, '--entries', '500', '--from', from, '--days', '2');
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toBe(
      '2026-09-01: 500 rows, 0 new, 0 updated, 0 deleted, 0 events',
    );
    expect(await readdir(folder)).toHaveLength(4);
    const text = await readFile(join(folder, '2026-09-02.expected.json'), 'utf8');
    const options = { seed: 1, entries: 500, from };
    expect(JSON.parse(text)).toEqual(await writeDay(options, 1, join(root, 'library')));
    expect(await hashFolder(join(folder, '2026-09-02'))).toBe(
      await hashFolder(join(root, 'library')),
    );
  });

  test.each([
    ['no date', []],
    ['a date that does not exist', ['--from', '2026-02-30']],
    ['half an entry', ['--from', from, '--entries', '0.5']],
    ['no number', ['--from', from, '--seed', 'x']],
    ['an unknown format', ['--from', from, '--format', 'rar']],
    ['an unknown option', ['--from', from, '--country', 'FR']],
  ])('says why and leaves with 2: %s', (_, args) => {
    const { status, stderr } = run(join(root, 'never'), ...args);
    expect(status).toBe(2);
    expect(stderr).not.toBe('');
  });
});
