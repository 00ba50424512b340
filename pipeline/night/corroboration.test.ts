import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

const [krs, regon, nip] = ['0000990001', regonOf(1), nipOf(1)];

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

afterEach(() => db.drop());

const tellKrs = (date: string, name: string) =>
  runKrs(db, date, [extract(krs, { nip, regon, name })]);
const tellRegon = (date: string, name: string) =>
  runRegon(db, date, { reports: company(regon, nip, { nazwa: name }) });

/** The events in order, each with the registries that confirmed it. */
async function readTold(): Promise<string[]> {
  const { rows } = await db.pool.query<{ told: string }>(
    `select concat_ws(' ', event.event_date, event.source, event.new_value,
       '+ ' || string_agg(corroboration.source, ',' order by corroboration.source)) as told
     from registry.event
     left join registry.corroboration using (company_id, event_id)
     group by event.company_id, event.event_id
     order by event.event_id`,
  );
  return rows.map(({ told }) => told);
}

async function expectWhole(): Promise<void> {
  expect(await verify(db, 'krs')).toEqual([]);
  expect(await verify(db, 'regon')).toEqual([]);
}

describe('a change that two registries tell', () => {
  test('is told once, whoever was first and however it is written', async () => {
    await tellKrs('2026-10-01', 'ALFA SPÓŁKA AKCYJNA');
    await tellRegon('2026-10-01', 'ALFA SPÓŁKA AKCYJNA W ORGANIZACJI');
    await tellKrs('2026-10-02', '"BETA" SPÓŁKA AKCYJNA');
    expect(await tellRegon('2026-10-03', 'Beta spółka  akcyjna')).toMatchObject({
      updated: 1,
      events: 0,
    });
    await tellRegon('2026-10-04', 'GAMMA');
    expect(await tellKrs('2026-10-04', 'GAMMA')).toMatchObject({ updated: 1, events: 0 });
    expect(await readTold()).toEqual([
      '2026-10-02 krs "BETA" SPÓŁKA AKCYJNA + regon',
      '2026-10-04 regon GAMMA + krs',
    ]);
    const { rows } = await db.pool.query('select old_value from analyst.corroboration order by 1');
    expect(rows).toEqual([
      { old_value: '"BETA" SPÓŁKA AKCYJNA' },
      { old_value: 'ALFA SPÓŁKA AKCYJNA W ORGANIZACJI' },
    ]);
    await expectWhole();
  });

  test('is told each time by who goes there and back again', async () => {
    await tellKrs('2026-10-01', 'A');
    await tellRegon('2026-10-01', 'A');
    for (const [day, name] of ['B', 'A', 'B'].entries()) {
      await tellKrs(`2026-10-0${day + 2}`, name);
      await tellRegon(`2026-10-0${day + 2}`, name);
    }
    expect(await readTold()).toEqual([
      '2026-10-02 krs B + regon',
      '2026-10-03 krs A + regon',
      '2026-10-04 krs B + regon',
    ]);
    await tellRegon('2026-10-05', 'A');
    await tellRegon('2026-10-06', 'B');
    expect((await readTold()).slice(3)).toEqual(['2026-10-05 regon A', '2026-10-06 regon B']);
    await expectWhole();
  });

  test('is one also where the first to tell it comes later', async () => {
    await tellKrs('2026-10-01', 'A');
    await tellRegon('2026-10-01', 'A');
    await tellRegon('2026-10-20', 'B');
    await tellKrs('2026-10-10', 'B');
    expect(await readTold()).toEqual(['2026-10-20 regon B + krs']);
    await expectWhole();
  });

  test.each([
    ['2026-10-31', 0],
    ['2026-11-01', 1],
  ])('30 days apart is one, later another: %s', async (date, events) => {
    await tellKrs('2026-09-30', 'A');
    await tellRegon('2026-09-30', 'A');
    await tellKrs('2026-10-01', 'B');
    expect(await tellRegon(date, 'B')).toMatchObject({ updated: 1, events });
    await expectWhole();
  });

  test('of two activities of one person is confirmed once', async () => {
    const activities = (nazwa: string) =>
      person(regon, nip, { Ceidg: { nazwa }, Rolnicza: { nazwa } });
    await tellKrs('2026-10-01', 'A');
    await runRegon(db, '2026-10-01', {
      reports: person(regon, nip, { Ceidg: { nazwa: 'A' }, Rolnicza: { nazwa: 'ROLA' } }),
    });
    await tellKrs('2026-10-02', 'B');
    const summary = await runRegon(db, '2026-10-02', { reports: activities('B') });
    expect(summary).toMatchObject({ updated: 2, events: 0 });
    await runRegon(db, '2026-10-03', { reports: activities('C') });
    await runRegon(db, '2026-10-04', { reports: activities('D') });
    expect(await readTold()).toEqual([
      '2026-10-02 krs B + regon',
      '2026-10-03 regon C',
      '2026-10-04 regon D',
    ]);
    await expectWhole();
  });

  test('is two where companies differ', async () => {
    await tellKrs('2026-10-01', 'A');
    await runRegon(db, '2026-10-01', { reports: company(regonOf(2), nipOf(2), { nazwa: 'A' }) });
    await tellKrs('2026-10-02', 'B');
    await runRegon(db, '2026-10-02', { reports: company(regonOf(2), nipOf(2), { nazwa: 'B' }) });
    expect(await readTold()).toEqual(['2026-10-02 krs B', '2026-10-02 regon B']);
  });
});

