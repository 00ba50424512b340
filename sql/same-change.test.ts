import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../fixtures/database/test-database.ts';

const db = await createTestDatabase();

async function isSame(subject: string, one: string, other: string): Promise<boolean> {
  const { rows } = await db.pool.query<{ is_same: boolean }>(
    `select registry.value_meaning('PL', $1, $2) = registry.value_meaning('PL', $1, $3) as is_same`,
    [subject, one, other],
  );
  return rows[0]!.is_same;
}

// Each case has two spellings of one value, and a similar text that is another value.
test.each([
  'address: ul. Łąkowa 3, 00-001 Łódź = UL. ŁĄKOWA 3, 00-001 ŁÓDŹ ≠ ul. Łokowa 3, 00-001 Łódź',
  'address: OSTATNIA 3, 00-001 ŁÓDŹ = UL. OSTATNIA 3, 00-001 ŁÓDŹ ≠ OSTATNIA 31, 00-001 ŁÓDŹ',
  'address: Ulanów 3 = ulanów 3 ≠ anów 3',
  'address: UL POLNA 3, 61-001 POZNAŃ = ulica Polna  3, 61-001 Poznań ≠ pl. Polny 3, 61-001 Poznań',
  'address: ALEJE JEROZOLIMSKIE 5 = al. Jerozolimskie 5 ≠ ul. Jerozolimskie 5',
  'address: UL. ALEJA RÓŻ 5/2, 00-001 WARSZAWA = al. Róż 5/2, 00-001 Warszawa ≠ al. Róż 52, 00-001 Warszawa',
  'address: PLAC WOLNOŚCI 1, 61-001 POZNAŃ = pl. Wolności 1, 61-001 Poznań ≠ Wolności 1, 61-001 Poznań',
  'address: OSIEDLE LEŚNE 1A, 61-001 POZNAŃ = os. Leśne 1 A, 61-001 Poznań ≠ os. Leśne 1B, 61-001 Poznań',
  'address: SKWER KOŚCIUSZKI 2 = skw. Kościuszki 2 ≠ pl. Kościuszki 2',
  'address: BULWAR POLNY 2 = bulw. Polny 2 ≠ wyb. Polny 2',
  'address: WYBRZEŻE WARTY 2 = wyb. Warty 2 ≠ wyb. Warty 3',
  'address: UL. GENERAŁA JÓZEFA SOWY 2 = ul. gen. Józefa Sowy 2 ≠ ul. gen. Jana Sowy 2',
  'address: UL. KSIĘDZA SOWY 2 = ul. ks. Sowy 2 ≠ ul. gen. Sowy 2',
  'address: UL. ŚWIĘTEGO MARCINA 2 = ul. św.Marcina 2 ≠ ul. Marcina 2',
  'address: UL. MARSZAŁKA SOWY 2 = ul. marsz. Sowy 2 ≠ ul. ks. Sowy 2',
  'address: UL. DR. JANA SOWY 2 = ul. dr Jana Sowy 2 ≠ ul. Jana Sowy 2',
  'address: UL. PUŁKOWNIKA SOWY 2 = ul. płk. Sowy 2 ≠ ul. ppłk. Sowy 2',
  'address: UL. PROFESORA SOWY 2 = ul. prof. Sowy 2 ≠ ul. dr Sowy 2',
  'address: UL. BISKUPA SOWY-KOSA 2 = ul. bpa Sowy - Kosa 2 ≠ ul. kard. Sowy-Kosa 2',
  'address: 3-GO MAJA 2 = ul. 3 Maja 2 ≠ ul. 1 Maja 2',
  'address: UL. 11-ego LISTOPADA 2 = ul. 11 Listopada 2 ≠ ul. 1 Listopada 2',
  'address: Polna 7 A/2, 16400 SUWAŁKI = Polna 7A / 2, 16 400 Suwałki ≠ Polna 7A/2, 16-401 Suwałki',
  'address: Polna 7-9, 16 - 400 Suwałki = Polna 7 - 9, 16–400 Suwałki ≠ Polna 79, 16-400 Suwałki',
  'address: Polna 7, 00-001 M.ST. WARSZAWA = Polna 7, 00-001 Warszawa ≠ Polna 7, 00-001 M. Łódź',
  'address: BIAŁOWIEŻA 5, 17-230 BIAŁOWIEŻA, PODLASKIE = 5, 17-230 Białowieża, podlaskie ≠ 5, 17-230 Hajnówka, podlaskie',
  'address: UL. BRZOZÓWKA 7/2, BRZOZÓWKA = 7/2, Brzozówka ≠ Olchówka 7/2, Brzozówka',
  'address: BRZOZÓWKA 12 A, 82-500 BRZOZÓWKA = 12 A, 82-500 Brzozówka ≠ 12, 82-500 Brzozówka',
  'address: BRZOZÓWKA DZ. NR 12/4, 82-500 BRZOZÓWKA = działka 12/4, 82-500 Brzozówka ≠ 12/4, 82-500 Brzozówka',
  'address: вул. Садова 3 = ВУЛ. САДОВА 3 ≠ вул. Паркова 3',
  'unit: 99000000100014 Sklep „Wir”, ul. Polna 3 = 99000000100014 SKLEP "WIR", POLNA 3 ≠ 99000000100028 SKLEP "WIR", POLNA 3',
  'phone: +48 42 123 45 67 = 0421234567 ≠ 0421234568',
  'phone: 0048 (42) 123-45-67 = 48421234567 ≠ 421234568',
  'phone: 42 123 45 67 wew. 12 = +48421234567 WEW 12 ≠ 421234567 wew. 13',
  'phone: 481234567 = +48 48 123 45 67 ≠ 1234567',
  'phone: 0049 30 1234567 = +49 30 1234567 ≠ 30 1234567',
  'fax: (42) 123 45 67 = 0-42 123-45-67 ≠ (43) 123 45 67',
  'website: https://www.A.example.pl/ = a.example.pl ≠ b.example.pl',
  'e-mail: Biuro@a.example.pl = biuro@a.example.pl ≠ biuro@ą.example.pl',
  'name: „ALFA” SPÓŁKA Z O. O. = "Alfa" Spółka z o.o. ≠ ALFA SPÓŁKA AKCYJNA',
  'name: ALFA SP. Z O.O. = Alfa Spółka z Ograniczoną Odpowiedzialnością ≠ ALFA S.A.',
  'name: SOWA SP.J. = Sowa spółka jawna ≠ Sowa sp. k.',
  'name: SOWA S.K.A. = Sowa Spółka Komandytowo - Akcyjna ≠ Sowa S.A.',
  'owner: JAN KOWAL; SOWA SPÓŁKA Z O.O. = Sowa sp. z o. o.; Jan Kowal ≠ Jan Kowal',
  "name: BAR ‘KŁOS’ = Bar 'Kłos' ≠ Bar Kłosy",
  'representation: A*** K*** (Prezes Zarządu); b*** (PROKURENT) = B*** (Prokurent); A*** K*** (PREZES ZARZĄDU) ≠ A*** K*** (Wiceprezes Zarządu); B*** (Prokurent)',
  'NIP: 1001405001 = 1001405001 ≠ 1001405002',
])('%s', async (values) => {
  const [subject, one, same, other] = values.split(/: | = | ≠ /) as [
    string,
    string,
    string,
    string,
  ];
  expect(await isSame(subject, one, same)).toBe(true);
  expect(await isSame(subject, one, other)).toBe(false);
});

