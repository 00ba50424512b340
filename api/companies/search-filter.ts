import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { readLegalForms, readVoivodeships } from '../dictionaries/names.ts';
import { countCharacters, dateField, patternField } from '../http/field.ts';
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

/** The query of a search, before its voivodeship and legal form are looked up. */
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
    page: pageField,
  })
  .refine(({ activity_start_from: from, activity_start_to: to }) => !from || !to || from <= to, {
    path: ['activity_start_to'],
    error: 'The activity_start_to field must not be before activity_start_from.',
  });

/** The filters of a search, in the words of the client or as `resolveFilter` translates them. */
export type SearchFilter = Omit<z.output<typeof searchQuery>, 'page'>;

/** The TERYT symbols of voivodeships and the newest symbols of legal forms, both by slug. */
export async function readSearchDictionary(db: Db) {
  const voivodeships = await readVoivodeships(db);
  const legalForms = await readLegalForms(db);
  return {
    voivodeship: new Map(voivodeships.map(({ slug, teryt }) => [slug, teryt])),
    legal_form: new Map(legalForms.map(({ slug, symbol }) => [slug, symbol])),
  };
}

function slugOf(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

// ASCII and Polish text needs no query.
async function fold(db: Db, text: string): Promise<string> {
  if (/^[\x20-\x7eąćęłńóśźż]*$/i.test(text)) return slugOf(text);
  const { rows } = await sql<{ folded: string }>`
    select registry.fold(${text}::text) as folded
  `.execute(db);
  return rows[0]!.folded;
}

/** Translates words of the client into codes and folded text. Throws a 422 that names similar words. */
export async function resolveFilter(
  db: Db,
  dictionary: Awaited<ReturnType<typeof readSearchDictionary>>,
  query: SearchFilter,
): Promise<SearchFilter> {
  const filter = { ...query };
  const problems: Problem[] = [];
  const wanted = { voivodeship: 'name of a voivodeship', legal_form: 'slug of a legal form' };
  for (const field of ['voivodeship', 'legal_form'] as const) {
    if (query[field] === undefined) continue;
    const slug = slugOf(query[field]);
    filter[field] = dictionary[field].get(slug);
    if (filter[field] !== undefined) continue;
    const near = findNear(slug, [...dictionary[field].keys()].toSorted(), 5);
    const hint = near.length > 0 ? `; near ones: ${near.join(', ')}` : '';
    problems.push([field, `The ${field} field must be the ${wanted[field]}${hint}.`]);
  }
  if (problems.length > 0) throw invalid(problems);
  if (query.city !== undefined) filter.city = await fold(db, query.city);
  if (query.name !== undefined) filter.name = await fold(db, query.name);
  return filter;
}
