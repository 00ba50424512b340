import { isPossibleDay } from '../calendar.ts';
import { quoteField } from '../dump/copy-lines.ts';
import { columns, description, NO_VOIVODESHIP } from '../sources/ceidg/source.ts';
import { findCountry } from '../../sql/country/pl/find-country.ts';
import { tidy } from '../sources/tidy.ts';
import { countryOfNumber, dayIn } from '../../sql/country.ts';
import { imports } from '../figures/import-retries.ts';
import { Bir } from '../fetch/regon-service.ts';
import { Ceidg, type CeidgEntry } from '../fetch/ceidg.ts';
import type { FetchEnvironment } from '../fetch/environment.ts';
import { Krs } from '../fetch/krs.ts';
import { askRegon } from '../fetch/regon.ts';
import type { ServiceSettings } from '../fetch/service.ts';
import { Sirene } from '../fetch/sirene.ts';
import type { DumpLine, OnDemandSource } from './ask-registries.ts';

const toLines = (file: string, answers: readonly object[]): DumpLine[] =>
  answers.map((answer) => ({ file, line: JSON.stringify(answer) }));

const createKrs = (krs: Krs): OnDemandSource => ({
  source: 'krs',
  answers: ['KRS'],
  isComplete: true,
  async ask(_type, value) {
    const { extract } = await krs.extract(value);
    return toLines('extracts.ndjson', extract ? [extract] : []);
  },
});

/** Returns the object that requests single companies from REGON, which knows sole traders and companies. */
const createRegon = (bir: Bir): OnDemandSource => ({
  source: 'regon',
  answers: ['NIP', 'REGON9', 'KRS'],
  isComplete: true,
  async ask(type, value) {
    const parameter = { NIP: 'Nip', REGON9: 'Regon', KRS: 'Krs' }[type]!;
    return toLines('reports.ndjson', await askRegon(bir, { [parameter]: value }));
  },
});

/** Returns the object that requests single entries from CEIDG, which knows sole traders but no companies. */
const createCeidg = (ceidg: Ceidg): OnDemandSource => ({
  source: 'ceidg',
  answers: ['NIP', 'REGON9'],
  isComplete: false,
  header: ceidgHeader,
  async ask(type, value) {
    const entries = await ceidg.entries(type === 'NIP' ? { nip: value } : { regon: value });
    return entries.map(writeCeidgRow).filter((row) => row !== undefined);
  },
});

/**
 * Returns the object that requests single companies from SIRENE, by a SIREN or by the SIREN at the beginning of a
 * SIRET. If the SIREN is a duplicate, SIRENE answers with the legal unit that INSEE keeps instead. `ask` requests the
 * legal unit, its head office, its open establishments, and the establishment with the given SIRET.
 */
const createSirene = (sirene: Sirene): OnDemandSource => ({
  source: 'sirene',
  answers: ['SIREN', 'SIRET'],
  isComplete: true,
  async ask(type, value) {
    const old_key = value.slice(0, 9);
    const unit = await sirene.unit(old_key);
    if (!unit) return [];
    const new_key = unit.uniteLegale.siren;
    const isDuplicate = new_key !== old_key;
    const asked = type === 'SIRET' && !isDuplicate ? ` OR siret:${value}` : '';
    // One page has at most a thousand establishments. Further establishments come with the next stock (full dump).
    const known = `(periode(etatAdministratifEtablissement:A) OR etablissementSiege:true${asked})`;
    const query = `siren:${new_key} AND ${known}`;
    const today = dayIn(new Date(), countryOfNumber('SIREN'));
    const page = await sirene.page('siret', query, '*', today);
    // If SIRENE does not return the establishment with a requested SIRET, the SIRET was never issued.
    if (asked !== '' && !page?.etablissements?.some(({ siret }) => siret === value)) return [];
    const lines = toLines('answers.ndjson', page ? [unit, page] : [unit]);
    return isDuplicate
      ? lines.map((line) => ({ ...line, duplicate: { old_key, new_key } }))
      : lines;
  },
});

/** Returns the registries that are set up, in the order in which `askFor` of ask-registries.ts requests a number. */
export function createOnDemandSources(
  settings: FetchEnvironment,
  manner: ServiceSettings = {},
): OnDemandSource[] {
  const how = { ...imports.service, ...manner };
  return [
    ...(settings.krs ? [createKrs(new Krs({ ...settings.krs, ...how }))] : []),
    ...(settings.regon ? [createRegon(new Bir({ ...settings.regon, ...how }))] : []),
    ...(settings.ceidg ? [createCeidg(new Ceidg({ ...settings.ceidg, ...how }))] : []),
    ...(settings.sirene ? [createSirene(new Sirene({ ...settings.sirene, ...how }))] : []),
  ];
}

/** The header line of a CEIDG report, with the columns that `sources/ceidg` reads. */
const ceidgHeader = [description.row_number, ...columns.map(({ header }) => header)].join(';');

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
function writeCeidgRow(entry: CeidgEntry): DumpLine | undefined {
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
