import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';
import { runAllSources, sources } from '../fixtures/dump/three-sources.ts';
import { queryFile } from './connection/database.ts';
import { verify } from '../pipeline/night/verify.ts';

let db: TestDatabase;
const readme = new URL('README.md', import.meta.url);

beforeAll(async () => {
  db = await createTestDatabase();
  await runAllSources(db);
}, 300_000);

afterAll(() => db.drop());

/** Runs a query as the role that analysts have, after changes of the owner that do not stay. */
async function ask(query: string, changes = ''): Promise<Record<string, unknown>[]> {
  const client = await db.pool.connect();
  try {
    await client.query(`begin; ${changes}; set local role registry_reader`);
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The rows of a query, each as one line. */
async function linesOf(query: string, changes?: string): Promise<string[]> {
  const rows = await ask(`select asked::text as line from (${query}) as asked`, changes);
  return rows.map(({ line }) => String(line).slice(1, -1).replaceAll(',', ' '));
}

interface Column {
  view: string;
  about_view: string | null;
  name: string;
  type: string;
  about: string | null;
}

/** Every column of every view, in the order of the dictionary, with what its comment says. */
function listColumns(): Promise<Column[]> {
  return queryFile<Column>(db.pool, 'api/data_dictionary.sql');
}

async function writeDictionary(): Promise<string> {
  const columns = Map.groupBy(await listColumns(), ({ view }) => view);
  const sections = [...columns].map(([view, ofView]) =>
    [
      `### analyst.${view}\n`,
      `${ofView[0]!.about_view}\n`,
      '| column | type | meaning |',
      '| --- | --- | --- |',
      ...ofView.map(({ name, type, about }) => `| \`${name}\` | ${type} | ${about} |`),
    ].join('\n'),
  );
  return sections.join('\n\n');
}

describe('stock and flow', () => {
  test('are proved by verify', async () => {
    for (const source of sources) expect(await verify(db, source)).toEqual([]);
  });

  test('say how many entries stand on each day', async () => {
    const stock = await linesOf(`
      select date, status, sum(entry_count)
      from analyst.stock_daily
      where source = 'ceidg'
      group by date, status
      order by date, status
    `);
    expect(stock).toEqual([
      '2026-11-02 ACTIVE 75',
      '2026-11-02 DELETED 1',
      '2026-11-02 SUSPENDED 5',
      '2026-11-03 ACTIVE 75',
      '2026-11-03 DELETED 1',
      '2026-11-03 SUSPENDED 6',
      '2026-11-04 ACTIVE 72',
      '2026-11-04 DELETED 1',
      '2026-11-04 SUSPENDED 8',
      '2026-11-05 ACTIVE 71',
      '2026-11-05 DELETED 3',
      '2026-11-05 SUSPENDED 7',
      '2026-11-06 ACTIVE 72',
      '2026-11-06 DELETED 2',
      '2026-11-06 SUSPENDED 6',
    ]);
  });

  test('say what came, ended, was suspended and resumed; a baseline has no flow', async () => {
    const flow = await linesOf(`
      select date, source, sum(new), sum(ended), sum(suspended), sum(resumed)
      from analyst.flow_daily
      group by date, source
      order by source, date
    `);
    expect(flow).toEqual([
      '2026-11-03 ceidg 2 1 1 0',
      '2026-11-04 ceidg 2 3 1 0',
      '2026-11-05 ceidg 2 4 1 1',
      '2026-11-06 ceidg 2 2 0 1',
      '2026-11-03 krs 0 0 1 0',
      '2026-11-04 krs 1 0 0 1',
      '2026-11-05 krs 1 0 0 1',
      '2026-11-06 krs 0 1 0 0',
      '2026-11-03 regon 1 0 1 0',
      '2026-11-04 regon 0 2 0 1',
      '2026-11-05 regon 0 1 1 0',
      '2026-11-06 regon 2 2 0 0',
    ]);
  });

  test('have in sum the entries of the daily statistics', async () => {
    const differing = await ask(`
      select daily_stat.source, daily_stat.date
      from analyst.daily_stat
      left join analyst.stock_daily using (source, date)
      group by daily_stat.source, daily_stat.date, daily_stat.entry_count
      having sum(stock_daily.entry_count) is distinct from daily_stat.entry_count
    `);
    expect(differing).toEqual([]);
  });

  test('of one day are what the download of that day has', async () => {
    const { rows } = await db.pool.query(`
      with stock as (
          select stock_daily::text as line from analyst.stock_daily
      ),

      downloaded as (
          select of_day::text as line
          from (select distinct date from analyst.daily_stat) as snapshot
          cross join lateral registry.stock_of_day(snapshot.date) as of_day
      )

      (table stock except all table downloaded) union all
      (table downloaded except all table stock)
    `);
    expect(rows).toEqual([]);
  });

  test('tell births from returns, and count who moves to another group', async () => {
    const flow = await linesOf(`
      select date, source, sum(births), sum(returns), sum(moved_in), sum(moved_out), sum(recoded_in)
      from analyst.flow_daily
      group by date, source
      order by source, date
    `);
    expect(flow).toEqual([
      '2026-11-03 ceidg 2 0 0 0 0',
      '2026-11-04 ceidg 1 1 1 1 0',
      '2026-11-05 ceidg 1 1 2 2 0',
      '2026-11-06 ceidg 1 1 2 2 0',
      '2026-11-03 krs 0 0 0 0 0',
      '2026-11-04 krs 1 0 3 3 0',
      '2026-11-05 krs 0 1 0 0 0',
      '2026-11-06 krs 0 0 1 1 0',
      '2026-11-03 regon 1 0 0 0 0',
      '2026-11-04 regon 0 0 2 2 0',
      '2026-11-05 regon 0 0 2 2 0',
      '2026-11-06 regon 0 2 1 1 0',
    ]);
    const moves = await linesOf(`
      select date, from_voivodeship, from_activity_section, to_voivodeship, to_activity_section,
        status, is_recoded, entry_count
      from analyst.move_daily
      where source = 'ceidg'
      order by date, from_voivodeship
    `);
    expect(moves).toEqual([
      '2026-11-04 lubuskie H wielkopolskie H ACTIVE f 1',
      '2026-11-05 podlaskie C warmińsko-mazurskie C ACTIVE f 1',
      '2026-11-05  T dolnośląskie T ACTIVE f 1',
      '2026-11-06 dolnośląskie N  N ACTIVE f 1',
      '2026-11-06  G pomorskie G ACTIVE f 1',
    ]);
  });

  test('have nulls for what a night of an older version did not count', async () => {
    const older = `update registry.run set counts_moves = false where dump_date = '2026-11-04'`;
    const sums = 'sum(new), sum(births), sum(returns), sum(moved_in), sum(recoded_in)';
    const days = `select date, ${sums} from analyst.flow_daily
      where source = 'ceidg' and date < '2026-11-06' group by date order by date`;
    expect(await linesOf(days, older)).toEqual([
      '2026-11-03 2 2 0 0 0',
      '2026-11-04 2    ',
      '2026-11-05 2 1 1 2 0',
    ]);
    const month = `select ${sums} from analyst.flow_monthly where source = 'ceidg'`;
    expect(await linesOf(month, older)).toEqual(['8    ']);
    expect(await linesOf(month)).toEqual(['8 5 3 5 0']);
  });

  test('are by month those of its snapshots, which are partial', async () => {
    const months = await linesOf(`
      select month.*, stock.entry_count, flow.new, flow.ended
      from analyst.month
      join (
          select source, sum(entry_count) as entry_count
          from analyst.stock_monthly where is_partial group by source
      ) as stock using (source)
      join (
          select source, sum(new) as new, sum(ended) as ended
          from analyst.flow_monthly where is_partial group by source
      ) as flow using (source)
      order by source
    `);
    expect(months).toEqual([
      '2026-11-01 ceidg 2026-11-02 2026-11-06 5 4 t t 80 8 10',
      '2026-11-01 krs 2026-11-02 2026-11-06 5 4 t t 21 2 1',
      '2026-11-01 regon 2026-11-02 2026-11-06 5 4 t t 39 3 5',
    ]);
  });

  test('give rates per 1,000 inhabitants of the census', async () => {
    const inhabitants = 'select sum(population), min(year), count(*) from analyst.population';
    expect(await linesOf(inhabitants)).toEqual(['38036118 2021 16']);
    const rates = await linesOf(`
      select voivodeship, standing, new, ended, population, standing_per_1000, ended_per_1000
      from analyst.rate_monthly
      where source = 'ceidg' and voivodeship in ('opolskie', 'małopolskie')
      order by voivodeship
    `);
    expect(rates).toEqual([
      'małopolskie 4 2 3 3432295 0.001 0.001',
      'opolskie 4 0 0 954133 0.004 0.000',
    ]);
  });
});

describe('companies and entries', () => {
  test('know the newest snapshot that had them', async () => {
    const seen = await linesOf(`
      select source, last_seen_date, gone_date, count(*)
      from analyst.entry
      group by source, last_seen_date, gone_date
      order by source, last_seen_date
    `);
    expect(seen).toEqual([
      'ceidg 2026-11-03 2026-11-04 1',
      'ceidg 2026-11-04 2026-11-05 2',
      'ceidg 2026-11-05 2026-11-06 3',
      'ceidg 2026-11-06  80',
      'krs 2026-11-05 2026-11-06 1',
      'krs 2026-11-06  21',
      'regon 2026-11-02 2026-11-03 1',
      'regon 2026-11-05 2026-11-06 2',
      'regon 2026-11-06  39',
    ]);
    // An entry of company 27 is gone, the others are not.
    const companies = await linesOf(`
      select company_id, last_seen_date from analyst.company where company_id in (18, 27, 118)
      order by company_id
    `);
    expect(companies).toEqual(['18 2026-11-03', '27 2026-11-06', '118 2026-11-05']);
  });

  test('survive by the month of their birth', async () => {
    const cohorts = 'select * from analyst.cohort order by source, month, months';
    expect(await linesOf(cohorts)).toEqual([
      'ceidg 2026-11-01 0 5 5 1.0000',
      'krs 2026-11-01 0 1 1 1.0000',
      'regon 2026-11-01 0 1 1 1.0000',
    ]);
    // As if four months had passed: one entry ended after one month, one after three, one before its birth.
    const later = `
      update registry.run set dump_date = '2027-03-31' where dump_date = '2026-11-06';
      update registry.entry set status = 'DELETED', end_date = '2026-12-20' where entry_id = 208;
      update registry.entry set status = 'DELETED', gone_date = '2027-02-20' where entry_id = 211;
      update registry.entry set status = 'DELETED', end_date = '2026-11-01' where entry_id = 213`;
    expect(await linesOf(`${cohorts} limit 6`, later)).toEqual([
      'ceidg 2026-11-01 0 3 3 1.0000',
      'ceidg 2026-11-01 1 3 3 1.0000',
      'ceidg 2026-11-01 2 3 2 0.6667',
      'ceidg 2026-11-01 3 3 2 0.6667',
      'ceidg 2026-11-01 4 3 1 0.3333',
      'ceidg 2027-03-01 0 1 1 1.0000',
    ]);
  });

  test('know the snapshot that had them first', async () => {
    const seen = await linesOf(`
      select entry.first_seen_date, entry.source, count(*)
      from analyst.entry
      where entry.first_seen_date > '2026-11-02'
      group by entry.first_seen_date, entry.source
      order by entry.source, entry.first_seen_date
    `);
    expect(seen).toEqual([
      '2026-11-03 ceidg 2',
      '2026-11-04 ceidg 1',
      '2026-11-05 ceidg 1',
      '2026-11-06 ceidg 1',
      '2026-11-04 krs 1',
      '2026-11-03 regon 1',
    ]);
    const later = await ask(`
      select company_id
      from analyst.company
      where first_seen_date <> (
          select min(entry.first_seen_date)
          from analyst.entry
          where entry.company_id = company.company_id
      )
    `);
    expect(later).toEqual([]);
  });

  test('have the dates of the entries whose status is that of the company', async () => {
    const dates = await linesOf(`
      select
          status,
          count(end_date) as end_dates,
          count(suspension_date) as suspension_dates,
          count(struck_off_date) as struck_off_dates,
          max(entry_count) as most_entries
      from analyst.company
      group by status
      order by status
    `);
    expect(dates).toEqual(['ACTIVE 2 4 0 4', 'DELETED 4 2 6 2', 'SUSPENDED 0 5 0 1']);
  });
});

describe('the role registry_reader', () => {
  test('reads every view but that of the credits', async () => {
    const views = new Set((await listColumns()).map(({ view }) => view));
    expect(views.delete('wallet_transaction')).toBe(true);
    for (const view of views) await ask(`select * from analyst.${view} limit 1`);
    const refused = /permission denied/;
    await expect(ask('select * from analyst.wallet_transaction')).rejects.toThrow(refused);
    await expect(ask('select * from billing.wallet_transaction')).rejects.toThrow(refused);
    await expect(ask('select * from registry.entry')).rejects.toThrow(refused);
    await expect(ask('select * from customer.account')).rejects.toThrow(refused);
  });

  test('reads views that come later', async () => {
    await db.pool.query('create view analyst.later as select 1 as one');
    expect(await ask('select * from analyst.later')).toEqual([{ one: 1 }]);
    await db.pool.query('drop view analyst.later');
  });

  test('is left to an administrator where the owner may not create roles', async () => {
    const client = await db.pool.connect();
    const notices: (string | undefined)[] = [];
    client.on('notice', ({ message }) => notices.push(message));
    try {
      await client.query(`
        begin;
        alter role registry_reader rename to another_reader;
        create role owner_without_rights;
        grant usage on schema registry to owner_without_rights;
        set local role owner_without_rights;
        call registry.make_reader()
      `);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(notices).toEqual([
      expect.stringMatching(/owner_without_rights may not create roles.*registry migrate again/),
    ]);
  });
});

describe('the divisions and groups of the PKD', () => {
  test('have the names of 2007, and of 2025 their codes', async () => {
    const groups = await linesOf(`
      select activity_version, activity_group, level, division, name, activity_section
      from analyst.activity_group
      where division = '02' and activity_group < '022' or activity_group = '951' order by 1, 2
    `);
    expect(groups).toEqual([
      '2007 02 division 02 "Leśnictwo i pozyskiwanie drewna" A',
      '2007 021 group 02 "Gospodarka leśna i pozostała działalność leśna  z wyłączeniem pozyskiwania produktów leśnych" A',
      '2007 951 group 95 "Naprawa i konserwacja komputerów i sprzętu komunikacyjnego" T',
      '2025 02 division 02  A',
      '2025 021 group 02  A',
      '2025 951 group 95  T',
    ]);
  });

  test('have for a code of 2007 the section of its codes of 2025', async () => {
    const codes = await linesOf(`
      select activity, activity_section from analyst.activity
      where activity_version = 2007 and activity in ('4110Z', '4120Z', '4520Z', '4532Z', '5210A', '6391Z')
      order by activity
    `);
    // The codes of 4120Z lie in two sections: it stays in that of its division.
    expect(codes).toEqual(['4110Z M', '4120Z F', '4520Z T', '4532Z G', '5210A D', '6391Z J']);
  });
});

describe('sql/README.md', () => {
  async function readQueries(): Promise<string[]> {
    const text = await readFile(readme, 'utf8');
    return [...text.matchAll(/^```sql\n(.+?);\n```$/gms)].map(([, query = '']) => query);
  }

  test.each<[no: number, what: string, rowCount: number, first: string[]]>([
    [
      1,
      'the stock of each day, by status',
      15,
      [
        '2026-11-02 ACTIVE 75',
        '2026-11-02 DELETED 1',
        '2026-11-02 SUSPENDED 5',
        '2026-11-03 ACTIVE 75',
        '2026-11-03 DELETED 1',
        '2026-11-03 SUSPENDED 6',
        '2026-11-04 ACTIVE 72',
        '2026-11-04 DELETED 1',
        '2026-11-04 SUSPENDED 8',
        '2026-11-05 ACTIVE 71',
        '2026-11-05 DELETED 3',
        '2026-11-05 SUSPENDED 7',
        '2026-11-06 ACTIVE 72',
        '2026-11-06 DELETED 2',
        '2026-11-06 SUSPENDED 6',
      ],
    ],
    [
      2,
      'what changed the standing entries of a voivodeship',
      12,
      [
        'podlaskie 0 0 1 -1 -2',
        'kujawsko-pomorskie 0 0 1 0 -1',
        'lubuskie 0 0 0 -1 -1',
        'małopolskie 1 1 3 0 -1',
        ' 0 0 0 -1 -1',
        'mazowieckie 2 0 2 0 0',
        'zachodniopomorskie 1 0 1 0 0',
        'łódzkie 0 0 0 0 0',
        'dolnośląskie 1 0 0 0 1',
        'pomorskie 0 2 2 1 1',
        'warmińsko-mazurskie 0 0 0 1 1',
        'wielkopolskie 0 0 0 1 1',
      ],
    ],
    [
      3,
      'the sections that lose most',
      10,
      [
        '"Pozostała działalność usługowa" 3 0',
        '"Działalność związana z zakwaterowaniem i usługami gastronomicznymi" 2 0',
        'Budownictwo 1 0',
        '"Działalność profesjonalna  naukowa i techniczna" 1 0',
        '"Działalność w zakresie usług administrowania i działalność wspierająca" 1 0',
        '"Działalność związana z kulturą  sportem i rekreacją" 1 0',
        '"Handel hurtowy i detaliczny" 1 0',
        '"Działalność wydawnicza  nadawcza oraz związana z produkcją i dystrybucją treści" 0 0',
        'Edukacja 0 1',
        '"Przetwórstwo przemysłowe" 0 2',
      ],
    ],
    [
      4,
      'the share of suspended entries, by section',
      15,
      [
        'O 4 25.0',
        'T 11 18.2',
        'Q 6 16.7',
        'C 18 11.1',
        'A 2 ',
        'F 4 ',
        'G 11 ',
        'H 1 ',
        'I 6 ',
        'J 1 ',
        'K 3 ',
        'L 1 ',
        'N 8 ',
        'R 1 ',
        'S 1 ',
      ],
    ],
    [
      5,
      'the legal forms of the court register',
      5,
      [
        '"spółka z ograniczoną odpowiedzialnością" 16',
        'stowarzyszenie 2',
        'fundacja 1',
        '"spółka komandytowa" 1',
        '"spółka komandytowo-akcyjna" 1',
      ],
    ],
    [
      6,
      'the companies first seen after the baseline',
      5,
      [
        '2026-11-03 "Studio Tatuażu Kruk Oliwia Mączyńska" 1000205004 dolnośląskie 9699Z',
        '2026-11-04 "Bacówka Oscypek Franciszek Gazda" 1001207005 małopolskie 1051Z',
        '2026-11-04 "NOWA KUŹNIA POMYSŁÓW SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 1005000198 kujawsko-pomorskie 6210B',
        '2026-11-05 "Wyprowadzanie Psów Merdek Igor Smycz" 1003206004 zachodniopomorskie 9699Z',
        '2026-11-06 "Catering Smakosz Monika Łyżka" 1001409016 mazowieckie 5621Z',
      ],
    ],
    [
      7,
      'how long ended businesses lived',
      6,
      ['T 3 14.5', 'F 1 15.0', 'G 1 27.8', 'I 1 8.5', 'N 1 19.5', 'S 1 8.5'],
    ],
    [
      8,
      'the serious events of each day',
      52,
      [
        '2026-11-03 ceidg ANOMALY_REGON_CHANGE 1',
        '2026-11-03 ceidg COMPANY_CLOSED_DATE 1',
        '2026-11-03 ceidg COMPANY_STRUCK_OFF 1',
        '2026-11-03 ceidg COMPANY_SUSPENDED 1',
        '2026-11-03 ceidg COMPANY_TAX_IDENTITY_CHANGED 1',
        '2026-11-03 krs COMPANY_BANKRUPTCY_STARTED 1',
        '2026-11-03 krs COMPANY_SHAREHOLDERS_CHANGED 1',
        '2026-11-03 krs COMPANY_SUSPENDED 1',
      ],
    ],
    [
      9,
      'the numbers that changed',
      11,
      [
        '2026-11-03 ANOMALY_REGON_CHANGE "Programowanie Sterowników Łukasz Przekaźnik" 991400077 991400775',
        '2026-11-03 COMPANY_TAX_IDENTITY_CHANGED "Lakiernictwo Połysk Dariusz Szlif" 1001801004 1001871016',
        '2026-11-03 COMPANY_TAX_IDENTITY_CHANGED "PAPROTKA SPÓŁKA JAWNA" 1005100132 1005101114',
        '2026-11-04 ANOMALY_REGON_CHANGE "TRANSPORT KOŁO SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 995000104 995000110',
        '2026-11-05 COMPANY_TAX_IDENTITY_REVOKED "Skup Złomu Żelazko Roman Zawias" 1001803003 ',
        '2026-11-05 COMPANY_TAX_IDENTITY_CHANGED "TRANSPORT KOŁO SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 1005000100 1005000117',
        '2026-11-05 COMPANY_TAX_IDENTITY_REVOKED "POROST SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 1005100149 ',
        '2026-11-05 COMPANY_REGISTRY_NUMBER_CHANGED "KUŹNIA MŁOTEK SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 0000990114 0000990128',
        '2026-11-05 ANOMALY_REGON_CHANGE "SIODŁO I STRZEMIĘ SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 995100202 995100426',
        '2026-11-06 ANOMALY_REGON_CHANGE "Młyn Wodny Hieronim Żarnowiec" 991800078 ',
        '2026-11-06 COMPANY_TAX_IDENTITY_REVOKED "TRANSPORT KOŁO SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ" 1005000117 ',
      ],
    ],
  ])('query %i tells %s', async (no, _what, rowCount, first) => {
    const lines = await linesOf((await readQueries())[no - 1]!);
    expect([lines.length, lines.slice(0, first.length)]).toEqual([rowCount, first]);
  });

  test('query 10 tells the companies whose registries disagree, and no other', async () => {
    const queries = await readQueries();
    expect(queries.length).toBe(10);
    // Company 27 has an active, a suspended and a deleted entry in REGON, and an active one in CEIDG.
    expect(await linesOf(queries[9]!)).toEqual([]);
    const change = `update registry.entry set status = 'SUSPENDED'
      where source = 'regon' and company_id = 9`;
    expect(await linesOf(queries[9]!, change)).toEqual([
      '9 "PIEKARNIA POD WIEŻĄ ANNA ŻAKOWSKA" "ceidg ACTIVE  regon SUSPENDED"',
    ]);
  });

  test('has a data dictionary in which every view and column is explained', async () => {
    const columns = await listColumns();
    expect(columns.filter(({ about, about_view }) => !about || !about_view)).toEqual([]);
    const [before] = (await readFile(readme, 'utf8')).split(/(?<=Begin -->\n)/);
    const text = `${before}\n${await writeDictionary()}\n`;
    const written = await format(text, { parser: 'markdown', printWidth: 100 });
    // `npm run dictionary` writes what is out of date.
    await expect(written).toMatchFileSnapshot(readme.pathname);
  });
});
