import { isPossibleDay } from '../calendar.ts';
import { quoteField } from '../dump/copy-lines.ts';
import type { CeidgEntry } from '../fetch/ceidg.ts';
import { columns, description, NO_VOIVODESHIP } from '../sources/ceidg/source.ts';
import { findCountry } from '../../sql/country/pl/find-country.ts';
import { tidy } from '../sources/tidy.ts';
import type { DumpLine } from './import.ts';

/** The header of a report of CEIDG, in the form that the source reads. */
export const ceidgHeader = [description.row_number, ...columns.map(({ header }) => header)].join(
  ';',
);

/** The statuses of the reports, by the statuses of the API. */
const statuses: Record<string, string> = {
  AKTYWNY: 'Aktywny',
  ZAWIESZONY: 'Zawieszony',
  WYLACZNIE_W_FORMIE_SPOLKI: 'Działalność prowadzona wyłącznie w formie spółki cywilnej',
};

/**
 * Returns an entry of the API as a row of the report of its voivodeship. Returns undefined for an unknown
 * status, or for a strike-off without a day.
 *
 * The reports hold no entry that is struck off or has not begun. The row of a struck-off entry has the status
 * of the API, and the day of its strike-off as its end. The row of an entry that has not begun is active, with
 * a start date in the future.
 */
export function writeCeidgRow(entry: CeidgEntry): DumpLine | undefined {
  const declared = text(entry.status);
  const isStruckOff = declared === 'WYKRESLONY';
  // Only the beginning of this status is compared: CEIDG misspells the rest.
  const isAwaited = declared.startsWith('OCZEKUJE_NA_ROZPOCZECIE');
  const status = isStruckOff ? declared : isAwaited ? 'Aktywny' : statuses[declared];
  const { dataWykreslenia, dataZakonczenia, dataZgonu } = entry;
  // The death of an owner alone is no end: the activity goes on under succession management.
  const ends = isStruckOff ? [dataWykreslenia, dataZakonczenia, dataZgonu] : [dataZakonczenia];
  const end_date =
    ends.map(text).find((day) => (isStruckOff ? isPossibleDay(day) : day !== '')) ?? '';
  if (status === undefined || (isStruckOff && end_date === '')) return undefined;
  const main = find(entry, 'pkdGlowny.kod');
  const codes = Array.isArray(entry.pkd) ? entry.pkd.map((one) => find(part(one), 'kod')) : [];
  const country = findCountry(find(entry, 'adresDzialalnosci.kraj')) ?? '';
  const computed: Record<string, string> = {
    GlownyKodPkd: main,
    PozostaleKodyPkd: codes.filter((code) => code !== main).join('$##$'),
    // Older answers do not state the version of codes; new codes are of 2025.
    RokPKD: text(entry.rokPkd) || (main === '' ? '' : '2025'),
    StatusDzialalnosci: status,
    DataZakonczeniaDzialalnosci: end_date,
    Kraj: country,
  };
  const fields = columns.map(({ header, api }) => computed[header] ?? find(entry, api));
  const voivodeship = find(entry, 'adresDzialalnosci.wojewodztwo').toLowerCase();
  const isAbroad = voivodeship === '' || !['', description.country_code].includes(country);
  const report = isAbroad ? NO_VOIVODESHIP.name : `województwo ${voivodeship}`;
  return {
    file: `Zarejestrowane działalności - ${report}.csv`,
    line: ['1', ...fields].map((field) => quoteField(field, ';')).join(';'),
  };
}

/** Returns the text at a path such as `wlasciciel.nip`. */
function find(entry: CeidgEntry, path: string): string {
  return text(path.split('.').reduce<unknown>((value, key) => part(value)[key], entry));
}

function part(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? tidy(String(value)) : '';
}
