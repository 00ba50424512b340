import { readCountryRows } from '../../country.ts';

const codes = listCountries();
const known = new Set(codes.values());

/** Returns the ISO 3166-1 alpha-2 code of a country by its code or Polish name, in any case; undefined if unknown. */
export function findCountry(written: string): string | undefined {
  const code = written.toUpperCase();
  return known.has(code) ? code : codes.get(written.toLowerCase());
}

function listCountries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['pl'], { type: 'region', fallback: 'none' });
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(65 + at));
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const listed = pairs.flatMap((code) => {
    const name = names.of(code);
    return name === undefined || !isCountry(code) ? [] : [[name.toLowerCase(), code] as const];
  });
  const others = readCountryRows<'name' | 'code'>('PL', 'country_name');
  return new Map([...listed, ...others.map(({ name, code }) => [name, code] as const)]);
}

/** Returns whether a code is a country's: false if the code is withdrawn (`SU`) or a union of countries (`EU`). */
function isCountry(code: string): boolean {
  const isWithdrawn = Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`;
  return !isWithdrawn && !['EU', 'EZ', 'UN', 'QO', 'ZZ', 'XA', 'XB'].includes(code);
}
