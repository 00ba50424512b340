import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { describe, expect, test } from 'vitest';
import { listColumns, writeDictionary } from '../fixtures/database/data-dictionary.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { shareAllSources, shareDemonstration, sources } from '../fixtures/dump/three-sources.ts';
import { verify } from '../pipeline/night/verify.ts';

const readme = new URL('README.md', import.meta.url);

/**
 * The result of each query of sql/README.md on the fixture days of both countries: the row count, and the first rows.
 */
const answers = (
  await readFile(new URL('../fixtures/registry/answers.txt', import.meta.url), 'utf8')
)
  .split('\n\n')
  .map((section) => {
    const [heading, ...rows] = section.replace(/\n$/, '').split('\n') as [string, ...string[]];
    const [, no, what, count] = /^## (\d+)\. (.+): (\d+) rows$/.exec(heading)!;
    return [Number(no), what!, Number(count), rows] as const;
  });

const db = await (await shareAllSources()).copy();
/** A database with two countries, in which the newest published day of France is older than that of Poland. */
const both = await (await shareDemonstration()).copy();

/** Runs a query in the role of analysts, after the owner's `changes` to the tables, and rolls the changes back. */
async function ask(query: string, changes = '', of = db): Promise<Record<string, unknown>[]> {
  const client = await of.pool.connect();
  try {
    await client.query(`begin; ${changes}; set local role registry_reader`);
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Returns the rows of a query, each row as one line of text. */
async function linesOf(query: string, changes?: string, of?: TestDatabase): Promise<string[]> {
  const rows = await ask(`select asked::text as line from (${query}) as asked`, changes, of);
  return rows.map(({ line }) => String(line).slice(1, -1).replaceAll(',', ' '));
}

describe('stock and flow', () => {
  test('are proved by verify', async () => {
    for (const source of sources) expect(await verify(db, source)).toEqual([]);
  });

  test('say what came, ended, was suspended, resumed and moved; a baseline has no flow', async () => {
    const flow = await linesOf(`
      select date, source, sum(new), sum(births), sum(returns), sum(ended), sum(suspended),
        sum(resumed), sum(moved_in), sum(moved_out), sum(recoded_in)
      from analyst.flow_daily
      group by date, source
      order by source, date
    `);
    expect(flow).toEqual([
      '2026-11-03 ceidg 2 2 0 1 1 0 0 0 0',
      '2026-11-04 ceidg 2 1 1 3 1 0 1 1 0',
      '2026-11-05 ceidg 2 1 1 4 1 1 2 2 0',
      '2026-11-06 ceidg 2 1 1 2 0 1 2 2 0',
      '2026-11-03 krs 0 0 0 0 1 0 0 0 0',
      '2026-11-04 krs 1 1 0 0 0 1 3 3 0',
      '2026-11-05 krs 1 0 1 0 0 1 0 0 0',
      '2026-11-06 krs 0 0 0 1 0 0 1 1 0',
      '2026-11-03 regon 1 1 0 0 1 0 0 0 0',
      '2026-11-04 regon 0 0 0 2 0 1 2 2 0',
      '2026-11-05 regon 0 0 0 1 1 0 2 2 0',
      '2026-11-06 regon 2 0 2 2 0 0 1 1 0',
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
      '2026-11-01 ceidg 2026-11-02 2026-11-06 5 4 t PL 80 8 10',
      '2026-11-01 krs 2026-11-02 2026-11-06 5 4 t PL 21 2 1',
      '2026-11-01 regon 2026-11-02 2026-11-06 5 4 t PL 39 3 5',
    ]);
  });

  test('give rates per 1,000 inhabitants of the census', async () => {
    const inhabitants = 'select sum(population), min(year), count(*) from analyst.population';
    expect(await linesOf(inhabitants)).toEqual(['38036118 2021 16']);
    const rates = await linesOf(`
      select voivodeship, sum(new), sum(ended), population,
        round(1000.0 * sum(ended) / population, 4)
      from analyst.flow_monthly
      join analyst.population using (voivodeship)
      where flow_monthly.source = 'ceidg' and voivodeship = 'małopolskie'
      group by voivodeship, population
    `);
    expect(rates).toEqual(['małopolskie 2 3 3432295 0.0009']);
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
    // One entry of company 27 has vanished from its registry; the company's other entries have not.
    const companies = await linesOf(`
      select company_id, last_seen_date from analyst.company where company_id in (18, 27, 118)
      order by company_id
    `);
    expect(companies).toEqual(['18 2026-11-03', '27 2026-11-06', '118 2026-11-05']);
  });

  test('survive by the month of their birth', async () => {
    const cohorts = 'select * from analyst.cohort order by source, month, months';
    expect(await linesOf(cohorts)).toEqual([
      'ceidg 2026-11-01 0 5 5 1.0000 PL',
      'krs 2026-11-01 0 1 1 1.0000 PL',
      'regon 2026-11-01 0 1 1 1.0000 PL',
    ]);
    // The changes simulate four more months: one entry ended after one month, one after three months, and one before
    // its birth.
    const later = `
      update registry.run set dump_date = '2027-03-31' where dump_date = '2026-11-06';
      update registry.entry set status = 'DELETED', end_date = '2026-12-20' where entry_id = 208;
      update registry.entry set status = 'DELETED', gone_date = '2027-02-20' where entry_id = 211;
      update registry.entry set status = 'DELETED', end_date = '2026-11-01' where entry_id = 213`;
    expect(await linesOf(`${cohorts} limit 6`, later)).toEqual([
      'ceidg 2026-11-01 0 3 3 1.0000 PL',
      'ceidg 2026-11-01 1 3 3 1.0000 PL',
      'ceidg 2026-11-01 2 3 2 0.6667 PL',
      'ceidg 2026-11-01 3 3 2 0.6667 PL',
      'ceidg 2026-11-01 4 3 1 0.3333 PL',
      'ceidg 2027-03-01 0 1 1 1.0000 PL',
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
    const views = new Set((await listColumns(db)).map(({ view }) => view));
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
    // The code 4120Z corresponds to codes of two sections, so the view shows the old section of its division.
    expect(codes).toEqual(['4110Z M', '4120Z F', '4520Z T', '4532Z G', '5210A D', '6391Z J']);
  });
});

test('the dictionaries are those of Poland, and country_name has the names of each country', async () => {
  const names = await linesOf(`
    select country_code, dictionary, activity_version, count(*), min(name) filter (where code in ('24', 'A', '0112Z'))
    from analyst.country_name group by 1, 2, 3 order by 1, 2, 3
  `);
  expect(names).toEqual([
    'FR NAF2025 2026 747 ',
    'FR NAFRev2 2008 732 "Culture du riz"',
    'FR activity_section  22 "Agriculture  sylviculture et pêche"',
    'FR legal_form  263 ',
    'FR voivodeship  18 "Centre-Val de Loire"',
    'PL PKD2007 2007 656 "Uprawa ryżu"',
    'PL PKD2025 2025 728 "Uprawa ryżu"',
    'PL activity_section  22 "Rolnictwo  leśnictwo i rybactwo"',
    'PL legal_form  107 ',
    'PL voivodeship  16 śląskie',
  ]);
  const counts = await linesOf(`
    select
      (select count(*) from analyst.activity), (select count(*) from analyst.activity_section),
      (select count(*) from analyst.legal_form), (select count(*) from analyst.voivodeship),
      (select count(distinct activity_version) from analyst.activity_group)
  `);
  expect(counts).toEqual(['1384 22 107 16 2']);
});

describe('sql/README.md', () => {
  async function readQueries(): Promise<string[]> {
    const text = await readFile(readme, 'utf8');
    return [...text.matchAll(/^```sql\n(.+?);\n```$/gms)].map(([, query = '']) => query);
  }

  test.each(answers)('query %i tells %s', async (no, _what, rowCount, first) => {
    const lines = await linesOf((await readQueries())[no - 1]!, undefined, both);
    expect([lines.length, lines.slice(0, first.length)]).toEqual([rowCount, first]);
  });

  test('query 10 tells the companies whose registries disagree, and no other', async () => {
    const queries = await readQueries();
    expect(queries.length).toBe(12);
    // Company 27 has an active, a suspended and a deleted entry in REGON, and an active entry in CEIDG.
    expect(await linesOf(queries[9]!, undefined, both)).toEqual([]);
    const change = `update registry.entry set status = 'SUSPENDED'
      where source = 'regon' and company_id = 9`;
    expect(await linesOf(queries[9]!, change, both)).toEqual([
      '9 "PIEKARNIA POD WIEŻĄ ANNA ŻAKOWSKA" "ceidg ACTIVE  regon SUSPENDED"',
    ]);
  });

  test('has a data dictionary in which every view and column is explained', async () => {
    const columns = await listColumns(db);
    expect(columns.filter(({ about, about_view }) => !about || !about_view)).toEqual([]);
    const [before] = (await readFile(readme, 'utf8')).split(/(?<=Begin -->\n)/);
    const text = `${before}\n${writeDictionary(columns)}\n`;
    const written = await format(text, { parser: 'markdown', printWidth: 100 });
    // `npm run dictionary` updates the snapshot that this test compares.
    await expect(written).toMatchFileSnapshot(readme.pathname);
  });
});
