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

/** Runs a query as the role that analysts have. */
async function ask(query: string): Promise<Record<string, unknown>[]> {
  const client = await db.pool.connect();
  try {
    await client.query('begin; set local role registry_reader');
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The rows of a query, each as one line. */
async function linesOf(query: string): Promise<string[]> {
  const rows = await ask(`select asked::text as line from (${query}) as asked`);
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
});

describe('companies and entries', () => {
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

describe('sql/README.md', () => {
  test('has ten queries that find rows', async () => {
    const text = await readFile(readme, 'utf8');
    const queries = [...text.matchAll(/^```sql\n(.+?)^```$/gms)].map(([, query = '']) => query);
    expect(queries.length).toBe(10);
    for (const query of queries) {
      const rows = await ask(query);
      expect({ query, isEmpty: rows.length === 0 }).toEqual({ query, isEmpty: false });
    }
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
