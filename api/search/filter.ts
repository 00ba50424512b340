import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { chooseAmong, countriesField, readCountries } from '../dictionaries/countries.ts';
import { readLegalForms, readRegions, slugOf } from '../dictionaries/names.ts';
import { countCharacters, dateField } from '../http/field.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { pageField } from '../http/paging.ts';

const [longestCity, longestPostalCode, longestName, leastLetters] = [150, 20, 150, 3];

function textField(field: string, longest: number) {
  return z
    .string()
    .transform((text) => text.normalize('NFC').trim().replaceAll(/\s+/g, ' '))
    .refine((text) => text !== '', { error: `The ${field} field must not be blank.` })
    .refine((text) => countCharacters(text) <= longest, {
      error: `The ${field} field must not be longer than ${longest} characters.`,
    })
    .meta({ type: 'string', minLength: 1, maxLength: longest });
}

function activityField(description: string, example: string) {
  return z
    .string()
    .transform((text) => text.toUpperCase())
    .meta({ type: 'string', description, example })
    .optional();
}

/** The query of a search, before its words are looked up. */
export const searchQuery = z
  .strictObject({
    activity_code: activityField(
      'Among the activities of the company, the main one or another',
      '4711Z',
    ),
    activity_prefix: activityField('What one of the activities of the company begins with', '47'),
    activity_start_from: dateField('activity_start_from').optional(),
    activity_start_to: dateField('activity_start_to').optional(),
    voivodeship: textField('voivodeship', longestCity)
      .meta({
        id: 'Voivodeship',
        description: 'Name or slug of a voivodeship, as in `GET /voivodeships`, in any case.',
      })
      .optional(),
    city: textField('city', longestCity)
      .meta({ description: 'The whole name, compared without case and accents', example: 'Łódź' })
      .optional(),
    postal_code: textField('postal_code', longestPostalCode)
      .transform((text) => text.replaceAll(/[ -]/g, ''))
      .meta({ type: 'string', description: 'With or without its dash', example: '00-001' })
      .optional(),
    status: z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).default('ACTIVE'),
    legal_form: textField('legal_form', longestCity)
      .meta({
        id: 'LegalForm',
        description: 'Slug of a legal form, as in `GET /legal-forms`, in any case.',
      })
      .optional(),
    name: textField('name', longestName)
      .refine((text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= leastLetters, {
        error: `The name field must have at least ${leastLetters} letters.`,
      })
      .meta({
        description: 'A part of the name of three letters or more, without case and accents',
        example: 'piekarnia',
      })
      .optional(),
    country: countriesField,
    page: pageField,
  })
  .refine(({ activity_start_from: from, activity_start_to: to }) => !from || !to || from <= to, {
    path: ['activity_start_to'],
    error: 'The activity_start_to field must not be before activity_start_from.',
  });

/** The filters of a search, in the words of the client or as `resolveFilter` translates them. */
export type SearchFilter = Omit<z.output<typeof searchQuery>, 'page'>;

/** What a search of a country takes. */
interface SearchDictionary {
  country_code: string;
  /** The codes of regions and the newest symbols of legal forms, both by slug; regions by name, too. */
  voivodeship: Map<string, string>;
  legal_form: Map<string, string>;
  /** What a whole activity code looks like, and one of them. */
  activity_pattern: string;
  activity: string;
}

export async function readSearchDictionary(db: Db): Promise<SearchDictionary[]> {
  const countries = (await readCountries(db)).map(async ({ country_code, activity_pattern }) => {
    const regions = await readRegions(db, country_code);
    const legalForms = await readLegalForms(db, country_code);
    const sample = await db
      .selectFrom('registry.activity_code as activity')
      .innerJoin('registry.activity_scheme as scheme', 'scheme.version', 'activity.version')
      .select('activity.code')
      .where('scheme.country_code', '=', country_code)
      .limit(1)
      .execute();
    return {
      country_code,
      voivodeship: new Map(
        regions.flatMap(({ slug, name, code }) => [
          [slug, code],
          [slugOf(name), code],
        ]),
      ),
      legal_form: new Map(legalForms.map(({ slug, symbol }) => [slug, symbol])),
      activity_pattern,
      activity: sample[0]?.code ?? '',
    };
  });
  return Promise.all(countries);
}

async function fold(db: Db, text: string): Promise<string> {
  const { rows } = await sql<{ folded: string }>`
    select registry.fold(${text}::text) as folded
  `.execute(db);
  return rows[0]!.folded;
}

const activityForms = {
  activity_code: 'an activity code without dots, such as 4711Z',
  activity_prefix: 'the beginning of an activity code without dots, such as 47',
};

/** Whether a text is an activity code of a country, or the beginning of one. */
function isActivity(
  text: string,
  isWhole: boolean,
  { activity_pattern, activity }: SearchDictionary,
) {
  const code = isWhole ? text : text + activity.slice(text.length);
  return text !== '' && new RegExp(`^(?:${activity_pattern})$`).test(code);
}

const wanted = { voivodeship: 'name of a voivodeship', legal_form: 'slug of a legal form' };

/** The code of a region or a legal form. Its problem names similar words. */
function findCode(field: keyof typeof wanted, text: string, countries: SearchDictionary[]) {
  const problem = (wrong: string): Problem => [field, `The ${field} field ${wrong}.`];
  // The codes of countries are not one dictionary.
  if (countries.length > 1) return { problem: problem('needs one country') };
  const codes = countries[0]![field];
  const slug = slugOf(text);
  const code = codes.get(slug);
  if (code !== undefined) return { code };
  const near = findNear(slug, [...codes.keys()].toSorted(), 5);
  const hint = near.length > 0 ? `; near ones: ${near.join(', ')}` : '';
  return { problem: problem(`must be the ${wanted[field]}${hint}`) };
}

/**
 * Translates words of the client into codes and folded text, and the country into its code; without one, the
 * filter is of all countries. Throws a 422 that names similar words.
 */
export async function resolveFilter(
  db: Db,
  dictionary: SearchDictionary[],
  query: SearchFilter,
): Promise<SearchFilter> {
  const countries = chooseAmong(dictionary, query.country);
  const country = countries.length === 1 ? countries[0]!.country_code : undefined;
  const filter = { ...query, country };
  const problems: Problem[] = [];
  for (const field of ['activity_code', 'activity_prefix'] as const) {
    const text = query[field];
    const isWhole = field === 'activity_code';
    if (text === undefined || countries.some((one) => isActivity(text, isWhole, one))) continue;
    problems.push([field, `The ${field} field must be ${activityForms[field]}.`]);
  }
  for (const field of ['voivodeship', 'legal_form'] as const) {
    if (query[field] === undefined) continue;
    const { code, problem } = findCode(field, query[field], countries);
    if (problem) problems.push(problem);
    filter[field] = code;
  }
  if (problems.length > 0) throw invalid(problems);
  if (query.city !== undefined) filter.city = await fold(db, query.city);
  if (query.name !== undefined) filter.name = await fold(db, query.name);
  return filter;
}