describe('the meaning of an event', () => {
  type Values = [old_value: string | null, new_value: string | null];

  async function isSame(event_type: string, one: Values, other: Values): Promise<boolean> {
    const { rows } = await db.pool.query<{ is_same: boolean }>(
      `select registry.event_meaning($1, $2, $3) = registry.event_meaning($1, $4, $5) as is_same`,
      [event_type, ...one, ...other],
    );
    return rows[0]!.is_same;
  }

  test.each<[string, Values, Values, boolean]>([
    [
      'COMPANY_ADDRESS_CHANGED',
      ['x', 'ul. Łąkowa 3, 00-001 Łódź'],
      ['y', 'UL. ŁĄKOWA 3, 00-001 ŁÓDŹ'],
      true,
    ],
    [
      'COMPANY_ADDRESS_CHANGED',
      ['x', 'Polna 3, 00-001 Łódź'],
      ['x', 'ulica Polna  3, 00-001 Łódź'],
      true,
    ],
    [
      'COMPANY_ADDRESS_CHANGED',
      ['x', 'Polna 3, 00-001 Łódź'],
      ['x', 'Polna 31, 00-001 Łódź'],
      false,
    ],
    ['COMPANY_ADDRESS_CHANGED', ['x', 'Ulanów 3'], ['x', 'anów 3'], false],
    ['COMPANY_PHONE_CHANGED', [null, '+48 600 100 200'], ['1', '600100200'], true],
    ['COMPANY_PHONE_CHANGED', [null, '600100200'], [null, '600100201'], false],
    ['COMPANY_WEBSITE_ADDED', [null, 'https://A.example.pl/'], [null, 'a.example.pl'], true],
    ['COMPANY_WEBSITE_ADDED', [null, 'a.example.pl'], [null, 'b.example.pl'], false],
    ['COMPANY_EMAIL_CHANGED', [null, 'Biuro@a.example.pl'], ['x', 'biuro@a.example.pl'], true],
    ['COMPANY_ACTIVITY_REMOVED', ['6201Z', null], ['6202Z', null], false],
    ['COMPANY_ACTIVITY_REMOVED', ['6201Z', null], ['6201Z', null], true],
    ['COMPANY_REOPENED', ['2026-10-01', null], ['2026-10-02', null], true],
    ['COMPANY_SUSPENDED', [null, '2026-10-01'], [null, '2026-10-02'], false],
  ])('%s %j %j', async (event_type, one, other, expected) => {
    expect(await isSame(event_type, one, other)).toBe(expected);
  });
});

describe('an address that KRS and REGON write in their own ways is one:', () => {
  test.each([
    ['ALEJE JEROZOLIMSKIE 5, 00-001 WARSZAWA', 'al. Jerozolimskie 5, 00-001 Warszawa'],
    ['UL. ALEJA RÓŻ 5/2, 00-001 WARSZAWA', 'al. Róż 5/2, 00-001 Warszawa'],
    ['PLAC WOLNOŚCI 1, 61-001 POZNAŃ', 'pl. Wolności 1, 61-001 Poznań'],
    ['OSIEDLE LEŚNE 1A, 61-001 POZNAŃ', 'os. Leśne 1 A, 61-001 Poznań'],
    ['BIAŁOWIEŻA 5, 17-230 BIAŁOWIEŻA, PODLASKIE', '5, 17-230 Białowieża, podlaskie'],
    ['UL. BRZOZÓWKA 7/2, BRZOZÓWKA', '7/2, Brzozówka'],
    ['BRZOZÓWKA 12 A, 82-500 BRZOZÓWKA', '12 A, 82-500 Brzozówka'],
    ['BRZOZÓWKA DZ. NR 12/4, 82-500 BRZOZÓWKA', 'dz. nr 12/4, 82-500 Brzozówka'],
    ['UL POLNA 3, 61-001 POZNAŃ', 'ul. Polna 3, 61-001 Poznań'],
  ])('%s', async (ofKrs, ofRegon) => {
    const { rows } = await db.pool.query(
      `select registry.is_same_change('COMPANY_ADDRESS_CHANGED', null, $1, null, $2) as is_same,
         registry.is_same_change('COMPANY_ADDRESS_CHANGED', null, $1, null, 'X ' || $2) as is_other`,
      [ofKrs, ofRegon],
    );
    expect(rows).toEqual([{ is_same: true, is_other: false }]);
  });
});
