import { describe, expect, test } from 'vitest';
import { findCountry } from '../../../sql/country/pl/find-country.ts';
import { readExtract } from './extract.ts';
import { UnusableAnswer } from '../answer.ts';

type Json = Record<string, unknown>;

const identity = { nazwa: 'ALFA SPÓŁKA AKCYJNA', formaPrawna: 'SPÓŁKA AKCYJNA' };

function current(sections: Json, header: Json = {}): Json {
  const dane = { dzial1: { danePodmiotu: identity }, ...sections };
  return { odpis: { naglowekA: { numerKRS: '0000990001', ...header }, dane } };
}

function full(
  sections: Json,
  wpis: Json[] = [entry(1, '01.02.2010'), entry(9, '05.11.2026')],
): Json {
  const nazwa = [{ nazwa: 'ALFA SPÓŁKA AKCYJNA', nrWpisuWprow: '1' }];
  const formaPrawna = [{ formaPrawna: 'SPÓŁKA AKCYJNA', nrWpisuWprow: '1' }];
  const dane = { dzial1: { danePodmiotu: { nazwa, formaPrawna } }, ...sections };
  return { odpis: { naglowekP: { numerKRS: '0000990001', wpis }, dane } };
}

function entry(numerWpisu: number, dataWpisu: string, opis = 'ZMIANA DANYCH W REJESTRZE'): Json {
  return { numerWpisu, dataWpisu, opis };
}

function read(extract: unknown) {
  const answer = readExtract(extract);
  if (answer.kind !== 'extract') throw new Error('no extract');
  return { ...answer, sections: answer.content.sections as Record<string, Json> };
}

const person = (name: string, removed: Json) => ({
  nazwisko: [{ nazwisko: { nazwiskoICzlon: name }, nrWpisuWprow: '1', ...removed }],
  imiona: [{ imiona: { imie: 'A**' }, nrWpisuWprow: '1', ...removed }],
  identyfikator: [{ pesel: '7**********', nrWpisuWprow: '1', ...removed }],
});

const email = (removed: Json) => ({
  dzial1: {
    danePodmiotu: { nazwa: [{ nazwa: 'ALFA', nrWpisuWprow: '1', nrWpisuWykr: '9' }] },
    siedzibaIAdres: {
      adresPocztyElektronicznej: [
        { adresPocztyElektronicznej: 'A@EXAMPLE.COM', nrWpisuWprow: '1', ...removed },
      ],
    },
  },
});

const strikeOff = entry(9, '05.11.2026', 'WYKREŚLENIE Z KRAJOWEGO REJESTRU SĄDOWEGO');

describe('an OdpisPelny', () => {
  test('says what the version without nrWpisuWykr says', () => {
    const former = { nazwa: 'BETA SPÓŁKA AKCYJNA', nrWpisuWprow: '1', nrWpisuWykr: '9' };
    const nazwa = [former, { nazwa: identity.nazwa, nrWpisuWprow: '9' }];
    const formaPrawna = [{ formaPrawna: identity.formaPrawna, nrWpisuWprow: '1' }];
    const extract = full({ dzial1: { danePodmiotu: { nazwa, formaPrawna } } });
    const danePodmiotu = { ...identity, former_names: [former.nazwa] };
    expect(read(extract).sections).toEqual({ dzial1: { danePodmiotu } });
  });

  test('says of an object and of a list what an OdpisAktualny says', () => {
    const activities = (list: Json[]) => ({
      przedmiotDzialalnosci: { przedmiotPrzewazajacejDzialalnosci: list },
    });
    const board = [{ nazwisko: { nazwiskoICzlon: 'K****' }, imiona: { imie: 'A**' } }];
    const plain = current({
      dzial2: { reprezentacja: { nazwaOrganu: 'ZARZĄD', sklad: board } },
      dzial3: activities([{ kodDzial: '69', kodKlasa: '10' }]),
    });
    const sklad = [person('B***', { nrWpisuWykr: '9' }), person('K****', {})];
    const nazwaOrganu = [{ nazwaOrganu: 'ZARZĄD', nrWpisuWprow: '1' }];
    const pozycja = [
      { kodDzial: '41', kodKlasa: '20', nrWpisuWprow: '1', nrWpisuWykr: '9' },
      { kodDzial: '69', kodKlasa: '10', nrWpisuWprow: '9' },
    ];
    const versioned = full({
      dzial2: { reprezentacja: [{ nazwaOrganu, sklad }] },
      dzial3: activities([{ pozycja }]),
    });
    // The expected activity has an `entry_day`, because a full extract (unlike a current one) states when an activity
    // was entered.
    const entered = activities([{ kodDzial: '69', kodKlasa: '10', entry_day: '2026-11-05' }]);
    expect(read(versioned).sections).toEqual({ ...read(plain).sections, dzial3: entered });
    expect(read(versioned).odd).toEqual([]);
  });

  test('of a company that was struck off keeps what stood to the last', () => {
    const entries = [entry(1, '01.02.2010'), { ...strikeOff, dataUprawomocnienia: '19.11.2026' }];
    const last = read(full(email({ nrWpisuWykr: '9' }), entries));
    expect(last.content).toMatchObject({
      registered_day: '2010-02-01',
      struck_off_day: '2026-11-05',
      final_day: '2026-11-19',
    });
    expect(last.sections).toMatchObject({
      dzial1: {
        danePodmiotu: { nazwa: 'ALFA' },
        siedzibaIAdres: { adresPocztyElektronicznej: 'A@EXAMPLE.COM' },
      },
    });
    const before = read(full(email({ nrWpisuWykr: '8' }), entries));
    expect(before.sections.dzial1).not.toHaveProperty('siedzibaIAdres');
  });

  test('is of a company in the register again once an entry follows the strike-off', () => {
    const entries = [strikeOff, entry(10, '06.11.2026'), entry(1, '01.02.2010')];
    expect(read(full({}, entries)).content).toHaveProperty('struck_off_day', undefined);
  });
});

