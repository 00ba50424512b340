import { type BirRow, fieldOf } from './soap.ts';
import { type OddValue, UnusableAnswer } from '../answer.ts';
import { readCountryRows } from '../../../sql/country.ts';
import { isNip, isRegon9 } from '../../../sql/country/pl/check-digit.ts';
import { findCountry } from '../../../sql/country/pl/find-country.ts';
import { isPossibleDay } from '../../calendar.ts';
import { shorten } from '../rejects.ts';
import { tidy } from '../tidy.ts';
import type { Fields } from '../source.ts';
import { findReport, fits, foldName, type Report, tellReport } from './report-types.ts';

/** The label of an answer in the dump: the name of the report in any version of BIR, and a REGON of 9 or 14 digits. */
type AnswerLabel = Partial<Record<'report' | 'regon', string | undefined>>;

/**
 * Reads the records of one answer of BIR (the API of REGON). Finds the type of report by the label of the answer, or
 * else by its fields. Throws an `UnusableAnswer`. source.ts parses the `.xml` and `.ndjson` files of a dump, and
 * bir.ts handles ended sessions and SOAP faults of BIR.
 *
 * @returns the report or error answer, in the form that `collect.sql` reads from `stage.answer`
 */
export function readReport(rows: readonly BirRow[], label: AnswerLabel): object {
  const error = rows.find((row) => valueOf(row, 'ErrorCode') !== '');
  if (error) return readError(error, label);
  const report = chooseReport(rows, label.report);
  const odd: OddValue[] = [];
  const named = report.fields.size > 0 ? rows.map((row) => nameFields(row, report, odd)) : [];
  // A report whose fields include the company's REGON has exactly one record; reports that are lists lack this field.
  if ([...report.fields.values()].includes('regon9') && named.length !== 1) {
    throw new UnusableAnswer(
      named.length === 0 ? 'an answer without records' : `${named.length} records instead of one`,
    );
  }
  odd.push(...named.flatMap((row) => listOdd(row, report.place.part)));
  const owner = findOwner(named, label.regon);
  return {
    kind: 'report',
    ...placeOf(report, owner.isUnit),
    // The company's REGON has 9 digits and may be invalid; it is undefined if neither records nor label state it.
    regon: owner.regon,
    // The rows are sorted, so that answers with the same rows in another order are equal.
    rows: named
      .filter((row) => isKnown(row, odd))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    odd: [...new Map(odd.map((one) => [`${one.subject} ${one.value}`, one])).values()],
  };
}

/** Reads a line of REGON's daily list `new`, `updated` or `deleted`. Throws an `UnusableAnswer`. */
export function readNumber(list: string, number: string): object {
  if (!/^(?:\d{9}|\d{14})$/.test(number)) throw new UnusableAnswer('not a REGON of 9 or 14 digits');
  if (!isRegon9(number.slice(0, 9)))
    throw new UnusableAnswer(`the REGON '${number}' is not valid`, 'invalid_regon');
  return { kind: 'list', list, number, is_unit: isUnitNumber(number) };
}

/** The error codes "no civil partnership" and "no partners recorded"; answers with these codes name no report. */
const partnerCodes = new Set(['21', '22']);

function readError(row: BirRow, label: AnswerLabel): object {
  const message = ['ErrorMessagePl', 'DatabaseSearchResultPl', 'ErrorMessageEn']
    .map((key) => valueOf(row, key))
    .find((text) => text !== '');
  const regon = valueOf(row, 'pRegon') || label.regon?.trim() || undefined;
  const code = valueOf(row, 'ErrorCode');
  const name = partnerCodes.has(code) ? 'OsPrawnaSpCywilnaWspolnicy' : valueOf(row, 'Raport');
  const place = placeOf(findReport(label.report ?? name), isUnitNumber(regon));
  const number = regon?.slice(0, 9);
  // Error answers with these codes are frequent, so the note about such an answer omits the company's number.
  const about = ['11', '21', '22'].includes(code) ? undefined : number;
  const said = [code, shorten(message ?? '', 200), place.report, about].filter(Boolean);
  const odd = [{ subject: 'error answer', value: said.join(' ') }];
  return { kind: 'error', ...place, regon: number, code, odd };
}

function chooseReport(rows: readonly BirRow[], label: string | undefined): Report {
  const keys = [...new Set(rows.flatMap(Object.keys))].map((key) => key.toLowerCase());
  if (label === undefined) {
    if (keys.length === 0) throw new UnusableAnswer('an answer without records');
    const told = tellReport(keys);
    if (told) return told;
    throw new UnusableAnswer(`no report has the fields ${firstOf(keys)}`);
  }
  const report = findReport(label);
  if (!report) throw new UnusableAnswer(`there is no report '${label.slice(0, 100)}'`);
  if (keys.length > 0 && !fits(report, keys)) {
    throw new UnusableAnswer(`${report.name} does not have the fields ${firstOf(keys)}`);
  }
  return report;
}

function firstOf(keys: readonly string[]): string {
  return shorten(keys.slice(0, 3).join(', '), 200);
}

