import { areNipDigits } from '../../../sql/check-digit.ts';
import { isPossibleDay } from '../../calendar.ts';
import type { OddValue } from '../answer.ts';
import { readTable } from '../table.ts';

/** A record of a report, by the names of `fields.csv`; blank values are left out. */
export type Row = Record<string, string>;

const country = new URL('../../../sql/country/pl/', import.meta.url);
const forms = new Set(
  readTable<'symbol'>(new URL('legal_form.csv', country)).map(({ symbol }) => symbol),
);
const regions = new Set(
  readTable<'code' | 'name'>(new URL('region.csv', country)).flatMap(Object.values),
);

/** Matches the dates of an activity that become dates of its entry: these are noted for all sources alike. */
const entryDates = /^(?:start|end|suspension|resumption|struck_off|bankruptcy_(?:start|end))_date$/;

/**
 * Lists the values of a record that the mapping does not know, or that are impossible. Returns none for a part
 * that the mapping does not read.
 */
export function listOdd(row: Row, part: string | undefined): OddValue[] {
  if (part === 'codes') {
    const { version: value = '2007' } = row;
    return ['2007', '2025'].includes(value) ? [] : [{ subject: 'activity version', value }];
  }
  if (part !== 'main' && part !== 'person' && part !== 'units') return [];
  const { register = '', voivodeship_symbol, voivodeship, country_name } = row;
  const nip = row.nip?.replaceAll(/[- ]/g, '') ?? '0000000000';
  const isNip = nip.length === 10 && areNipDigits(Buffer.from(nip), 0);
  // Registers 138 and 139 are the parts of KRS.
  const isCourt = ['138', '139'].includes(register);
  const isRegion =
    regions.has(voivodeship_symbol ?? '') || regions.has(voivodeship?.toLowerCase() ?? '');
  const values: [subject: string, value: string | undefined, isOdd: boolean][] = [
    ['NIP', row.nip, !isNip && nip !== '0000000000'],
    ['NIP status', row.nip_status, true],
    [
      'KRS number',
      row.register_number,
      isCourt && !/^(?!0+$)\d{10}$/.test(row.register_number ?? ''),
    ],
    ['legal form', row.legal_form, !forms.has(row.legal_form ?? '')],
    ['voivodeship', [voivodeship_symbol, voivodeship].filter(Boolean).join(' '), !isRegion],
    ['country', country_name, row.country === undefined],
    ...Object.entries(row).map(([name, day]): [string, string, boolean] => {
      const isNoted = part === 'person' || (part === 'main' && entryDates.test(name));
      return ['date', `${name} ${day}`, name.endsWith('_date') && !isNoted && !isPossibleDay(day)];
    }),
  ];
  return values.flatMap(([subject, value, isOdd]) => (isOdd && value ? [{ subject, value }] : []));
}