describe('two registries tell one change', () => {
  type Values = [old_value: string | null, new_value: string | null];

  test.each<[string, Values, Values, boolean]>([
    ['COMPANY_ADDRESS_CHANGED', ['x', 'Polna 3, Łódź'], ['y', 'ul. Polna 3, Łódź'], true],
    ['COMPANY_PHONE_CHANGED', [null, '+48 600 100 200'], ['1', '600100200'], true],
    ['COMPANY_ACTIVITY_REMOVED', ['6201Z', null], ['6202Z', null], false],
    ['COMPANY_ACTIVITY_REMOVED', ['6201Z', null], ['6201Z', null], true],
    ['COMPANY_REOPENED', ['2026-10-01', null], ['2026-10-02', null], true],
    ['COMPANY_SUSPENDED', [null, '2026-10-01'], [null, '2026-10-02'], false],
    ['COMPANY_STRUCK_OFF', ['ACTIVE', '2026-10-01'], ['SUSPENDED', '2026-10-07'], true],
    ['COMPANY_BANKRUPTCY_STARTED', [null, '2026-08-13'], [null, null], true],
  ])('%s %j %j: %s', async (event_type, one, other, expected) => {
    const { rows } = await db.pool.query(
      `select registry.event_meaning('PL', $1, $2, $3) = registry.event_meaning('PL', $1, $4, $5) as is_same`,
      [event_type, ...one, ...other],
    );
    expect(rows).toEqual([{ is_same: expected }]);
  });
});

test('every word of a spelling is written as addresses are compared, and stands for the last one', async () => {
  const { rows } = await db.pool.query(
    `select written from registry.spelling
     where
       written <> registry.fold(written)
       or (country_code, meaning) in (select country_code, written from registry.spelling)`,
  );
  expect(rows).toEqual([]);
});
