import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import { countCharacters } from '../http/field.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { findNear } from '../../sql/suggest.ts';
import { pageField } from '../http/paging.ts';

const [longestCity, longestPostalCode, longestName, leastLetters] = [150, 20, 150, 3];
const nearCount = 5;

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

function patternField(pattern: RegExp, error: string, description: string, example: string) {
  return z
    .string()
    .regex(pattern, { error })
    .transform((text) => text.toUpperCase())
    .meta({ type: 'string', pattern: pattern.source, description, example });
}

// The year 0000 is in the pattern of ISO 8601, but not in the calendar of the database.
function dateField(field: string) {
  return z.iso.date().refine((value) => !value.startsWith('0000'), {
    error: `The ${field} field must not be before 0001-01-01.`,
  });
}

const letters = /[\p{L}\p{N}]/gu;

/** The query of a search; parts of it may still not be known to the dictionaries. */
export const searchQuery = z
  .strictObject({
    activity_code: patternField(
      /^\d{4}[A-Za-z]$/,
      'The activity_code field must be an activity code without dots, such as 4711Z.',
      'Among the activities of the company, the main one or another',
      '4711Z',
    ).optional(),
    activity_prefix: patternField(
      /^\d{1,4}$|^\d{4}[A-Za-z]$/,
      'The activity_prefix field must be the beginning of an activity code without dots, such as 47.',
      'What one of the activities of the company begins with',
      '47',
    ).optional(),
    activity_start_from: dateField('activity_start_from').optional(),
    activity_start_to: dateField('activity_start_to').optional(),
    voivodeship: textField('voivodeship', longestCity)
      .meta({
        id: 'Voivodeship',
        description: 'Name of a voivodeship, with or without diacritics.',
      })
      .optional(),
    city: textField('city', longestCity)
      .meta({ description: 'Compared without case and accents', example: 'Łódź' })
      .optional(),
    postal_code: textField('postal_code', longestPostalCode)
      .transform((text) => text.replaceAll(/[ -]/g, ''))
      .meta({ type: 'string', description: 'With or without its dash', example: '00-001' })
      .optional(),
    status: z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).default('ACTIVE'),
    legal_form: textField('legal_form', longestCity)
      .meta({ id: 'LegalForm', description: 'Slug of a legal form, as in `GET /legal-forms`.' })
      .optional(),
    name: textField('name', longestName)
      .refine((text) => (text.match(letters) ?? []).length >= leastLetters, {
        error: `The name field must have at least ${leastLetters} letters.`,
      })
      .meta({
        description: 'A part of the name of three letters or more, without case and accents',
        example: 'piekarnia',
      })
      .optional(),
    page: pageField,
  })
  .refine(({ activity_start_from: from, activity_start_to: to }) => !from || !to || from <= to, {
    path: ['activity_start_to'],
    error: 'The activity_start_to field must not be before activity_start_from.',
  });

export type SearchQuery = z.output<typeof searchQuery>;

/** What is searched for, in the terms of `registry.company`, folded: equal searches are equal objects. */
export interface SearchFilter {
  status: string;
  activity_code: string | undefined;
  activity_prefix: string | undefined;
  activity_start_from: string | undefined;
  activity_start_to: string | undefined;
  voivodeship: string | undefined;
  legal_form: string | undefined;
  postal_code: string | undefined;
  city: string | undefined;
  name: string | undefined;
}

/** What the search knows of the dictionaries: both maps by slug. */
interface SearchDictionary {
  /** TERYT symbols. */
  voivodeships: ReadonlyMap<string, string>;
  /** Newest symbols. */
  legalForms: ReadonlyMap<string, string>;
}

export async function readSearchDictionary(db: Kysely<Tables>): Promise<SearchDictionary> {
  const voivodeships = await db
    .selectFrom('registry.voivodeship')
    .select(['slug', 'teryt'])
    .orderBy('slug')
    .execute();
  const legalForms = await db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol'])
    .orderBy('slug')
    .execute();
  return {
    voivodeships: new Map(voivodeships.map(({ slug, teryt }) => [slug, teryt])),
    legalForms: new Map(legalForms.map(({ slug, symbol }) => [slug, symbol])),
  };
}

const combining = /\p{M}/gu;

function slugOf(text: string): string {
  const plain = text.normalize('NFD').replaceAll(combining, '').toLowerCase();
  return plain.replaceAll('ł', 'l');
}

function describeUnknown(field: string, what: string, given: string, slugs: string[]): Problem {
  const near = findNear(given, slugs, nearCount);
  const hint = near.length > 0 ? `; near ones: ${near.join(', ')}` : '';
  return [field, `The ${field} field must be ${what}${hint}.`];
}

// What is ASCII or Polish needs no look at the database's rules.
async function fold(db: Kysely<Tables>, text: string): Promise<string> {
  if (/^[\x20-\x7eąćęłńóśźż]*$/i.test(text)) return slugOf(text);
  const { rows } = await sql<{ folded: string }>`
    select registry.fold(${text}::text) as folded
  `.execute(db);
  return rows[0]!.folded;
}

/**
 * Translates a query into the terms of the table.
 *
 * Throws the 422 when the voivodeship or the legal form is unknown; it lists near ones.
 */
export async function resolveFilter(
  db: Kysely<Tables>,
  { voivodeships, legalForms }: SearchDictionary,
  query: Omit<SearchQuery, 'page'>,
): Promise<SearchFilter> {
  const problems: Problem[] = [];
  const find = (
    [field, what]: ['voivodeship' | 'legal_form', string],
    known: ReadonlyMap<string, string>,
  ): string | undefined => {
    const given = query[field];
    if (given === undefined) return undefined;
    const slug = slugOf(given);
    const symbol = known.get(slug);
    if (symbol === undefined) problems.push(describeUnknown(field, what, slug, [...known.keys()]));
    return symbol;
  };
  const voivodeship = find(['voivodeship', 'the name of a voivodeship'], voivodeships);
  const legal_form = find(['legal_form', 'the slug of a legal form'], legalForms);
  if (problems.length > 0) throw invalid(problems);
  return {
    status: query.status,
    activity_code: query.activity_code,
    activity_prefix: query.activity_prefix,
    activity_start_from: query.activity_start_from,
    activity_start_to: query.activity_start_to,
    voivodeship,
    legal_form,
    postal_code: query.postal_code,
    city: query.city === undefined ? undefined : await fold(db, query.city),
    name: query.name === undefined ? undefined : await fold(db, query.name),
  };
}