/** The number of each silo (kind of activity, see `source.ts`), by the silo's name in the reports. */
const silos: Readonly<Record<string, string>> = {
  ceidg: '1',
  rolnicza: '2',
  pozostala: '3',
  pozostała: '3',
  inna: '3',
  krupgn: '4',
};

function nameFields(row: BirRow, report: Report, odd: OddValue[]): Fields {
  const named: Fields = {};
  for (const [key, text] of Object.entries(row)) {
    const folded = foldName(key.replace(/^(?:lok)?(?:praw|fiz[cp]?)_|^wspolsc_/i, ''));
    const name = report.fields.get(folded);
    if (name === undefined) odd.push({ subject: 'field', value: `${report.name} ${key}` });
    const value = tidy(text);
    if (name && value !== '') named[name] ??= value;
  }
  const { silo_name, ...rest } = named;
  // Reports on a natural person often lack the country code, so the code is found by the country's name.
  const country = rest.country ?? findCountry(rest.country_name ?? '');
  if (country !== undefined) rest.country = country;
  const silo = rest.silo ?? silos[silo_name?.toLowerCase() ?? ''] ?? silo_name;
  if (silo === undefined) return rest;
  if (!/^[1-4]$/.test(silo)) odd.push({ subject: 'silos', value: silo });
  return { ...rest, silo };
}

/** Checks whether a record of a report has any field. The record of a local unit must also have a valid REGON. */
function isKnown(row: Fields, odd: OddValue[]): boolean {
  const { regon14 } = row;
  if (regon14 === undefined || isRegon14(regon14)) return Object.keys(row).length > 0;
  odd.push({ subject: 'REGON of a unit', value: regon14 });
  return false;
}

/** Checks the last digit of a REGON of 14 digits. `findOwner` compares the first nine digits with the company's. */
function isRegon14(text: string): boolean {
  const weights = [2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8];
  const sum = weights.reduce((total, weight, at) => total + weight * Number(text[at]), 0);
  return /^\d{14}$/.test(text) && (sum % 11) % 10 === Number(text[13]);
}

/** Returns the columns by which `collect.sql` finds a report. The `part` of a report on a local unit is blank. */
function placeOf(report: Report | undefined, isUnit: boolean): Partial<Report['place']> {
  return { ...report?.place, ...(isUnit && { part: '' }) };
}

/** Checks whether a REGON is a local unit's. A company's REGON of fourteen digits ends in five zeros. */
function isUnitNumber(regon: string | undefined): boolean {
  return /^\d{14}$/.test(regon ?? '') && !regon!.endsWith('00000');
}

/**
 * Returns the company that an answer is about: the only company in the records, else the company in the label. `isUnit`
 * is true if no record states a REGON, and the REGON in the label is a local unit's.
 */
function findOwner(
  rows: readonly Fields[],
  label: string | undefined,
): { regon: string | undefined; isUnit: boolean } {
  const owners = rows.flatMap((row) => (row.regon9 ?? row.regon14)?.slice(0, 9) ?? []);
  const regons = [...new Set(owners)];
  if (regons.length > 1) {
    throw new UnusableAnswer(`one answer about several companies: ${firstOf(regons)}`);
  }
  const number = label?.trim() || undefined;
  const labelled = number?.slice(0, 9);
  const [regon] = regons;
  if (regon !== undefined && labelled !== undefined && regon !== labelled) {
    throw new UnusableAnswer(`said to be of ${labelled}, but speaks of ${regon}`);
  }
  return { regon: regon ?? labelled, isUnit: regon === undefined && isUnitNumber(number) };
}

function valueOf(row: BirRow, name: string): string {
  return tidy(fieldOf(row, name));
}

const forms = new Set(readCountryRows<'symbol'>('PL', 'legal_form').map(({ symbol }) => symbol));
const regions = new Set(readCountryRows<'code' | 'name'>('PL', 'region').flatMap(Object.values));

/** Matches the fields for the dates of an entry. A later step of the night notes impossible values of these dates. */
const entryDates = /^(?:start|end|suspension|resumption|struck_off|bankruptcy_(?:start|end))_date$/;

/**
 * Returns the values of a record that are impossible, or that `map.sql` does not know. Returns an empty list for a
 * record that `map.sql` does not read.
 */
function listOdd(row: Fields, part: string | undefined): OddValue[] {
  if (part === 'codes') {
    const { version: value = '2007' } = row;
    return ['2007', '2025'].includes(value) ? [] : [{ subject: 'activity version', value }];
  }
  if (part !== 'main' && part !== 'person' && part !== 'units') return [];
  const { register = '', voivodeship_symbol, voivodeship, country_name } = row;
  const nip = row.nip?.replaceAll(/[- ]/g, '') ?? '0000000000';
  // In REGON, 138 and 139 are the codes of the two registers of KRS.
  const isCourt = ['138', '139'].includes(register);
  const isRegion =
    regions.has(voivodeship_symbol ?? '') || regions.has(voivodeship?.toLowerCase() ?? '');
  const values: [subject: string, value: string | undefined, isOdd: boolean][] = [
    ['NIP', row.nip, !isNip(nip) && nip !== '0000000000'],
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
