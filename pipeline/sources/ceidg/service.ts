import { findCountry } from '../../../sql/country/pl/find-country.ts';
import { isPossibleDay } from '../../calendar.ts';
import { quoteField } from '../../dump/copy-lines.ts';
import type { DumpLine, RegistryService } from '../../fetch/registry-service.ts';
import { tidy } from '../tidy.ts';
import { Ceidg, type CeidgEntry, fetchCeidg } from './fetch.ts';
import { columns, description, NO_VOIVODESHIP } from './source.ts';

/** The service of CEIDG, which knows sole traders but no companies; `Ceidg` of fetch.ts sends the requests. */
export const service: RegistryService<{ url: string; token: string }> = {
  isAfterTheDay: false,
  longest_gap_days: 1,
  open(settings) {
    const ceidg = new Ceidg(settings);
    return {
      fetch: (plan) => fetchCeidg(ceidg, plan),
      answers: ['NIP', 'REGON9'],
      isComplete: false,
      header: [description.row_number, ...columns.map(({ header }) => header)].join(';'),
      async ask(type, value) {
        const entries = await ceidg.entries(type === 'NIP' ? { nip: value } : { regon: value });
        return entries.map(writeRow).filter((row) => row !== undefined);
      },
    };
  },
};

/** Maps each status of an entry in the CEIDG API to the status in the reports of CEIDG. */
const statuses: Record<string, string> = {
  AKTYWNY: 'Aktywny',
  ZAWIESZONY: 'Zawieszony',
  WYLACZNIE_W_FORMIE_SPOLKI: 'Działalność prowadzona wyłącznie w formie spółki cywilnej',
};

/**
 * Returns an entry of the CEIDG API in the form of a row of the CEIDG report for the entry's voivodeship. Returns
 * undefined if the entry's status is unknown, or if the entry is struck off but has no date of the strike-off.
 *
 * CEIDG's own reports contain no struck-off entries, and no entries whose activity has not begun. For a struck-off
 * entry, the row has the status from the API, and the strike-off date as its end date. For an entry whose activity has
 * not begun, the row has the status `Aktywny` and a start date in the future.
 */
function writeRow(entry: CeidgEntry): DumpLine | undefined {
  const declared = find(entry, 'status');
  const isStruckOff = declared === 'WYKRESLONY';
  // Only the beginning of the status `OCZEKUJE_NA_ROZPOCZECIE…` is compared, because CEIDG misspells its end.
  const isAwaited = declared.startsWith('OCZEKUJE_NA_ROZPOCZECIE');
  const status = isStruckOff ? declared : isAwaited ? 'Aktywny' : statuses[declared];
  // The owner's death alone does not end an activity, because the activity may continue under succession management.
  const days = ['dataWykreslenia', 'dataZakonczenia', 'dataZgonu'].map((name) => find(entry, name));
  const end_date = isStruckOff ? days.find(isPossibleDay) : days[1];
  if (status === undefined || end_date === undefined) return undefined;
  const main = find(entry, 'pkdGlowny.kod');
  const codes = Array.isArray(entry.pkd) ? entry.pkd.map((one) => find(one, 'kod')) : [];
  const country = findCountry(find(entry, 'adresDzialalnosci.kraj')) ?? '';
  const computed: Record<string, string> = {
    GlownyKodPkd: main,
    PozostaleKodyPkd: codes.filter((code) => code !== main).join('$##$'),
    // If an entry does not state the version of its PKD codes, the codes count as PKD 2025.
    RokPKD: find(entry, 'rokPkd') || (main === '' ? '' : '2025'),
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

/** Returns the tidied value at a path such as `wlasciciel.nip`, or a blank if the value is no text and no number. */
function find(entry: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], entry);
  return typeof value === 'string' || typeof value === 'number' ? tidy(String(value)) : '';
}
