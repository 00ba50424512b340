import { countryOfNumber, dayIn } from '../../sql/country.ts';
import { imports } from '../figures.ts';
import { Bir } from '../fetch/bir.ts';
import { Ceidg } from '../fetch/ceidg.ts';
import type { FetchEnvironment } from '../fetch/environment.ts';
import { Krs } from '../fetch/krs.ts';
import { askRegon } from '../fetch/regon.ts';
import type { ServiceSettings } from '../fetch/service.ts';
import { Sirene } from '../fetch/sirene.ts';
import { ceidgHeader, writeCeidgRow } from './ceidg-row.ts';
import type { DumpLine, OnDemandSource } from './import.ts';

/** Returns the configured registries, in the order in which they are asked. */
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

const toLines = (file: string, answers: readonly object[]): DumpLine[] =>
  answers.map((answer) => ({ file, line: JSON.stringify(answer) }));

function createKrs(krs: Krs): OnDemandSource {
  return {
    source: 'krs',
    answers: ['KRS'],
    isComplete: true,
    async ask(_type, value) {
      const { extract } = await krs.extract(value);
      return toLines('extracts.ndjson', extract ? [extract] : []);
    },
  };
}

/** Returns REGON, which knows sole traders, and companies both in and outside KRS. */
function createRegon(bir: Bir): OnDemandSource {
  return {
    source: 'regon',
    answers: ['NIP', 'REGON9', 'KRS'],
    isComplete: true,
    async ask(type, value) {
      const parameter = { NIP: 'Nip', REGON9: 'Regon', KRS: 'Krs' }[type]!;
      return toLines('reports.ndjson', await askRegon(bir, { [parameter]: value }));
    },
  };
}

/** Returns CEIDG, which knows sole traders, and no companies. */
function createCeidg(ceidg: Ceidg): OnDemandSource {
  return {
    source: 'ceidg',
    answers: ['NIP', 'REGON9'],
    isComplete: false,
    header: ceidgHeader,
    async ask(type, value) {
      const entries = await ceidg.entries(type === 'NIP' ? { nip: value } : { regon: value });
      return entries.map(writeCeidgRow).filter((row) => row !== undefined);
    },
  };
}

/**
 * Returns SIRENE, which knows every SIREN, the beginning of a SIRET; a duplicate leads to the unit that stays.
 * Of a unit's establishments, it is asked for the open ones, the head office and the submitted one.
 */
function createSirene(sirene: Sirene): OnDemandSource {
  return {
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
      // A page has at most a thousand establishments, the head office among them; the next stock brings the rest.
      const known = `(periode(etatAdministratifEtablissement:A) OR etablissementSiege:true${asked})`;
      const query = `siren:${new_key} AND ${known}`;
      const today = dayIn(new Date(), countryOfNumber('SIREN'));
      const page = await sirene.page('siret', query, '*', today);
      // A submitted SIRET that SIRENE does not list was never issued.
      if (asked !== '' && !page?.etablissements?.some(({ siret }) => siret === value)) return [];
      const lines = toLines('answers.ndjson', page ? [unit, page] : [unit]);
      return isDuplicate
        ? lines.map((line) => ({ ...line, duplicate: { old_key, new_key } }))
        : lines;
    },
  };
}
