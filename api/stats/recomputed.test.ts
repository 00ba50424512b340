import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { readReports, type Row } from '../../fixtures/dump/report-reader.ts';
import { verify } from '../../pipeline/night/verify.ts';
import { writeDay } from '../../fixtures/generator/ceidg/dump.ts';

/**
 * The days that are published, by their distance from `from`. Two days are missing, one of them at the end of the
 * month.
 */
const nights = [0, 1, 3, 5, 6];
const from = '2026-10-28';

/**
 * The shares of the generator's changes that would change an entry's key are 0, because the test identifies entries by
 * their keys.
 */
const never = { regon_assigned: 0, regon_changed: 0, regon_revoked: 0 };
const steady = { ...never, nip_assigned: 0, nip_changed: 0, nip_revoked: 0, new_shared: 0 };
const moving = {
  suspended: 0.03,
  resumed: 0.02,
  address: 0.05,
  main_replaced: 0.03,
  reclassified: 0.1,
  back: 0.01,
  gone: 0.02,
  new: 0.02,
};

interface Entry {
  voivodeship: string | null;
  section: string | null;
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  code: string;
  year: string;
}

type Group = Pick<Entry, 'voivodeship' | 'section'>;
type Day = { date: string; entries: Map<string, Entry> };

const { database, api } = await useApi();
const days: Day[] = [];

async function readTable(name: string): Promise<string[][]> {
  const path = join(import.meta.dirname, '../../sql/country/pl', `${name}.csv`);
  const lines = (await readFile(path, 'utf8')).trim().split('\n').slice(1);
  return lines.map((line) => line.split(','));
}

/**
 * Reads the official recoding table of activity codes. Returns `sectionOf` (the section of a code) and `successorsOf`
 * (the codes of 2025 for a code of 2007).
 */
async function readKey() {
  const sections = await readTable('activity_section');
  const key = Map.groupBy(await readTable('activity_recoding'), ([, old]) => old!);
  const successorsOf = (code: string) => key.get(code)?.map(([, , , now]) => now!) ?? [code];
  const ofDivision = (code: string) =>
    sections.find(
      ([, first, last]) => first! <= code.slice(0, 2) && code.slice(0, 2) <= last!,
    )?.[0];
  const sectionOf = (code: string, year: string) => {
    const found = new Set(year === '2007' ? successorsOf(code).map(ofDivision) : []);
    return (found.size === 1 ? [...found][0] : ofDivision(code)) ?? null;
  };
  return { successorsOf, sectionOf };
}

let key: Awaited<ReturnType<typeof readKey>>;

function readEntry(row: Row, report: string, date: string): [string, Entry] {
  const value = (name: string) => (row[name] ?? '').trim().replaceAll(/\s+/g, ' ');
  const names = ['Nazwisko', 'Imie', 'NazwaPodmiotu', 'DataRozpoczeciaDzialalnosci'];
  const [code, year] = [value('GlownyKodPkd'), value('RokPKD')];
  const end = value('DataZakonczeniaDzialalnosci');
  const isPaused =
    value('StatusDzialalnosci') === 'Zawieszony' && value('DataZawieszeniaDzialalnosci') <= date;
  return [
    value('Regon') || value('Nip') || names.map(value).join('|'),
    {
      voivodeship: /województwo (.+?)(\.|$)/.exec(report)?.[1] ?? null,
      section: key.sectionOf(code, year),
      status: end !== '' && end <= date ? 'DELETED' : isPaused ? 'SUSPENDED' : 'ACTIVE',
      code,
      year,
    },
  ];
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recomputed-'));
  key = await readKey();
  const options = { seed: 7, entries: 800, from, shares: { ...steady, ...moving } };
  for (const night of nights) {
    const path = join(folder, String(night));
    const { date } = await writeDay(options, night, path, 'csv');
    await runDump(database, path, date, { reason: 'many changes' });
    const reports = [...(await readReports(path))].flatMap(([report, rows]) =>
      rows.map((row) => readEntry(row, report, date)),
    );
    days.push({ date, entries: new Map(reports) });
  }
}, 300_000);

const stands = (entry: Entry | undefined): entry is Entry =>
  entry !== undefined && entry.status !== 'DELETED';

const flows = [
  'new',
  'ended',
  'suspended',
  'resumed',
  'births',
  'returns',
  'moved_in',
  'moved_out',
  'recoded_in',
  'recoded_out',
];

