import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';

/** Returns the rows of one dictionary file, with every value as text. */
function readDictionary(name: string, folder = 'country/pl'): Record<string, string>[] {
  const text = readFileSync(new URL(`${folder}/${name}.csv`, import.meta.url), 'utf8');
  return parse(text, { columns: true });
}

/** Returns the values of one column, in the order of the given rows. */
function column(rows: Record<string, string>[], name: string): string[] {
  return rows.map((row) => row[name] ?? '');
}

/** For each value of the column `by`, returns the distinct values of the column `of`. */
function group(rows: Record<string, string>[], by: string, of: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const row of rows) {
    const key = row[by] ?? '';
    groups.set(key, (groups.get(key) ?? new Set<string>()).add(row[of] ?? ''));
  }
  return groups;
}

describe('each country', () => {
  const countries = readdirSync(new URL('country/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const of = (country: string, name: string) => readDictionary(name, `country/${country}`);

  test('is a folder, and Poland is the default one', () => {
    const defaults = countries.map((country) => of(country, 'country')[0]!.is_default);
    expect([countries, defaults].map(String)).toEqual(['fr,pl', 'false,true']);
  });

  test.each(countries)('%s has files that the README explains', (country) => {
    const readme = readFileSync(new URL('country/README.md', import.meta.url), 'utf8');
    const files = readdirSync(new URL(`country/${country}/`, import.meta.url));
    expect(files.filter((file) => !readme.includes(`| \`${file}\``))).toEqual([]);
  });

  test.each(countries)('%s recodes codes that exist, and places each in a section', (country) => {
    const codes = of(country, 'activity_code');
    const known = new Set(codes.map(({ version, code }) => `${version} ${code}`));
    const key = of(country, 'activity_recoding');
    const ends = key.flatMap((row) => [
      `${row.from_version} ${row.from_code}`,
      `${row.to_version} ${row.to_code}`,
    ]);
    expect(ends.filter((end) => !known.has(end))).toEqual([]);
    const sections = of(country, 'activity_section');
    const sectionsOf = (division: string) =>
      sections.filter((row) => row.first_division! <= division && division <= row.last_division!);
    const divisions = new Set(codes.map(({ code }) => code!.slice(0, 2)));
    expect([...divisions].filter((division) => sectionsOf(division).length !== 1)).toEqual([]);
    const versions = new Set(column(of(country, 'activity_scheme'), 'version'));
    expect(codes.filter(({ version }) => !versions.has(version!))).toEqual([]);
  });

  test.each(countries)('%s has the inhabitants of its regions', (country) => {
    const regions = new Set(column(of(country, 'region'), 'code'));
    const counted = column(of(country, 'population'), 'voivodeship');
    expect(counted.filter((code) => !regions.has(code))).toEqual([]);
    // INSEE counts the inhabitants of Mayotte separately, so the dictionary has no population of Mayotte.
    expect(regions.size - counted.length).toBe(country === 'fr' ? 1 : 0);
  });

  test('has slugs, numbers of classifications and sources of its own', () => {
    for (const [name, key] of [
      ['legal_form', 'slug'],
      ['region', 'slug'],
      ['activity_scheme', 'version'],
      ['source', 'source'],
    ] as const) {
      const ofEach = countries.flatMap((country) => [...new Set(column(of(country, name), key))]);
      expect(ofEach.toSorted()).toEqual([...new Set(ofEach)].toSorted());
    }
  });

  test('has its whole key of recoding', () => {
    const counts = countries.map((country) => of(country, 'activity_recoding').length);
    expect(counts).toEqual([1223, 711]);
  });

  test('a code of PKD 2007 that the key does not name exists in PKD 2025 too', () => {
    const codes = group(of('pl', 'activity_code'), 'version', 'code');
    const named = new Set(column(of('pl', 'activity_recoding'), 'from_code'));
    const kept = [...codes.get('2007')!].filter((code) => !named.has(code));
    expect(kept.length).toBe(373);
    expect(kept.filter((code) => !codes.get('2025')!.has(code))).toEqual([]);
  });
});

describe('legal_form', () => {
  const forms = readDictionary('legal_form');
  const symbols = group(forms, 'slug', 'symbol');

  test('a slug joins at most one old symbol with at most one new one', () => {
    const lengths = [...symbols.values()].map((values) => [...values].map((s) => s.length));
    expect(lengths.filter((digits) => new Set(digits).size < digits.length)).toEqual([]);
  });

  test('every old form lives on under a new symbol, but for three', () => {
    const alone = [...symbols.values()].map((values) => [...values]);
    const old = alone.filter((s) => s.length === 1 && s[0]?.length === 2);
    expect(old.join()).toBe('25,73,90');
  });

  test.each([
    ['spolka-z-ograniczona-odpowiedzialnoscia', ['117', '17']],
    ['spolka-komandytowo-akcyjna', ['121', '21']],
    ['bez-szczegolnej-formy-prawnej', ['99', '999']],
    ['stowarzyszenie-niewpisane-do-krs', ['055']],
    ['publiczna-szkola-ponadpodstawowa', ['385']],
  ])('%s is %j', (slug, expected) => {
    expect([...(symbols.get(slug) ?? [])]).toEqual(expected);
  });
});

describe('names in two languages', () => {
  const sections = readDictionary('activity_section');
  const forms = readDictionary('legal_form');

  test('every section and every form has an English name of its own', () => {
    expect(new Set(column(sections, 'name_en')).size).toBe(22);
    const labels = group(forms, 'label', 'label_en');
    expect([...labels].filter(([, names]) => names.size > 1 || names.has(''))).toEqual([]);
    expect(new Set(column(forms, 'label_en')).size).toBe(new Set(column(forms, 'label')).size);
  });

  test.each([
    ['A', 'Agriculture, forestry and fishing'],
    ['K', /^Telecommunication, computer programming, consulting/],
    ['V', 'Activities of extraterritorial organisations and bodies'],
  ])('section %s is that of NACE Rev. 2.1', (section, name) => {
    expect(sections.find((row) => row.section === section)?.name_en).toMatch(name);
  });
});

describe('event_type', () => {
  const types = new Map(
    readDictionary('event_type', 'dictionary').map((row) => [row.event_type, row]),
  );

  test('levels rise from info to critical', () => {
    const levels = readDictionary('severity_rank', 'dictionary').toSorted(
      (a, b) => +a.rank! - +b.rank!,
    );
    const rising = ['info', 'notice', 'warning', 'high', 'error', 'critical'];
    expect(column(levels, 'severity')).toEqual(rising);
  });

  // The cases are the examples of severities, classes and categories that the API specification gives.
  test.each([
    ['COMPANY_FAX_ADDED', 'info', 'growth', 'contacts'],
    ['COMPANY_FAX_CHANGED', 'info', 'change', 'contacts'],
    ['COMPANY_PHONE_ADDED', 'notice', 'growth', 'contacts'],
    ['COMPANY_EMAIL_ADDED', 'notice', 'growth', 'contacts'],
    ['COMPANY_WEBSITE_ADDED', 'notice', 'growth', 'web_presence'],
    ['COMPANY_ACTIVITY_ADDED', 'notice', 'growth', 'activities'],
    ['COMPANY_ACTIVITY_REMOVED', 'warning', 'change', 'activities'],
    ['COMPANY_UNIT_OPENED', 'notice', 'growth', 'location'],
    ['COMPANY_UNIT_CLOSED', 'warning', 'risk', 'location'],
    ['COMPANY_ADDRESS_CHANGED', 'warning', 'change', 'location'],
    ['COMPANY_NAME_CHANGED', 'warning', 'change', 'identity'],
    ['COMPANY_START_DATE_CHANGE', 'warning', 'change', 'status'],
    ['COMPANY_OWNER_CHANGED', 'high', 'change', 'ownership'],
    ['COMPANY_SHAREHOLDERS_CHANGED', 'high', 'change', 'ownership'],
    ['COMPANY_LEGAL_FORM_CHANGED', 'high', 'change', 'identity'],
    ['COMPANY_RESUMED', 'high', 'recovery', 'status'],
    ['COMPANY_SUSPENDED', 'critical', 'risk', 'status'],
    ['COMPANY_CLOSED_DATE', 'critical', 'risk', 'status'],
    ['COMPANY_BANKRUPTCY_STARTED', 'critical', 'risk', 'finance'],
    ['COMPANY_BANKRUPTCY_ENDED', 'high', 'recovery', 'finance'],
    ['COMPANY_TAX_IDENTITY_CHANGED', 'critical', 'anomaly', 'identity'],
    ['ANOMALY_REGON_CHANGE', 'critical', 'anomaly', 'identity'],
  ])('%s is %s, %s, %s', (event_type, severity, event_class, category) => {
    expect(types.get(event_type)).toMatchObject({ severity, event_class, category });
  });
});
