import { expect, test } from 'vitest';
import { currentLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

const { runLines, findEntry } = useKrsNights();

const abroad = {
  siedziba: { kraj: 'NIEMCY', miejscowosc: 'LUBEKA' },
  adres: { kraj: 'NIEMCY', ulica: 'HOLSTENWALL', nrDomu: '7', miejscowosc: 'LUBEKA' },
  adresPocztyElektronicznej: 'KONTAKT@MOEWE.EXAMPLE',
};

const branch = (nrDomu: string) => ({
  nazwa: 'MÖWE GMBH ODDZIAŁ W POLSCE',
  siedziba: { kraj: 'POLSKA', wojewodztwo: 'POMORSKIE', miejscowosc: 'SOPOT' },
  adres: { kraj: 'POLSKA', ulica: 'MEWIA', nrDomu, kodPocztowy: '81-701', miejscowosc: 'SOPOT' },
});

function foreignLine(krs: string, section1: object = {}): string {
  const extract = JSON.parse(
    currentLine({
      krs,
      section1: {
        danePodmiotuZagranicznego: {
          formaPrawna: 'ODDZIAŁ ZAGRANICZNEGO PRZEDSIĘBIORCY',
          nazwa: 'MÖWE GMBH',
        },
        siedzibaIAdresPodmiotuZagranicznego: abroad,
        jednostkiTerenoweOddzialy: [branch('3')],
        ...section1,
      },
      section2: {
        osobyReprezentujacePZ: [{ nazwisko: { nazwiskoICzlon: 'M***' }, imiona: { imie: 'U**' } }],
      },
    }),
  ) as { odpis: { dane: { dzial1: { danePodmiotu?: object } } } };
  delete extract.odpis.dane.dzial1.danePodmiotu;
  return JSON.stringify(extract);
}

const numbers = Array.from({ length: 25 }, (_, at) => `00009950${at + 10}`);

test('a foreign company with a branch in Poland is an entry at the address of the branch', async () => {
  await runLines([currentLine({ krs: '0000995001' })]);
  const krs = numbers[0]!;
  const lines = numbers.map((number) => foreignLine(number));
  expect(await runLines(lines)).toMatchObject({ new: 25, rejected: 0, notices: [] });
  expect(await findEntry(krs, 'name, legal_form, email, persons')).toEqual([
    'MÖWE GMBH',
    '179',
    'kontakt@moewe.example',
    [{ kind: 'representative', full_name: 'U** M***', role: 'Osoba reprezentująca' }],
  ]);
  const address = 'street, building, city, postal_code, voivodeship, address_country_code';
  expect(await findEntry(krs, address)).toEqual(['MEWIA', '3', 'SOPOT', '81-701', '22', 'PL']);
  expect((await findEntry(krs, 'units'))[0]).toMatchObject([
    { name: 'MÖWE GMBH ODDZIAŁ W POLSCE', address: { building: '3', city: 'SOPOT' } },
    { name: 'MÖWE GMBH', address: { street: 'HOLSTENWALL', city: 'LUBEKA', country_code: 'DE' } },
  ]);
  expect(await runLines(lines)).toMatchObject({ updated: 0, events: 0 });
  // The branch moves: its address is the company's, so that this is one event.
  const moved = foreignLine(krs, { jednostkiTerenoweOddzialy: [branch('9')] });
  expect((await runLines([moved])).event_types).toEqual({ COMPANY_ADDRESS_CHANGED: 1 });
});

test('a foreign company is named and placed by whatever its extract tells', async () => {
  const [own, alone] = ['0000995002', '0000995003'];
  await runLines([
    foreignLine(own, {
      danePodmiotuZagranicznego: {
        formaPrawna: 'GMBH',
        nazwaFormaPrawnaPrzedsiebiorcyZagranicznego: 'MÖWE GESELLSCHAFT MBH',
      },
      siedzibaIAdres: branch('5'),
    }),
    foreignLine(alone, { jednostkiTerenoweOddzialy: [] }),
  ]);
  const columns = 'name, legal_form, building, city, jsonb_array_length(units)';
  expect(await findEntry(own, columns)).toEqual(['MÖWE GESELLSCHAFT MBH', '179', '5', 'SOPOT', 2]);
  expect(await findEntry(alone, columns)).toEqual(['MÖWE GMBH', '179', '7', 'LUBEKA', null]);
});