describe('an extract', () => {
  test('means nothing by empty shells, blanks and nulls', () => {
    const shells = current({
      dzial1: {
        danePodmiotu: identity,
        siedzibaIAdres: { adres: { ulica: ' ', nrDomu: null }, adresStronyInternetowej: '' },
        wspolnicySpzoo: [],
        kapital: null,
      },
      dzial2: { reprezentacja: {}, prokurenci: [{}] },
      dzial6: {
        likwidacja: [{}],
        postepowanieUpadlosciowe: [{ informacjaOOgloszeniuUpadlosci: {}, daneSyndyka: [{}] }],
      },
    });
    expect(read(shells).sections).toEqual(read(current({})).sections);
  });

  test('gives days as YYYY-MM-DD, of texts the first, and what is no day as it is', () => {
    const { sections } = read(
      current({
        dzial6: {
          zawieszenieWznowienieDzialalnosci: [
            { dataZawieszenia: '01.11.2026', dataWznowienia: 'JUTRO' },
            { dataZawieszenia: 'z dnia 1.9.2026 r.', dataWznowienia: '30.09.2026 R.' },
            { dataZawieszenia: '2026-10-01', dataWznowienia: '------' },
          ],
          likwidacja: [{ otwarcieLikwidacji: 'UCHWAŁA Z DNIA 02.11.2026 R., AKT Z 03.11.2026' }],
        },
      }),
    );
    expect(sections.dzial6).toEqual({
      zawieszenieWznowienieDzialalnosci: [
        { dataZawieszenia: '2026-11-01', dataWznowienia: 'JUTRO' },
        { dataZawieszenia: '2026-09-01', dataWznowienia: '2026-09-30' },
        { dataZawieszenia: '2026-10-01' },
      ],
      likwidacja: [{ otwarcieLikwidacji: '2026-11-02' }],
    });
  });

  test('has one history where an end, or a person, is an item of its own', () => {
    const opened = { organWydajacy: 'SĄD', data: '09.05.2018' };
    const later = { organWydajacy: 'SĄD', data: '01.02.2022' };
    const closed = { opis: 'ZATWIERDZENIE UKŁADU', data: '06.06.2019' };
    const liquidator = (name: string) => ({ nazwisko: { nazwiskoICzlon: name } });
    const { sections } = read(
      current({
        dzial6: {
          postepowanieUpadlosciowe: [
            { opisZakonczeniaProcesuUpadlosci: { data: '01.01.2017' } },
            { informacjaOOgloszeniuUpadlosci: opened, opisZakonczeniaProcesuUpadlosci: {} },
            { informacjaOOgloszeniuUpadlosci: later },
            { informacjaOOgloszeniuUpadlosci: {}, opisZakonczeniaProcesuUpadlosci: closed },
          ],
          likwidacja: [
            { otwarcieLikwidacji: 'UCHWAŁA Z 01.02.2020', zakonczenieLikwidacji: '01.02.2021' },
            { otwarcieLikwidacji: 'UCHWAŁA Z 01.02.2026', likwidatorzy: [liquidator('Z***')] },
            { likwidatorzy: [liquidator('W***')] },
            { zakonczenieLikwidacji: 'UCHWAŁA Z 18.11.2026' },
          ],
          zawieszenieWznowienieDzialalnosci: [
            { dataWznowienia: '01.11.2026' },
            { dataZawieszenia: '01.02.2026' },
          ],
        },
      }),
    );
    expect(sections.dzial6).toEqual({
      postepowanieUpadlosciowe: [
        { zakonczenie: { data: '2017-01-01' } },
        {
          otwarcie: { organWydajacy: 'SĄD', data: '2018-05-09' },
          zakonczenie: { opis: 'ZATWIERDZENIE UKŁADU', data: '2019-06-06' },
        },
        { otwarcie: { organWydajacy: 'SĄD', data: '2022-02-01' } },
      ],
      likwidacja: [
        { otwarcieLikwidacji: '2020-02-01', zakonczenieLikwidacji: '2021-02-01' },
        {
          otwarcieLikwidacji: '2026-02-01',
          zakonczenieLikwidacji: '2026-11-18',
          likwidatorzy: [liquidator('Z***'), liquidator('W***')],
        },
      ],
      zawieszenieWznowienieDzialalnosci: [
        { dataZawieszenia: '2026-02-01', dataWznowienia: '2026-11-01' },
      ],
    });
  });

  test.each([
    [
      '7 UDZIAŁÓW O ŁĄCZNEJ WARTOŚCI 3.500,00 ZŁ WRAZ Z MĘŻEM ADAMEM, PESEL 02270803624',
      '7 UDZIAŁÓW O ŁĄCZNEJ WARTOŚCI 3.500,00 ZŁ',
    ],
    [
      '1.200 (STO) RÓWNYCH UDZIAŁÓW PO 50 ZŁ, ŁĄCZNIE 60 000 ZŁOTYCH.',
      '1.200 UDZIAŁÓW O ŁĄCZNEJ WARTOŚCI 60 000 ZŁOTYCH',
    ],
    ['UDZIAŁY: 3, O WYSOKOŚCI 1500', '3 UDZIAŁÓW O WARTOŚCI 1500'],
    ['1/2 UDZIAŁU', '1/2 UDZIAŁU'],
    ['02270803624 UDZIAŁÓW O WARTOŚCI 02270803624 ZŁ', undefined],
    ['CAŁOŚĆ, Z ŻONĄ EWĄ', undefined],
  ])('keeps of %s count and value', (posiadaneUdzialy, holding) => {
    const wspolnicySpzoo = [{ nazwa: 'BÓR', okreslenieOsoby: 'X', posiadaneUdzialy }];
    const { sections, odd } = read(current({ dzial1: { danePodmiotu: identity, wspolnicySpzoo } }));
    expect(sections.dzial1!.wspolnicySpzoo).toEqual([
      { nazwa: 'BÓR', ...(holding && { posiadaneUdzialy: holding }) },
    ]);
    expect(odd).toEqual([]);
  });

  test('tells keys and countries that are not known', () => {
    const { odd, sections } = read(
      current(
        {
          dzial1: {
            danePodmiotu: { ...identity, barwa: 'ZIELONA' },
            siedzibaIAdres: { siedziba: { kraj: 'ATLANTYDA' }, adres: { kraj: 'CZECHY' } },
          },
          dzial7: {},
        },
        { pieczec: 'TAK' },
      ),
    );
    expect(odd).toEqual([
      { subject: 'field', value: 'naglowek.pieczec' },
      { subject: 'field', value: 'dane.dzial1.danePodmiotu.barwa' },
      { subject: 'country', value: 'ATLANTYDA' },
      { subject: 'field', value: 'dane.dzial7' },
    ]);
    expect(sections.dzial1).toMatchObject({ siedzibaIAdres: { adres: { kraj: 'CZ' } } });
  });

  test.each([
    ['a list', [], 'no object, so no extract of KRS'],
    ['no header', { odpis: { dane: {} } }, /either naglowekA or naglowekP/],
    ['both headers', { odpis: { naglowekA: {}, naglowekP: {} } }, /either naglowekA or naglowekP/],
    ['an empty header', { odpis: { naglowekA: {}, dane: {} } }, 'an empty header'],
    ['no name', current({ dzial1: {} }), /no name/],
    ['a number of nine digits', current({}, { numerKRS: '000990001' }), /'000990001' is not valid/],
    ['a number of zeros', current({}, { numerKRS: '0000000000' }), /is not valid/],
    ['a full one without entries', full({}, []), 'a full extract without entries'],
    ['a text in place of an object', current({ dzial2: 'X' }), 'dane.dzial2 is no object'],
    [
      'an object in place of a text',
      current({ dzial1: { danePodmiotu: { nazwa: { pl: 'X' } } } }),
      'dane.dzial1.danePodmiotu.nazwa is no text',
    ],
    [
      'two where one can be',
      current({ dzial1: [{ danePodmiotu: identity }, { danePodmiotu: identity }] }),
      'dane.dzial1 is there 2 times',
    ],
  ])('with %s is rejected', (_, extract: unknown, reason) => {
    expect(() => readExtract(extract)).toThrow(UnusableAnswer);
    expect(() => readExtract(extract)).toThrow(reason);
  });
});

test('a country is known by its Polish name in any case', () => {
  const names = ['POLSKA', 'Czechy', 'ZJEDNOCZONE EMIRATY ARABSKIE', 'HONGKONG', 'UNIA EUROPEJSKA'];
  expect(names.map(findCountry)).toEqual(['PL', 'CZ', 'AE', 'HK', undefined]);
});
