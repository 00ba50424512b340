/** The fields of an address, all blank. */
export const noAddress = {
  postalCode: '',
  county: '',
  commune: '',
  city: '',
  street: '',
  building: '',
  apartment: '',
};

export type Address = typeof noAddress;

/** One row of the CEIDG report, as text; blank = ''. The first four fields are not written. */
export interface Entry extends Address {
  /** The position of the report in `files`, which is the voivodeship. */
  file: number;
  /** Serial number of the owner. Entries of one owner share the NIP. */
  owner: number;
  /** Whether the owner has had another entry: then the numbers do not change. */
  isShared: boolean;
  /** The first dump that lacks the entry, in days since 1970; undefined while the entry is there. */
  goneOn: number | undefined;
  nip: string;
  regon: string;
  name: string;
  surname: string;
  firstName: string;
  phone: string;
  email: string;
  website: string;
  mainCode: string;
  otherCodes: readonly string[];
  codeYear: '2007' | '2025';
  status: string;
  startDate: string;
  endDate: string;
  suspensionDate: string;
  resumptionDate: string;
}

export type Activities = Pick<Entry, 'mainCode' | 'otherCodes' | 'codeYear'>;

export const active = 'Aktywny';
export const suspended = 'Zawieszony';
export const partnershipOnly = 'Działalność prowadzona wyłącznie w formie spółki cywilnej';

/** What a comparison sees of a value: no outer blanks, one space between words, blank is null. */
export function clean(value: string): string | null {
  return value.trim().replaceAll(/\s+/g, ' ') || null;
}

/** The main one first. */
export function allCodes(entry: Activities): string[] {
  return [entry.mainCode, ...entry.otherCodes];
}
