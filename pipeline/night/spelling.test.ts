import { beforeEach, expect, test } from 'vitest';
import { runKrs } from '../../fixtures/dump/krs-day.ts';
import { extractOf } from '../../fixtures/dump/krs-extract.ts';
import {
  company,
  nipOf,
  readEvents,
  regonOf,
  runRegon,
  unitOf,
} from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

/** The columns of an entry, as it is stored. */
async function readEntry(columns: string): Promise<object> {
  const { rows } = await db.pool.query<object>(`select ${columns} from registry.entry`);
  return rows[0]!;
}

/** A company of KRS; its address, its name and the role of its board. */
interface KrsContent {
  nazwa: string;
  adres: object;
  role: string;
}

const tellKrs = (date: string, { nazwa, adres, role }: KrsContent) =>
  runKrs(db, date, [
    extractOf({
      krs: '0000990001',
      identity: { nazwa },
      section1: { siedzibaIAdres: { siedziba: { wojewodztwo: 'MAZOWIECKIE' }, adres } },
      section2: {
        reprezentacja: {
          nazwaOrganu: 'ZARZĄD',
          sklad: [
            {
              imiona: { imie: 'E**' },
              nazwisko: { nazwiskoICzlon: 'K**' },
              funkcjaWOrganie: role,
            },
          ],
        },
      },
    }),
  ]);

test('a respelling inside KRS is stored and counted, and no event; another street is one', async () => {
  const address = {
    ulica: 'OSTATNIA',
    nrDomu: '7A',
    nrLokalu: '3',
    miejscowosc: 'WARSZAWA',
    kodPocztowy: '16400',
  };
  const before = { nazwa: '"ALFA" SPÓŁKA AKCYJNA', adres: address, role: 'Prezes Zarządu' };
  await tellKrs('2026-10-01', before);
  const respelled = {
    nazwa: '„Alfa” Spółka Akcyjna',
    adres: {
      ulica: 'UL. OSTATNIA',
      nrDomu: '7 A',
      nrLokalu: '3',
      miejscowosc: 'M.ST. WARSZAWA',
      kodPocztowy: '16 400',
    },
    role: 'PREZES ZARZĄDU',
  };
  expect(await tellKrs('2026-10-02', respelled)).toMatchObject({ updated: 1, events: 0 });
  expect(await readEntry('name, street, building, city')).toEqual({
    name: '„Alfa” Spółka Akcyjna',
    street: 'UL. OSTATNIA',
    building: '7 A',
    city: 'M.ST. WARSZAWA',
  });
  expect(await verify(db, 'krs')).toEqual([]);

  await tellKrs('2026-10-03', {
    nazwa: '„Alfy” Spółka Akcyjna',
    adres: { ...respelled.adres, nrDomu: '7 B' },
    role: 'WICEPREZES ZARZĄDU',
  });
  expect(await readEvents(db, '2026-10-03')).toEqual([
    'COMPANY_ADDRESS_CHANGED: UL. OSTATNIA 7 A/3, 16 400 M.ST. WARSZAWA, mazowieckie → ' +
      'UL. OSTATNIA 7 B/3, 16 400 M.ST. WARSZAWA, mazowieckie',
    'COMPANY_NAME_CHANGED: „Alfa” Spółka Akcyjna → „Alfy” Spółka Akcyjna',
    'COMPANY_REPRESENTATION_CHANGED: E** K** (PREZES ZARZĄDU) → E** K** (WICEPREZES ZARZĄDU)',
  ]);
  // The newest events and the entry spell their values in two ways.
  const again = { ...before, nazwa: '"ALFY" SPÓŁKA AKCYJNA', role: 'Wiceprezes Zarządu' };
  again.adres = { ...address, nrDomu: '7B' };
  expect(await tellKrs('2026-10-04', again)).toMatchObject({ updated: 1, events: 0 });
  expect(await verify(db, 'krs')).toEqual([]);

  // `verify` still finds an entry that says something else.
  await db.pool.query(`update registry.entry set building = '7C', name = 'BETA'`);
  expect((await verify(db, 'krs')).filter((finding) => finding.startsWith('event'))).toEqual([
    expect.stringMatching(/^event \d+, COMPANY_ADDRESS_CHANGED of 2026-10-03/),
    expect.stringMatching(/^event \d+, COMPANY_NAME_CHANGED of 2026-10-03/),
  ]);
});

test('a respelling inside REGON is no event, of a unit and a telephone neither', async () => {
  const [regon, nip] = [regonOf(1), nipOf(1)];
  const tell = (date: string, fields: Record<string, string>, name: string, street: string) =>
    runRegon(db, date, {
      reports: company(regon, nip, fields, {
        units: [{ number: unitOf(regon, 1), name, street }],
      }),
    });
  const first = { numerTelefonu: '0421234567', adSiedzUlica_Nazwa: 'al. 3 Maja' };
  await tell('2026-10-01', first, 'Sklep „Wir”', 'ul. gen. Sowy');
  const second = { numerTelefonu: '+48 42 123 45 67', adSiedzUlica_Nazwa: 'ALEJA 3-GO MAJA' };
  expect(await tell('2026-10-02', second, 'SKLEP "WIR"', 'GENERAŁA SOWY')).toMatchObject({
    updated: 1,
    events: 0,
  });
  const third = { numerTelefonu: '+48 42 123 45 68', adSiedzUlica_Nazwa: 'ALEJA 1-GO MAJA' };
  await tell('2026-10-03', third, 'SKLEP "WIR"', 'KSIĘDZA SOWY');
  expect(await readEvents(db, '2026-10-03')).toEqual([
    'COMPANY_ADDRESS_CHANGED: ALEJA 3-GO MAJA 7, Poznań → ALEJA 1-GO MAJA 7, Poznań',
    'COMPANY_PHONE_CHANGED: +48421234567 → +48421234568',
    `COMPANY_UNIT_CHANGED: ${unitOf(regon, 1)} SKLEP "WIR", GENERAŁA SOWY, Gniezno → ` +
      `${unitOf(regon, 1)} SKLEP "WIR", KSIĘDZA SOWY, Gniezno`,
  ]);
  await tell('2026-10-04', { ...first, numerTelefonu: '(42) 123 45 68' }, 'Sklep Wir', 'ks. Sowy');
  expect(await readEvents(db, '2026-10-04')).toEqual([
    'COMPANY_ADDRESS_CHANGED: ALEJA 1-GO MAJA 7, Poznań → al. 3 Maja 7, Poznań',
  ]);
  expect(await verify(db, 'regon')).toEqual([]);
});
