import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { chooseAmong, countriesField, readCountries } from '../dictionaries/countries.ts';
import { readLegalForms, readRegions, readSections, slugOf } from '../dictionaries/names.ts';
import { atMost, dateField, inOrder } from '../http/text-fields.ts';
import { sizes } from '../figures/sizes.ts';
import { coded, invalid, type Problem } from '../http/errors.ts';
import { findNear } from '../../sql/process/suggest.ts';

// This file checks the filters of a search; `segment.ts` finds the companies that match each filter.
const leastLetters = 3;

function textField(longest: number = sizes.textFilter) {
  return z
    .string()
    .transform((text) => text.normalize('NFC').trim().replaceAll(/\s+/g, ' '))
    .refine((text) => text !== '', coded('too_short', 'must not be blank.'))
    .check(atMost(longest))
    .meta({ type: 'string', minLength: 1, maxLength: longest });
}

const postalCode = textField(sizes.postalCode)
  .transform((text) => text.replaceAll(/[ -]/g, ''))
  .meta({ type: 'string' });

/** Checks the filters of a search as the client wrote them; later `resolveFilter` translates their words into codes. */
export const filterQuery = z
  .strictObject({
    activity_code: z.string().optional(),
    activity_prefix: z.string().optional(),
    activity_start_from: dateField.optional(),
    activity_start_to: dateField.optional(),
    voivodeship: textField().meta({ id: 'Voivodeship' }).optional(),
    city: textField().optional(),
    postal_code: postalCode.optional(),
    postal_prefix: postalCode
      .refine((text) => /^\d+$/.test(text), coded('invalid_format', 'must be digits, such as 00.'))
      .meta({ type: 'string' })
      .optional(),
    // The maximum of `workforce_min` has nine digits, since `workforceText` writes nine digits.
    workforce_min: z
      .string()
      .regex(/^\d{1,9}$/, {
        error: 'The workforce_min field must be a whole number from 0 to 999999999.',
      })
      .transform(Number)
      .meta({ type: 'integer', minimum: 0, maximum: 999_999_999 })
      .optional(),
    // By default, `resolveFilter` selects ACTIVE, but any status for a query with a company number.
    status: z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).optional(),
    legal_form: textField().meta({ id: 'LegalForm' }).optional(),
    name: textField()
      .refine(
        (text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= leastLetters,
        coded('too_short', `must have at least ${leastLetters} letters.`),
      )
      .optional(),
    country: countriesField,
  })
  .check(inOrder('activity_start_from', 'activity_start_to'));

/** The filters of a search, with the client's words or, after `resolveFilter`, with codes. */
export type SearchFilter = z.output<typeof filterQuery> & {
  /** The id of the company with the numbers in the query; null: no company has these numbers. */
  company_id?: number | null | undefined;
};

export type SearchDictionary = Awaited<ReturnType<typeof readSearchDictionary>>[number];

/** Reads the names and codes that search filters accept; returns one object per country. */
export async function readSearchDictionary(db: Db) {
  const countries = (await readCountries(db)).map(async ({ country_code, activity_pattern }) => {
    const regions = await readRegions(db, country_code);
    const legalForms = await readLegalForms(db, country_code);
    const sections = await readSections(db, country_code);
    const sample = await db
      .selectFrom('registry.activity_code as activity')
      .innerJoin('registry.activity_scheme as scheme', 'scheme.version', 'activity.version')
      .select('activity.code')
      .where('scheme.country_code', '=', country_code)
      .limit(1)
      .executeTakeFirst();
    const codes = regions.flatMap(({ slug, name, code }) =>
      [slug, slugOf(name)].map((word) => [word, code] as const),
    );
    return {
      country_code,
      /** Maps the slug and the name of a region to its code; `legal_form` maps a slug to the newest symbol. */
      voivodeship: new Map(codes),
      legal_form: new Map(legalForms.map(({ slug, symbol }) => [slug, symbol])),
      section: new Map(sections.map(({ section }) => [slugOf(section), section])),
      /** The pattern of a complete activity code; `activity` is one complete code as a sample. */
      activityPattern: new RegExp(`^(?:${activity_pattern})$`),
      activity: sample?.code ?? '',
    };
  });
  return Promise.all(countries);
}

