import { beforeEach, describe, expect, test } from 'vitest';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { extractOf } from '../../fixtures/dump/krs-extract.ts';
import { company, nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

const [krs, regon, nip] = ['0000990001', regonOf(1), nipOf(1)];

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

const tellKrs = (date: string, name: string) =>
  runKrs(db, date, [extract(krs, { nip, regon, name })]);
const tellRegon = (date: string, name: string) =>
  runRegon(db, date, { reports: company(regon, nip, { nazwa: name }) });

/** The events in order, each with the registries that confirmed it. */
async function readTold(): Promise<string[]> {
  const { rows } = await db.pool.query<{ told: string }>(
    `select concat_ws(' ', event.event_date, event.source,
       nullif(event.event_type, 'COMPANY_NAME_CHANGED'), event.new_value,
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

describe('an end and proceedings that two registries date in their own ways', () => {
  const bankrupt = (data: string) => ({
    postepowanieUpadlosciowe: [{ informacjaOOgloszeniuUpadlosci: { data } }],
  });
  const tellState = (date: string, { header = {}, section6 = {} }) =>
    runKrs(db, date, [extractOf({ krs, header, section6, identity: { identyfikatory: { nip } } })]);
  const tellFields = (date: string, fields: Record<string, string>) =>
    runRegon(db, date, { reports: company(regon, nip, fields) });

  beforeEach(async () => {
    await tellState('2026-08-01', {});
    await tellFields('2026-08-01', {});
  });

  test('are one bankruptcy, and another one when a registry tells one more', async () => {
    await tellState('2026-08-14', { section6: bankrupt('13.08.2026') });
    const declared = { dataOrzeczeniaOUpadlosci: '2026-08-05' };
    expect(await tellFields('2026-08-16', declared)).toMatchObject({ updated: 1, events: 0 });
    expect(await readTold()).toEqual([
      '2026-08-14 krs COMPANY_BANKRUPTCY_STARTED 2026-08-13 + regon',
    ]);
    const ended = { ...declared, dataZakonczeniaPostepowaniaUpadlosciowego: '2026-08-20' };
    await tellFields('2026-08-21', ended);
    expect(await tellState('2026-08-25', {})).toMatchObject({ updated: 1, events: 0 });
    await tellFields('2026-08-26', { dataOrzeczeniaOUpadlosci: '2026-08-25' });
    expect((await readTold()).slice(1)).toEqual([
      '2026-08-21 regon COMPANY_BANKRUPTCY_ENDED 2026-08-20 + krs',
      '2026-08-26 regon COMPANY_BANKRUPTCY_STARTED 2026-08-25',
    ]);
    await expectWhole();
  });

  const struckOff = { header: { dataWykreslenia: '13.08.2026' } };
  const closed = { dataZakonczeniaDzialalnosci: '2026-08-12' };
  const gone = { ...closed, dataSkresleniaZRegon: '2026-08-19' };

  test.each([
    ['in one night', [gone]],
    ['in two nights', [closed, gone]],
  ])('are one strike-off, with a closing date on top %s', async (_, days) => {
    await tellState('2026-08-14', struckOff);
    for (const [day, fields] of days.entries()) {
      const told = await tellFields(`2026-08-2${day}`, fields);
      expect(told).toMatchObject({ events: 0 });
    }
    expect(await readTold()).toEqual(['2026-08-14 krs COMPANY_STRUCK_OFF 2026-08-13 + regon']);
    await expectWhole();
  });

  test('are two after 30 days, and a closing date before the strike-off is news', async () => {
    await tellFields('2026-08-13', closed);
    await tellState('2026-08-14', struckOff);
    await tellFields('2026-09-14', gone);
    expect(await readTold()).toEqual([
      '2026-08-13 regon COMPANY_CLOSED_DATE 2026-08-12',
      '2026-08-14 krs COMPANY_STRUCK_OFF 2026-08-13',
      '2026-09-14 regon COMPANY_STRUCK_OFF 2026-08-19',
    ]);
    await expectWhole();
  });

  test('are confirmed by the value first: the late one tells the first date, then the second', async () => {
    await tellFields('2026-08-02', { dataOrzeczeniaOUpadlosci: '2026-08-01' });
    await tellFields('2026-08-04', { dataOrzeczeniaOUpadlosci: '2026-08-03' });
    await tellState('2026-08-05', { section6: bankrupt('01.08.2026') });
    await tellState('2026-08-06', { section6: bankrupt('03.08.2026') });
    expect(await readTold()).toEqual([
      '2026-08-02 regon COMPANY_BANKRUPTCY_STARTED 2026-08-01 + krs',
      '2026-08-04 regon COMPANY_BANKRUPTCY_STARTED 2026-08-03 + krs',
    ]);
    await expectWhole();
  });
});

describe('a number that a registry adopts', () => {
  const inKrs = { rodzajRejestruEwidencji_Symbol: '138', numerWRejestrzeEwidencji: krs };
  const tellNumbers = (date: string, numbers: { nip?: string; regon?: string }) =>
    runKrs(db, date, [extract(krs, { ...numbers, name: 'ALFA' })]);
  const tellNip = (date: string, written: string) =>
    runRegon(db, date, { reports: company(regon, written, { ...inKrs, nazwa: 'ALFA' }) });

  test('is not assigned again where the company had it, whoever is loaded first', async () => {
    await tellNumbers('2026-08-01', {});
    await tellNip('2026-08-01', nip);
    expect(await tellNumbers('2026-10-01', { nip, regon })).toMatchObject({
      updated: 1,
      events: 0,
    });
    // What a registry takes back and gives again, it has told.
    await tellNumbers('2026-10-02', { nip: '0000000000', regon });
    await tellNumbers('2026-10-03', { nip, regon });
    expect(await readTold()).toEqual([
      '2026-10-02 krs COMPANY_TAX_IDENTITY_REVOKED',
      `2026-10-03 krs COMPANY_TAX_IDENTITY_ASSIGNED ${nip}`,
    ]);
    await expectWhole();
  });

  test('is not assigned again where the other told it, at any time', async () => {
    await tellNumbers('2026-08-01', {});
    await runRegon(db, '2026-08-01', { reports: company(regonOf(2), nipOf(2)) });
    await tellNip('2026-08-02', '');
    await tellNip('2026-08-03', nip);
    expect(await tellNumbers('2026-10-01', { nip })).toMatchObject({ updated: 1, events: 0 });
    expect(await readTold()).toEqual([`2026-08-03 regon COMPANY_TAX_IDENTITY_ASSIGNED ${nip}`]);
    await expectWhole();
  });

  test('is told once where another brought it without an event, or has another number', async () => {
    await tellNumbers('2026-08-01', {});
    await runRegon(db, '2026-08-01', { reports: company(regonOf(2), nipOf(2)) });
    await tellNip('2026-08-02', nip);
    await tellNumbers('2026-08-03', { nip, regon: regonOf(3) });
    expect(await readTold()).toEqual([
      `2026-08-03 krs COMPANY_REGON_ASSIGNED ${regonOf(3)}`,
      `2026-08-03 krs COMPANY_TAX_IDENTITY_ASSIGNED ${nip}`,
    ]);
    await expectWhole();
  });
});
