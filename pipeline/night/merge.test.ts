import { beforeEach, describe, expect, test } from 'vitest';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

const [day1, day2, day3] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;
const [krs1, krs2] = ['0000990001', '0000990002'] as const;
const [regon1, regon2, nip1, nip2] = [regonOf(1), regonOf(2), nipOf(1), nipOf(2)];

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

/** The entries by company; what is published is whole. */
async function readCompanies(): Promise<string[]> {
  expect(await verify(db, 'regon')).toEqual([]);
  expect(await verify(db, 'krs')).toEqual([]);
  const { rows } = await db.pool.query<{ entries: string }>(
    `select string_agg(entry_key, ', ' order by entry_key) as entries
     from registry.entry group by company_id order by entries`,
  );
  return rows.map(({ entries }) => entries);
}

async function readNotices(): Promise<string[]> {
  const { rows } = await db.pool.query<{ notice: string }>(
    `select concat_ws(' ', run.source, run.dump_date, subject, value) as notice
     from registry.notice join registry.run using (run_id)
     order by run.run_id, subject, value`,
  );
  return rows.map(({ notice }) => notice);
}

/** The fields of a report of REGON that give the KRS number. */
const inKrs = (krs: string) => ({
  rodzajRejestruEwidencji_Symbol: '138',
  numerWRejestrzeEwidencji: krs,
});

describe('a company whose NIP belongs to another', () => {
  test('stays apart when its number is mistyped from the first, and the run says so', async () => {
    await runRegon(db, day1, {
      reports: [...company(regon1, nip1, inKrs(krs1)), ...company(regon2, nip1, inKrs(krs2))],
    });
    expect(await readCompanies()).toEqual([`${regon1}-6`, `${regon2}-6`]);
    expect(await readNotices()).toEqual([`regon ${day1} NIP of another company ${nip1}`]);
  });

  test('stays apart when its number becomes the other’s, with what is known of it elsewhere', async () => {
    await runRegon(db, day1, {
      reports: [...company(regon1, nip1, inKrs(krs1)), ...company(regon2, nip2, inKrs(krs2))],
    });
    await runKrs(db, day1, [extract(krs1, { nip: nip1 }), extract(krs2, { nip: nip2 })]);
    // KRS does not tell the REGON: the mistake is seen by what REGON says of the same KRS number.
    await runKrs(db, day2, [extract(krs2, { nip: nip1 })]);
    expect(await readCompanies()).toEqual([`${krs1}, ${regon1}-6`, `${krs2}, ${regon2}-6`]);
    expect(await readNotices()).toEqual([`krs ${day2} NIP of another company ${nip1}`]);
    await runKrs(db, day3, [extract(krs2, { nip: nip2 })]);
    expect(await readCompanies()).toEqual([`${krs1}, ${regon1}-6`, `${krs2}, ${regon2}-6`]);
    expect(await readNotices()).toHaveLength(1);
  });

  test('is not joined through one that has the NIP and nothing else', async () => {
    await runKrs(db, day1, [extract('0000990003', { nip: nipOf(3) })]);
    await runRegon(db, day1, { reports: company(regon1, nip1, inKrs(krs1)) });
    await runRegon(db, day2, {
      reports: [...company(regon2, nip1, inKrs(krs2)), ...company(regonOf(4), nip1)],
    });
    expect(await readCompanies()).toEqual([
      '0000990003',
      `${regon1}-6, ${regonOf(4)}-6`,
      `${regon2}-6`,
    ]);
    expect(await readNotices()).toEqual([
      `regon ${day2} NIP of another company ${nip1}`,
      `regon ${day2} NIP with several REGON ${nip1}`,
    ]);
  });

  test('is no natural person, and a person is not another one', async () => {
    const other = person(regonOf(3), nip1, { Ceidg: {} });
    for (const row of other[0]!.data) Object.assign(row, { fiz_nazwisko: 'KOS', fiz_imie1: 'EWA' });
    await runRegon(db, day1, { reports: person(regon1, nip1, { Ceidg: {} }) });
    await runRegon(db, day2, {
      reports: [...company(regon2, nip1), ...other],
    });
    expect(await readCompanies()).toEqual([`${regon1}-1`, `${regon2}-6`, `${regonOf(3)}-1`]);
    expect(await readNotices()).toEqual([`regon ${day2} NIP of another company ${nip1}`]);
  });

  test('is not found by a number with a wrong check digit', async () => {
    const wrong = `${nip1.slice(0, 9)}${(Number(nip1[9]) + 1) % 10}`;
    await runRegon(db, day1, { reports: company(regon1, nip1, inKrs(krs1)) });
    await runRegon(db, day2, { reports: company(regon2, wrong) });
    await runKrs(db, day2, [extract(krs2, { nip: wrong })]);
    expect(await readCompanies()).toEqual([krs2, `${regon1}-6`, `${regon2}-6`]);
    expect(await readNotices()).toEqual([`regon ${day2} NIP ${wrong}`, `krs ${day2} NIP ${wrong}`]);
  });

  test('is not joined by the REGON of another either', async () => {
    await runRegon(db, day1, { reports: company(regon1, nip1, inKrs(krs1)) });
    await runKrs(db, day1, [extract(krs2, { nip: nip2, regon: regon1 })]);
    expect(await readCompanies()).toEqual([krs2, `${regon1}-6`]);
    expect(await readNotices()).toEqual([`krs ${day1} REGON of another company ${regon1}`]);
  });
});

describe('one company', () => {
  test('has several REGON under one NIP over the years', async () => {
    const ended = company(regon1, nip1, { dataSkresleniaZRegon: '2020-01-31' });
    await runRegon(db, day1, { reports: [...ended, ...company(regon2, nip1, inKrs(krs1))] });
    await runKrs(db, day1, [extract(krs1, { nip: nip1, regon: regon2 })]);
    expect(await readCompanies()).toEqual([`${krs1}, ${regon1}-6, ${regon2}-6`]);
    expect(await readNotices()).toEqual([`regon ${day1} NIP with several REGON ${nip1}`]);
  });

  test('changes its form and its KRS number, and keeps the others', async () => {
    await runKrs(db, day1, [extract(krs1, { nip: nip1, struckOff: '30.10.2026' })]);
    await runRegon(db, day1, { reports: company(regon1, nip1, inKrs(krs2)) });
    await runKrs(db, day2, [extract(krs2, { nip: nip1, regon: regon1 })]);
    expect(await readCompanies()).toEqual([`${krs1}, ${krs2}, ${regon1}-6`]);
    expect(await readNotices()).toEqual([]);
  });

  test('is a person with another surname, and with a second name', async () => {
    const later = person(regon2, nip1, { Rolnicza: {} });
    for (const row of later[0]!.data)
      Object.assign(row, { fiz_nazwisko: 'KOS', fiz_imie2: 'PIOTR' });
    await runRegon(db, day1, { reports: person(regon1, nip1, { Ceidg: {} }) });
    await runRegon(db, day2, { reports: later });
    expect(await readCompanies()).toEqual([`${regon1}-1, ${regon2}-2`]);
    expect(await readNotices()).toEqual([]);
  });

  test('shows what the best of its entries says, and of a deleted one only what no other says', async () => {
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
});
