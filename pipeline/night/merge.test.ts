import { beforeEach, expect, test } from 'vitest';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

const [day1, day2] = ['2026-11-02', '2026-11-03'] as const;
const [krs1, regon1, nip1] = ['0000990001', regonOf(1), nipOf(1)] as const;

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

/** Expects no contradictions in the published data; returns, for each company, the keys of its entries. */
async function readCompanies(): Promise<string[]> {
  expect(await verify(db, 'regon')).toEqual([]);
  expect(await verify(db, 'krs')).toEqual([]);
  const { rows } = await db.pool.query<{ entries: string }>(
    `select string_agg(entry_key, ', ' order by entry_key) as entries
     from registry.entry group by company_id order by entries`,
  );
  return rows.map(({ entries }) => entries);
}

/** Returns the COMPANY_REGISTERED events, each as the event's day, the entry's key, and the entry's name. */
async function readRegistered(): Promise<string[]> {
  const { rows } = await db.pool.query<{ event: string }>(
    `select concat_ws(' ', event_date, entry_key, new_value) as event
     from registry.event join registry.entry using (company_id, entry_id)
     where event_type = 'COMPANY_REGISTERED' order by event_id`,
  );
  return rows.map(({ event }) => event);
}

async function readNotices(): Promise<string[]> {
  const { rows } = await db.pool.query<{ notice: string }>(
    `select concat_ws(' ', run.source, run.dump_date, subject, value) as notice
     from registry.notice join registry.run using (run_id)
     order by run.run_id, subject, value`,
  );
  return rows.map(({ notice }) => notice);
}

/** Returns the fields by which a report of REGON states the KRS number `krs`. */
const inKrs = (krs: string) => ({
  rodzajRejestruEwidencji_Symbol: '138',
  numerWRejestrzeEwidencji: krs,
});

/**
 * A row of `merge.csv`: one night of a story, which is a series of nights. `rows` has a line for each company: its KRS
 * number, or its REGON and NIP, and its fields. The row of the last night has the expected entries of each company,
 * COMPANY_REGISTERED events, and notices.
 */
type Night = Record<
  'story' | 'date' | 'source' | 'rows' | 'companies' | 'registered' | 'notices',
  string
>;
const nights = readRows<Night>(new URL('merge.csv', import.meta.url));

/** Runs one night of a story, a series of nights. */
function tell({ date, source, rows }: Night) {
  const told = rows.split('\n').map((row) => {
    const [numbers = '', fields = ''] = row.split(': ');
    const [first = '', nip = ''] = numbers.split(' ');
    return { first, nip, ...fieldsOf(fields) };
  });
  if (source === 'krs')
    return runKrs(
      db,
      date,
      told.map(({ first, ...fields }) => extract(first, fields)),
    );
  const reports = told.flatMap(
    ({ first: regon, nip, krs, kind, firm, ...fields }: Record<string, string>) => {
      if (kind === undefined) return company(regon!, nip!, { ...(krs && inKrs(krs)), ...fields });
      const [general, ...activities] = person(regon!, nip!, {
        [kind]: firm === undefined ? {} : { nazwa: firm },
      });
      return [{ ...general!, data: [{ ...general!.data[0]!, ...fields }] }, ...activities];
    },
  );
  return runRegon(db, date, { reports });
}

test.each([...Map.groupBy(nights, ({ story }) => story)])('a company %s', async (_, story) => {
  for (const night of story) await tell(night);
  const { companies, registered, notices } = story.at(-1)!;
  expect((await readCompanies()).join('\n')).toBe(companies);
  expect((await readRegistered()).join('\n')).toBe(registered);
  expect((await readNotices()).join('\n')).toBe(notices);
});

test('a company shows what the best of its entries says, and of a deleted one only what no other says', async () => {
  const read = async () => {
    await readCompanies();
    const { rows } = await db.pool.query<object>(
      `select nip, regon9, krs, name, status, city, activity_start, activity_main
         from registry.company where merged_into_id is null`,
    );
    return rows.map((row) => Object.values(row).join(' | '));
  };
  const name = 'ALFA SPÓŁKA AKCYJNA';
  await runRegon(db, day1, {
    reports: company(regon1, nip1, { nazwa: 'ALFA S.A.', ...inKrs(krs1) }),
  });
  await runKrs(db, day1, [extract(krs1, { name })]);
  const numbers = `${nip1} | ${regon1} | ${krs1}`;
  expect(await read()).toEqual([`${numbers} | ${name} | ACTIVE | POZNAŃ | 2015-03-02 | 6210Z`]);
  await runKrs(db, day2, [extract(krs1, { name, struckOff: '30.10.2026' })]);
  expect(await read()).toEqual([`${numbers} | ALFA S.A. | ACTIVE | Poznań | 2015-03-02 | 6210Z`]);
  await runRegon(db, day2, { deleted: [regon1] });
  expect(await read()).toEqual([`${numbers} | ${name} | DELETED | POZNAŃ | 2015-03-02 | 6210Z`]);
});
