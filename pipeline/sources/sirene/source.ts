import type { Fields, TableDescription } from '../source.ts';
import { answers, establishmentColumns, unitColumns } from './answer.ts';

const parts = ['StockUniteLegale', 'StockEtablissement', 'StockDoublons'];

/** Describes SIRENE, the register of INSEE. A record of SIRENE is a legal unit with its establishments. */
export const description: TableDescription = {
  format: 'table',
  dump_kind: 'full',
  country_code: 'FR',
  has_one_activity: true,
  columns: unitColumns.columns,
  identifyFile(file) {
    if (!/\.(?:zip|csv|csv\.gz|parquet)$/i.test(file)) return null;
    // The names of three other files, with histories and successions, also begin with StockEtablissement.
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
    // Every active legal unit has one head office, active or closed. A closed unit may have lost its head office in a
    // purge, so it is not checked.
    needsDetails: isActive,
    combined: ['closed_units', 'withheld_units'],
    combine: listEstablishments,
  },
  delta: answers,
};

/**
 * Returns as `listed` the head office of a legal unit, even if it is closed, and then the active establishments by
 * number. Returns as `closed_units` the numbers of the other closed establishments. Returns as `withheld_units` the
 * numbers of closed establishments that their owner withholds, since published data about them is deleted.
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

/** Checks whether a unit or an establishment of SIRENE is active. */
function isActive({ etat_administratif }: Fields): boolean {
  return etat_administratif === 'A';
}