/** Counts the stock and the flows of a day or month for one group of entries, from the dumps alone. */
function count(at: number, isOf: (entry: Group) => boolean) {
  const { entries } = days[at]!;
  const [before, earlier] = [days[at - 1], days.slice(0, at)];
  const counted: Record<string, number | null> = Object.fromEntries(
    flows.map((flow) => [flow, before ? 0 : null]),
  );
  const stock = { ACTIVE: 0, SUSPENDED: 0, DELETED: 0 };
  for (const entry of entries.values()) if (isOf(entry)) stock[entry.status] += 1;
  const add = (flow: string) => (counted[flow] = (counted[flow] ?? 0) + 1);
  for (const one of before ? new Set([...before.entries.keys(), ...entries.keys()]) : []) {
    const [old, now] = [before!.entries.get(one), entries.get(one)];
    if (stands(now) && !stands(old) && isOf(now)) {
      add('new');
      add(earlier.some((day) => day.entries.has(one)) ? 'returns' : 'births');
    }
    if (stands(old) && !stands(now) && isOf(old)) add('ended');
    if (!stands(old) || !stands(now)) continue;
    if (isOf(now) && old.status === 'ACTIVE' && now.status === 'SUSPENDED') add('suspended');
    if (isOf(now) && old.status === 'SUSPENDED' && now.status === 'ACTIVE') add('resumed');
    if (isOf(old) === isOf(now)) continue;
    const isRecoded =
      old.voivodeship === now.voivodeship &&
      old.year < now.year &&
      key.successorsOf(old.code).includes(now.code);
    add(`${isRecoded ? 'recoded' : 'moved'}_${isOf(now) ? 'in' : 'out'}`);
  }
  return { stock, counted };
}

const flatten = ({ stock, counted }: ReturnType<typeof count>) => ({ stock, ...counted });

interface Point extends Record<string, unknown> {
  date: string;
  group?: Partial<Group>;
}

async function seriesOf(query: string): Promise<Point[]> {
  const response = await api.ask(`/api/v1/stats/series?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { series: Point[] }).series;
}

/** Returns the fields of an API point that `count` computes, too. */
const shown = (point: Point) =>
  Object.fromEntries(['stock', ...flows].map((name) => [name, point[name]]));

describe('a recomputation from the dumps', () => {
  test('meets every kind of flow, and verify agrees', async () => {
    expect(await verify(database, 'ceidg')).toEqual([]);
    const sections = 'ABCDEFGHIJKLMNOPQRSTUV'.split('');
    const counts = days.flatMap((_, at) =>
      sections.map((one) => count(at, ({ section }) => section === one).counted),
    );
    const missing = flows.filter((flow) => !counts.some((counted) => Number(counted[flow]) > 0));
    expect(missing).toEqual([]);
  });

  test.each<[string, (entry: Group) => boolean]>([
    ['', () => true],
    ['voivodeship=none', ({ voivodeship }) => voivodeship === null],
    ['voivodeship=mazowieckie', ({ voivodeship }) => voivodeship === 'mazowieckie'],
    ['section=G', ({ section }) => section === 'G'],
    [
      'section=F&voivodeship=slaskie',
      ({ section, voivodeship }) => section === 'F' && voivodeship === 'śląskie',
    ],
  ])('equals the series of each selection by day: %s', async (query, isOf) => {
    const series = await seriesOf(query);
    expect(series.map(({ date }) => date)).toEqual(days.map(({ date }) => date));
    expect(series.map(shown)).toEqual(days.map((_, at) => flatten(count(at, isOf))));
    expect(series.map((point) => point['days_covered'])).toEqual([null, 1, 2, 2, 1]);
  });

  test.each(['voivodeship', 'section', 'voivodeship,section'])(
    'equals the series of each group by day: %s',
    async (group_by) => {
      const series = await seriesOf(`group_by=${group_by}`);
      const expected = series.map(({ date, group }) => {
        const at = days.findIndex((day) => day.date === date);
        const names = Object.keys(group!) as (keyof Group)[];
        return flatten(count(at, (entry) => names.every((name) => entry[name] === group![name])));
      });
      expect(series.map(shown)).toEqual(expected);
      const groups = new Set(
        days.flatMap(({ entries }) =>
          [...entries.values()].map((entry) =>
            group_by
              .split(',')
              .map((name) => entry[name as keyof Group])
              .join('|'),
          ),
        ),
      );
      expect(series.length).toBe(groups.size * days.length);
    },
  );

  test('equals the series of each group by month, whose flows are those of its nights', async () => {
    const series = await seriesOf('by=month&group_by=section');
    expect(new Set(series.map(({ date }) => date))).toEqual(new Set(['2026-10-01', '2026-11-01']));
    const expected = series.map(({ date, group }) => {
      const ofMonth = [...days.keys()].filter(
        (at) => days[at]!.date.slice(0, 7) === date.slice(0, 7),
      );
      const counted = ofMonth.map((at) => count(at, ({ section }) => section === group!.section));
      const sum = (flow: string) =>
        counted.reduce((total, day) => total + Number(day.counted[flow]), 0);
      return {
        stock: counted.at(-1)!.stock,
        ...Object.fromEntries(flows.map((flow) => [flow, sum(flow)])),
      };
    });
    expect(series.map(shown)).toEqual(expected);
    const [october, november] = await seriesOf('by=month');
    expect(october).toMatchObject({ days_covered: 3, days_with_data: 3, is_partial: true });
    expect(november).toMatchObject({ days_covered: 3, days_with_data: 2, is_partial: true });
  });
});
