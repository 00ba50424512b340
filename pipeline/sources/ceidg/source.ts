import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { Refusal } from '../../errors.ts';
import type { TableDescription } from '../source.ts';

/** The part of the dump that holds the entries without an address in Poland. */
export const NO_VOIVODESHIP = { teryt: '00', name: 'brak województwa' };

export const voivodeships = parse<{ teryt: string; name: string }>(
  readFileSync(new URL('../../../sql/dictionary/voivodeship.csv', import.meta.url)),
  { columns: true },
);

// Longest first: 'śląskie' is part of 'dolnośląskie', 'pomorskie' of 'zachodniopomorskie'.
const parts = [...voivodeships, NO_VOIVODESHIP]
  .map(({ teryt, name }) => ({ teryt, folded: fold(name) }))
  .toSorted((a, b) => b.folded.length - a.folded.length);

/**
 * CEIDG, the register of entrepreneurs: the daily reports "Zarejestrowane działalności", one a
 * voivodeship and one for the entries without. Column names as measured on the live service.
 */
export const description: TableDescription = {
  format: 'table',
  dump_kind: 'full',
  country_code: 'PL',
  row_number: 'Lp.',
  columns: [
    { header: 'Nip', column: 'nip', form: 'nip' },
    { header: 'Regon', column: 'regon', form: 'regon' },
    { header: 'NazwaPodmiotu', column: 'nazwa_podmiotu' },
    { header: 'Nazwisko', column: 'nazwisko' },
    { header: 'Imie', column: 'imie' },
    { header: 'Telefon', column: 'telefon' },
    { header: 'Email', column: 'email' },
    { header: 'AdresWWW', column: 'adres_www' },
    { header: 'KodPocztowy', column: 'kod_pocztowy' },
    { header: 'Powiat', column: 'powiat' },
    { header: 'Gmina', column: 'gmina' },
    { header: 'Miejscowosc', column: 'miejscowosc' },
    { header: 'Ulica', column: 'ulica' },
    { header: 'NrBudynku', column: 'nr_budynku' },
    { header: 'NrLokalu', column: 'nr_lokalu' },
    { header: 'GlownyKodPkd', column: 'glowny_kod_pkd', form: 'activity' },
    { header: 'PozostaleKodyPkd', column: 'pozostale_kody_pkd', form: 'activities' },
    { header: 'RokPKD', column: 'rok_pkd' },
    { header: 'StatusDzialalnosci', column: 'status_dzialalnosci' },
    { header: 'DataRozpoczeciaDzialalnosci', column: 'data_rozpoczecia', form: 'date' },
    { header: 'DataZakonczeniaDzialalnosci', column: 'data_zakonczenia', form: 'date' },
    { header: 'DataZawieszeniaDzialalnosci', column: 'data_zawieszenia', form: 'date' },
    { header: 'DataWznowieniaDzialalnosci', column: 'data_wznowienia', form: 'date' },
  ],
  identifyFile(file) {
    const name = fold(file);
    if (!/\.(zip|csv|csv\.gz)$/.test(name)) return null;
    // The other kind of report that CEIDG publishes: submitted applications, not entries.
    if (name.includes(fold('Złożone wnioski'))) return null;
    const part = parts.find(({ folded }) => name.includes(folded));
    if (!part) throw new Refusal(`${file}: the name of the file holds no voivodeship`);
    return part.teryt;
  },
};

/** Lower case without diacritics, white space and underscores as one space. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replace(/[\s_]+/g, ' ');
}
