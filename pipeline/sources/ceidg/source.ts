import { readCountryRows } from '../../../sql/country.ts';
import { Refusal } from '../../errors.ts';
import type { TableDescription } from '../source.ts';
import { readColumns, readTable } from '../table.ts';

/** The part of the dump that holds the entries without an address in Poland. */
export const NO_VOIVODESHIP = { code: '00', name: 'brak województwa' };

export const voivodeships = readCountryRows<'code' | 'name'>('PL', 'region');

const header = new URL('header.csv', import.meta.url);

/**
 * The columns of the reports; map.sql makes the key of an entry from them. `api` is the path of the same field in an
 * entry of the API; it is blank where the API writes the field otherwise.
 */
export const columns = readTable<'header' | 'api'>(header);

// Longer names come first: 'śląskie' is part of 'dolnośląskie', 'pomorskie' of 'zachodniopomorskie'.
const parts = [...voivodeships, NO_VOIVODESHIP]
  .map(({ code, name }) => ({ code, folded: fold(name) }))
  .toSorted((a, b) => b.folded.length - a.folded.length);

/** Describes CEIDG, the register of entrepreneurs. The column names are measured on the live service. */
export const description: TableDescription = {
  format: 'table',
  dump_kind: 'full',
  country_code: 'PL',
  row_number: 'Lp.',
  ...readColumns(header),
  identifyFile(file) {
    const name = fold(file);
    if (!/\.(zip|csv|csv\.gz)$/.test(name)) return null;
    // CEIDG also publishes reports of submitted applications, which hold no entries.
    if (name.includes(fold('Złożone wnioski'))) return null;
    const part = parts.find(({ folded }) => name.includes(folded));
    if (!part) throw new Refusal(`${file}: the name of the file holds no voivodeship`);
    return part.code;
  },
};

/** Returns a text in lower case without diacritics, with white space and underscores as one space. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replace(/[\s_]+/g, ' ');
}
