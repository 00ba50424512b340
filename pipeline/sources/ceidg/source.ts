import { readCountryRows } from '../../../sql/country.ts';
import { Refusal } from '../../errors.ts';
import type { TableDescription } from '../source.ts';
import { readColumns, readTable } from '../table.ts';

/** The part of a CEIDG dump with the entries whose address has no voivodeship. */
export const NO_VOIVODESHIP = { code: '00', name: 'brak województwa' };

export const voivodeships = readCountryRows<'code' | 'name'>('PL', 'region');

const header = new URL('columns-without-row-number.csv', import.meta.url);

/**
 * The columns of the CEIDG reports but `Lp.`, a row's number (no data). map.sql makes an entry's key from some columns.
 * `api` is the path of the field in an entry of the API, or blank if the API writes the field in another form.
 */
export const columns = readTable<'header' | 'api'>(header);

// Longer voivodeship names are compared first, because 'dolnośląskie' contains 'śląskie'.
const parts = [...voivodeships, NO_VOIVODESHIP]
  .map(({ code, name }) => ({ code, folded: fold(name) }))
  .toSorted((a, b) => b.folded.length - a.folded.length);

/** Describes the dumps of CEIDG, the register of entrepreneurs. */
export const description: TableDescription = {
  format: 'table',
  dump_kind: 'full',
  country_code: 'PL',
  row_number: 'Lp.',
  ...readColumns(header),
  identifyFile(file) {
    const name = fold(file);
    if (!/\.(zip|csv|csv\.gz)$/.test(name)) return null;
    // CEIDG also publishes reports of applications (Złożone wnioski), which contain no entries.
    if (name.includes(fold('Złożone wnioski'))) return null;
    const part = parts.find(({ folded }) => name.includes(folded));
    if (!part) throw new Refusal(`${file}: the name of the file holds no voivodeship`);
    return part.code;
  },
};

/** Returns a text in lower case without diacritics, with one blank for each run of white space or underscores. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replace(/[\s_]+/g, ' ');
}