/** The ends of error messages for unknown values in filter fields whose accepted values differ by country. */
const wanted = {
  activity_code: 'an activity code without dots, such as 4711Z',
  activity_prefix: 'the beginning of an activity code without dots, such as 47',
  voivodeship: 'the name of a voivodeship',
  legal_form: 'the slug of a legal form',
  section: 'a section from A to V, or none',
};

/** The name of a filter field whose accepted values differ by country. */
export type CountryField = keyof typeof wanted;

/** The codes for one word in a filter, or a problem if the word is unknown. */
export type FoundCodes = { codes: string[]; problem?: Problem };

/**
 * Returns the codes that a word has in the given countries; for an unknown word, a problem that suggests similar words.
 * Codes of regions, legal forms and sections begin with the country (`PL 14`).
 */
export function findCodes(
  field: CountryField,
  text: string,
  countries: SearchDictionary[],
): FoundCodes {
  const wrong = `The ${field} field must be ${wanted[field]}`;
  if (field === 'activity_code' || field === 'activity_prefix') {
    const code = text.toUpperCase();
    const isKnown = countries.some(({ activity, activityPattern }) => {
      // A prefix is valid if the prefix plus the end of the sample code `activity` is a valid code.
      const end = field === 'activity_prefix' && code !== '' ? activity.slice(code.length) : '';
      return activityPattern.test(code + end);
    });
    return isKnown
      ? { codes: [code] }
      : { codes: [], problem: [field, `${wrong}.`, 'invalid_format'] };
  }
  const slug = slugOf(text);
  const codes = countries.flatMap(({ country_code, [field]: known }) => {
    const code = known.get(slug);
    return code === undefined ? [] : [`${country_code} ${code}`];
  });
  if (codes.length > 0) return { codes };
  const words = countries.flatMap(({ [field]: known }) => [...known.keys()]);
  const near = findNear(slug, words.toSorted(), 5).join(', ');
  const message = `${wrong}${near && `; near ones: ${near}`}.`;
  return { codes, problem: [field, message, 'unknown_value'] };
}

/** Returns a filter with codes instead of words, and no country for `all`. Throws a 422 for an unknown word. */
export async function resolveFilter(
  db: Db,
  dictionary: SearchDictionary[],
  query: SearchFilter,
): Promise<SearchFilter> {
  const countries = chooseAmong(dictionary, query.country);
  // A search in `all` countries cannot filter by voivodeship or legal form, since their codes differ by country.
  const one = countries.length === 1 ? countries[0] : undefined;
  // A search by company number finds at most one company, so it has no default country and no default status.
  const isFree = query.company_id !== undefined;
  const country = isFree && query.country === undefined ? undefined : one?.country_code;
  const status = query.status ?? (isFree ? undefined : ('ACTIVE' as const));
  const filter = { ...query, country, status };
  const problems: Problem[] = [];
  const fields = ['activity_code', 'activity_prefix', 'voivodeship', 'legal_form'] as const;
  for (const field of fields) {
    if (query[field] === undefined) continue;
    if (!one && !field.startsWith('activity')) {
      problems.push([field, `The ${field} field needs one country.`, 'conflict']);
      continue;
    }
    const { codes, problem } = findCodes(field, query[field], countries);
    filter[field] = codes[0]?.split(' ').at(-1);
    if (problem) problems.push(problem);
  }
  if (problems.length > 0) throw invalid(problems);
  if (query.city === undefined && query.name === undefined) return filter;
  const { rows } = await sql<{ city: string | null; name: string | null }>`
    select
      registry.fold(${query.city ?? null}::text) as city,
      registry.fold(${query.name ?? null}::text) as name
  `.execute(db);
  return { ...filter, city: rows[0]!.city ?? undefined, name: rows[0]!.name ?? undefined };
}
