import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fieldOf, makeReports, type Reports, withFields } from '../../fixtures/bad-dump.ts';
import { runBad } from '../../fixtures/bad-night.ts';
import { generateDays } from '../../fixtures/generated-days.ts';
import { runDump, runFixture } from '../../fixtures/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { verify } from './verify.ts';

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

afterEach(() => db.drop());

/** The companies that the search shows otherwise than the facts say, or not at all, or wrongly so. */
async function findDifferences(): Promise<unknown[]> {
  const columns = `company_id, activity_start, status, voivodeship, legal_form, postal_code, city,
    codes, name`;
  const { rows } = await db.pool.query(`
    (select ${columns} from registry.search except select ${columns} from registry.search_row)
    union all
    (select ${columns} from registry.search_row except select ${columns} from registry.search)`);
  return rows;
}

/** What companies have by the bits and places but not by the table, or the other way round. */
async function findWrongBits(): Promise<unknown[]> {
  const { rows } = await db.pool.query(`
    with told as (
      select term, search_no
      from registry.search
      cross join registry.search_terms(status, voivodeship, legal_form, codes, activity_start) as term
      union all
      select 'place ' || code, search_no
      from registry.search
      cross join unnest(tsvector_to_array(codes)) as code
    ),
    found as (
      select term, (block::integer << 13) + place as search_no
      from registry.search_bits
      cross join generate_series(0, 8191) as place
      where get_bit(bits, place) = 1
      union all
      select 'place ' || code, (block::integer << 13) + place
      from registry.search_places
      cross join unnest(places) as place
    )
    (select * from told except all select * from found)
    union all
    (select * from found except all select * from told)`);
  return rows;
}

async function count(table: string): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `select count(*)::integer as count from ${table}`,
  );
  return rows[0]!.count;
}

async function readNumbers(): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ company_id: string; search_no: number }>(
    'select company_id, search_no from registry.search',
  );
  expect(new Set(rows.map(({ search_no }) => search_no)).size).toBe(rows.length);
  return new Map(rows.map(({ company_id, search_no }) => [company_id, search_no]));
}

async function expectKept(before: Map<string, number>): Promise<void> {
  const after = await readNumbers();
  const moved = [...before].filter(([company_id, no]) => (after.get(company_id) ?? no) !== no);
  expect(moved).toEqual([]);
}

describe('the table of the search', () => {
  test('says what the facts say after each night, and its numbers stay', async () => {
    let numbers = new Map<string, number>();
    for (const day of ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06']) {
      await runFixture(db, day);
      expect([day, await findDifferences()]).toEqual([day, []]);
      expect([day, await findWrongBits()]).toEqual([day, []]);
      await expectKept(numbers);
      numbers = await readNumbers();
    }
    expect(numbers.size).toBe(84);
  });

  test('says what the facts say of a generated country', async () => {
    const days = await generateDays(5000);
    for (const day of [0, 1] as const) {
      await runDump(db, ...days.night(day));
      expect([day, await findDifferences()]).toEqual([day, []]);
      expect([day, await findWrongBits()]).toEqual([day, []]);
    }
    await days.remove();
  });

  test('has its indexes, rules and triggers also after the first snapshot took its place', async () => {
    const tables = ['search', 'search_bits', 'search_places']
      .map((name) => `'registry.${name}'::regclass`)
      .join(', ');
    const describeTable = async () => {
      const { rows } = await db.pool.query(`
        select indexdef as definition
        from pg_indexes
        where schemaname = 'registry' and tablename ~ '^search(_bits|_places)?$'
        union all
        select format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, attstorage)
          || coalesce(' ' || nullif(attcollation, 0)::regcollation, '')
        from pg_attribute
        where attrelid in (${tables}) and attnum > 0
        union all
        select format('%s %s', conname, pg_get_constraintdef(oid))
        from pg_constraint
        where conrelid in (${tables}) and contype <> 'n'
        union all
        select array_to_string(reloptions, ',')
        from pg_class
        where oid in (${tables})
        union all
        select pg_get_triggerdef(oid)
        from pg_trigger
        where tgrelid in (${tables})
        order by definition`);
      return rows;
    };
    const before = await describeTable();
    await runFixture(db, '2026-11-02');
    expect(await describeTable()).toEqual(before);
  });

  test('leaves out what a first snapshot rejects, and shows once what it links', async () => {
    const reports = makeReports();
    const lines = reports['opolskie']!;
    const [repeated, contradicted, one, other] = [1, 2, 3, 4];
    lines[other] = withFields(lines[other]!, { Nip: fieldOf(lines[one]!, 'Nip') });
    lines.push(lines[repeated]!, withFields(lines[contradicted]!, { NazwaPodmiotu: 'Inna' }));
    const regonOf = (at: number) => fieldOf(lines[at]!, 'Regon');
    const { read, rejected } = await runBad(db, reports, '2026-11-02');

    expect({ rejected, entries: await count('registry.entry') }).toEqual({
      rejected: 3,
      entries: read - 3,
    });
    expect(await count('registry.entry_key')).toBe(read - 3);
    expect(await count('registry.company')).toBe(read - 4);
    expect(await count('registry.search')).toBe(read - 4);
    const { rows } = await db.pool.query<{ regon9: string; company_id: string }>(
      'select regon9, company_id from registry.entry where regon9 = any($1)',
      [[contradicted, one, other].map(regonOf)],
    );
    const companyOf = new Map(rows.map(({ regon9, company_id }) => [regon9, company_id]));
    expect([...companyOf.keys()].toSorted()).toEqual([one, other].map(regonOf).toSorted());
    expect(companyOf.get(regonOf(one))).toBe(companyOf.get(regonOf(other)));
    expect(await findDifferences()).toEqual([]);
    expect(await findWrongBits()).toEqual([]);
    expect(await verify(db, 'ceidg')).toEqual([]);
  });

  test('forgets a company that turns out to be another one', async () => {
    const [one, other] = [2, 5];
    const change = (day: Reports, fields: Record<string, string>) => {
      const lines = day['opolskie']!;
      lines[other] = withFields(lines[other]!, fields);
      return lines;
    };
    const first = makeReports();
    const nip = fieldOf(first['opolskie']![one]!, 'Nip');
    change(first, { Nip: '' });
    await runBad(db, first, '2026-11-02');
    const before = await readNumbers();
    const second = makeReports();
    change(second, { Nip: nip, GlownyKodPkd: '0111Z' });
    await runBad(db, second, '2026-11-03');
    expect(await findDifferences()).toEqual([]);
    expect(await findWrongBits()).toEqual([]);
    const after = await readNumbers();
    expect(before.size - after.size).toBe(1);
    await expectKept(before);
    const { rows } = await db.pool.query(
      `select codes::text from registry.search where codes @@ '0111Z'`,
    );
    expect(rows).toEqual([{ codes: "'0111Z' '6201Z' '6202Z' '6209Z'" }]);
  });
});
