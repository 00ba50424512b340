import type { Fields, TableDescription } from '../source.ts';
import { answers, establishmentColumns, unitColumns } from './answer.ts';

const parts = ['StockUniteLegale', 'StockEtablissement', 'StockDoublons'];

/** Describes the dumps of SIRENE, the register of INSEE. A record is a legal unit with its establishments. */
export const description: TableDescription = {
  format: 'table',
  dump_kind: 'full',
  country_code: 'FR',
  has_one_activity: true,
  columns: unitColumns.columns,
  identifyFile(file) {
    if (!/\.(?:zip|csv|csv\.gz|parquet)$/i.test(file)) return null;
    // Files with histories have names such as StockEtablissementHistorique, and are no part of a dump.
    return parts.find((part) => new RegExp(`(^|/)${part}[^a-z/][^/]*$`, 'i').test(file)) ?? null;
  },
  join: {
    separator: ',',
    key: 'siren',
    key_digits: 9,
    main: {
      file_key: 'StockUniteLegale',
      touched: 'dateDernierTraitementUniteLegale',
      ...unitColumns,
    },
    details: {
      file_key: 'StockEtablissement',
      touched: 'dateDernierTraitementEtablissement',
      unique: 'siret',
      ...establishmentColumns,
    },
    brief: ['siren', 'nic_siege', 'siret', 'etat_administratif', 'statut_diffusion'],
    side: [
      {
        file_key: 'StockDoublons',
        columns: [
          { header: 'siren', column: 'new_key', digits: 9 },
          { header: 'sirenDoublon', column: 'old_key', digits: 9 },
        ],
        ignored: ['dateDernierTraitementDoublon'],
      },
    ],
    // A complete stock has the head office of every active legal unit. A closed legal unit may lack its head office.
    needsDetails: isActive,
    combined: ['closed_units', 'withheld_units'],
    combine: listEstablishments,
  },
  delta: answers,
};

/**
 * Returns in `listed` the head office of a legal unit, even if it is closed, and then the other active establishments
 * by number. Returns in `closed_units` the SIRET numbers of the closed establishments except the head office. Returns
 * in `withheld_units` the SIRET numbers of closed establishments whose owner withholds their data, because published
 * data about them is deleted.
 */
function listEstablishments(unit: Fields, establishments: readonly Fields[]) {
  const head = `${unit.siren}${unit.nic_siege}`;
  const rank = ({ siret }: Fields) => `${siret === head ? 0 : 1}${siret}`;
  const listed = establishments
    .filter((row) => isActive(row) || row.siret === head)
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const closed = establishments.filter((row) => !isActive(row));
  const withheld = closed.filter(({ statut_diffusion = 'O' }) => statut_diffusion !== 'O');
  const left = closed.filter(({ siret }) => siret !== head);
  return { listed, closed_units: numbersOf(left), withheld_units: numbersOf(withheld) };
}

function numbersOf(establishments: readonly Fields[]): string {
  return establishments.map(({ siret }) => siret).join(' ');
}

/** Checks whether a legal unit or an establishment is active. */
function isActive({ etat_administratif }: Fields): boolean {
  return etat_administratif === 'A';
}
