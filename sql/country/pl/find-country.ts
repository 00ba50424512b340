/** Names in the registers of Poland that the Unicode CLDR does not have. */
const otherNames: Readonly<Record<string, string>> = {
  'stany zjednoczone ameryki': 'US',
  usa: 'US',
  'wielka brytania i irlandia północna': 'GB',
  'zjednoczone królestwo': 'GB',
  'republika czeska': 'CZ',
  'republika federalna niemiec': 'DE',
  'rzeczpospolita polska': 'PL',
  'korea południowa': 'KR',
  hongkong: 'HK',
  niderlandy: 'NL',
  'królestwo niderlandów': 'NL',
  'chińska republika ludowa': 'CN',
  'federacja rosyjska': 'RU',
};

const codes = listCountries();
const known = new Set(codes.values());

/** Returns ISO 3166-1 alpha-2 of a country by that code or its Polish name, in any case; undefined for an unknown one. */
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
  return new Map([...listed, ...Object.entries(otherNames)]);
}

/** No code that was withdrawn, such as `SU`, nor one of something else, such as `EU`. */
function isCountry(code: string): boolean {
  const isWithdrawn = Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`;
  return !isWithdrawn && !['EU', 'EZ', 'UN', 'QO', 'ZZ', 'XA', 'XB'].includes(code);
}
