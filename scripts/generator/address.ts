import { clean, type Address, type Entry } from './entry.ts';
import type { Random } from './random.ts';
import { readRows, readWords } from './table.ts';

const villages = readWords('villages');
const streets = readWords('streets');
// Towns with their county and the first two digits of their postal codes; the larger ones first.
const towns = readRows('place.csv') as [string, city: string, county: string, prefix: string][];

// With the share of the entries that have a voivodeship.
const voivodeships = readRows('voivodeship.csv').map(([name, perMille]) => ({
  name: name!,
  perMille: Number(perMille),
  towns: towns.filter(([of]) => of === name),
}));

/** The voivodeship of each of the 17 reports, the last one being "brak województwa". */
export const files: readonly (string | null)[] = [...voivodeships.map(({ name }) => name), null];
export const withoutVoivodeship = voivodeships.length;

/** The 16 reports with a voivodeship, each as often as its share says. */
const weighted = voivodeships.flatMap(({ perMille }, file) => Array<number>(perMille).fill(file));

// Measured on the reports of September 2026: rows without a voivodeship.
const shareWithoutVoivodeship = 0.2006;

/** Any of the 17 reports. */
export function drawFile(random: Random): number {
  return random.chance(shareWithoutVoivodeship) ? withoutVoivodeship : random.pick(weighted);
}

function drawBuilding(random: Random): string {
  const number = 1 + Math.floor(random.unit() ** 2 * 180);
  return random.chance(0.12) ? `${number}${random.pick(['A', 'B', 'C', 'D'])}` : `${number}`;
}

/** An address in the voivodeship of the report; in "brak województwa" one from anywhere. */
export function drawAddress(random: Random, file: number): Address {
  const from = file === withoutVoivodeship ? random.pick(weighted) : file;
  const [, town, county, prefix] = random.pickEarly(voivodeships[from]!.towns);
  const isVillage = random.chance(0.3);
  const hasStreet = random.chance(isVillage ? 0.35 : 0.97);
  return {
    postalCode: random.chance(0.01) ? '' : `${prefix}-${100 + random.below(900)}`,
    county,
    commune: town,
    city: isVillage ? random.pick(villages) : town,
    street: hasStreet ? random.pick(streets) : '',
    building: drawBuilding(random),
    apartment: random.chance(isVillage ? 0.02 : 0.35) ? `${1 + random.below(90)}` : '',
  };
}

/** `street building/apartment, postal code city, voivodeship`, without the parts that are blank. */
export function addressLine(entry: Entry): string {
  const building = [clean(entry.building), clean(entry.apartment)].filter(Boolean).join('/');
  const parts = [
    [clean(entry.street), building].filter(Boolean).join(' '),
    [clean(entry.postalCode), clean(entry.city)].filter(Boolean).join(' '),
    files[entry.file],
  ];
  return parts.filter(Boolean).join(', ');
}
