import { sql } from 'kysely';
import { z } from 'zod';
import { type FeedFilter, filterLists } from '../../sql/feed.ts';
import type { feedScope } from '../../sql/feed-cursor.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { chooseCountries, countriesField } from '../dictionaries/countries.ts';
import { category, eventClass, severity } from '../dictionaries/names.ts';
import { sizes } from '../figures/sizes.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { dateField } from '../http/text-fields.ts';
import { keep } from '../http/cached-read.ts';
import {
  type CountryField,
  findCodes,
  type FoundCodes,
  readSearchDictionary,
  type SearchDictionary,
} from '../search/filter.ts';

// This file checks the filters of event feeds and histories; sql/function/15_feed.sql selects events by a filter.
const wordList = z.string().min(1).max(sizes.filter);

/** Returns the schemas of a filter's fields; `list` returns the schema of a field that accepts several words. */
const fieldsOf = <List extends z.ZodType>(list: (id: string) => List) => ({
  event_type: list('EventTypes'),
  severity: list('Severities'),
  event_class: list('EventClasses'),
  category: list('EventCategories'),
  source: list('Sources'),
  country: countriesField,
  voivodeship: list('Voivodeships'),
  activity_prefix: list('ActivityPrefixes'),
  legal_form: list('LegalForms'),
  from_date: dateField.optional(),
  to_date: dateField.optional(),
});

/** The fields of an event filter in a query, where a list is one text with commas. */
export const filterFields = fieldsOf((id) => wordList.meta({ id }).optional());

const wordsOrArray = z
  .union([wordList, z.array(wordList).min(1)])
  .optional()
  .meta({ description: 'A list, or a text with commas.' });

/** The schema of an event filter in a JSON body, where a list is an array or one text with commas. */
export const filterBody = z.strictObject(fieldsOf(() => wordsOrArray)).meta({ id: 'FeedFilter' });

/** An event filter as the client wrote it, and the `scope` of the feed. */
type Asked = z.output<typeof filterBody> & { scope?: z.output<typeof feedScope> };

const listOf = (given: string | string[]) =>
  [given].flat().flatMap((text) => text.split(',').map((word) => word.trim()));

/** Returns the values that a filter field accepts; undefined for a field whose values differ by country. */
async function readShared(db: Db, field: keyof typeof filterLists): Promise<string[] | undefined> {
  const enums: Record<string, z.ZodEnum> = { severity, event_class: eventClass, category };
  if (field !== 'event_type' && field !== 'source') return enums[field]?.options.map(String);
  const rows = await db.selectFrom(`registry.${field}`).select(field).orderBy(field).execute();
  return rows.map((row) => Object.values(row)[0]!);
}

/** Returns a word that is in the list `known`; for another word, a problem that suggests similar words. */
function findWord(field: string, word: string, known: string[]): FoundCodes {
  if (known.includes(word)) return { codes: [word] };
  const given = field === 'event_type' ? word.toUpperCase() : word.toLowerCase();
  const near = findNear(given, known, 3).join(', ');
  const kind = `${field.startsWith('event') ? 'an' : 'a'} ${field.replace('_', ' ')}`;
  const message = `The ${field} field must be the name of ${kind}${near && ` such as ${near}`}.`;
  return { codes: [], problem: [field, message, 'unknown_value'] };
}

/**
 * Returns the countries that a filter selects; undefined: all countries. Without `country`, a filter with `scope=all`
 * selects its sources' countries, or else the default one. Returns a problem if no source is a registry of `country`.
 */
async function findCountries(
  db: Db,
  { scope, country, source }: Asked,
  within: string,
): Promise<[countries?: string[], Problem?]> {
  if (country === undefined && scope !== 'all') return [];
  const chosen = await chooseCountries(db, country, `${within}country`);
  if (source === undefined) return [chosen];
  const { rows } = await sql<{ code: string }>`
    select distinct registry.source_country(source) as code
    from registry.source
    where source = any(${listOf(source)})
  `.execute(db);
  const own = rows.map(({ code }) => code);
  // If all sources are unknown, `resolveFeedFilter` refuses them later.
  if (own.length === 0 || own.some((code) => country !== undefined && chosen.includes(code)))
    return [chosen];
  const wrong = 'The source field must name a source of the country.';
  return country === undefined ? [own] : [chosen, ['source', wrong, 'conflict']];
}

/**
 * Returns a filter in which codes replace the client's words (`mazowieckie` → `PL 14`). Throws a 422 for an unknown
 * word, and suggests similar words. `within` is the prefix of field names in error messages, such as `filters.`.
 */
export async function resolveFeedFilter(db: Db, asked: Asked, within = ''): Promise<FeedFilter> {
  const { from_date, to_date } = asked;
  const [countries, conflict] = await findCountries(db, asked, within);
  const filter: FeedFilter = { from_date, to_date, ...(countries && { countries }) };
  const reversed = 'The to_date field must not be before from_date.';
  const problems: Problem[] = conflict ? [conflict] : [];
  if (from_date && to_date && from_date > to_date)
    problems.push(['to_date', reversed, 'reversed_range']);
  const readDictionary = keep(() => readSearchDictionary(db));
  const isAsked = (one: SearchDictionary) => filter.countries?.includes(one.country_code) ?? true;
  for (const field of Object.keys(filterLists) as (keyof typeof filterLists)[]) {
    if (asked[field] === undefined) continue;
    const known = await readShared(db, field);
    const ofCountries = known ? [] : (await readDictionary()).filter(isAsked);
    const found = listOf(asked[field]).map((word) =>
      known ? findWord(field, word, known) : findCodes(field as CountryField, word, ofCountries),
    );
    filter[filterLists[field]] = found.flatMap(({ codes }) => codes);
    const wrong = found.find(({ problem }) => problem)?.problem;
    if (wrong) problems.push(wrong);
  }
  const name = ([field, message, code]: Problem): Problem => {
    return [within + field, message.replace(field, within + field), code];
  };
  if (problems.length > 0) throw invalid(problems.map(name));
  return filter;
}
