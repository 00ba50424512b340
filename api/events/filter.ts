import { z } from 'zod';
import type { FeedFilter } from '../../sql/feed.ts';
import type { feedScope } from '../../sql/feed-cursor.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { chooseCountries, countriesField } from '../dictionaries/countries.ts';
import { category, eventClass, readEventTypes, severity } from '../dictionaries/names.ts';
import { sizes } from '../figures.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { dateField } from '../http/field.ts';
import { findCodes, readSearchDictionary, startsActivity, wanted } from '../search/filter.ts';

// This file checks the filters of feeds and histories; sql/function/15_feed.sql selects the events.
const words = z.string().min(1).max(sizes.filter);

/** Returns the fields of a filter. `list` makes the schema of a list of words from its name. */
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
  from_date: dateField('from_date').optional(),
  to_date: dateField('to_date').optional(),
});

/** The fields of a filter in a query, where a list is a text with commas. */
export const filterFields = fieldsOf((id) => words.meta({ id }).optional());

const wordsOrArray = z
  .union([words, z.array(words).min(1)])
  .optional()
  .meta({ description: 'A list, or a text with commas.' });

/** The filter of a body. */
export const filterBody = z.strictObject(fieldsOf(() => wordsOrArray)).meta({ id: 'FeedFilter' });

/** A filter in the words of a client, with the scope of the feed. */
type Asked = z.output<typeof filterBody> & { scope?: z.output<typeof feedScope> };

const listOf = (given: string | string[]) =>
  [given].flat().flatMap((text) => text.split(',').map((word) => word.trim()));

/** The filters with words that all countries share: the field of the filter, and the kind of the words. */
const shared = {
  event_type: ['event_types', 'an event type'],
  severity: ['severities', 'a severity'],
  event_class: ['event_classes', 'an event class'],
  category: ['categories', 'a category'],
  source: ['sources', 'a source'],
} as const;

/** The filters with words of countries, and the field of the filter. */
const ofCompany = {
  voivodeship: 'voivodeships',
  legal_form: 'legal_forms',
  activity_prefix: 'activity_prefixes',
} as const;

const keysOf = <Fields extends object>(fields: Fields) => Object.keys(fields) as (keyof Fields)[];

/** Returns the words that all countries share, by the field of a query. */
async function readShared(db: Db): Promise<Record<keyof typeof shared, readonly string[]>> {
  const sources = await db.selectFrom('registry.source').select('source').execute();
  return {
    event_type: (await readEventTypes(db)).map((type) => type.event_type),
    severity: severity.options,
    event_class: eventClass.options,
    category: category.options,
    source: sources.map((one) => one.source),
  };
}

/** Adds the words about events to a filter. Returns the problems of unknown words. */
async function addShared(db: Db, asked: Asked, filter: FeedFilter): Promise<Problem[]> {
  const known = await readShared(db);
  return keysOf(shared).flatMap((field): Problem[] => {
    if (asked[field] === undefined) return [];
    const [name, kind] = shared[field];
    filter[name] = listOf(asked[field]);
    const unknown = filter[name].find((word) => !known[field].includes(word));
    if (unknown === undefined) return [];
    const given = field === 'event_type' ? unknown.toUpperCase() : unknown.toLowerCase();
    const near = findNear(given, known[field], 3).join(', ');
    const hint = near && ` such as ${near}`;
    const message = `The ${field} field must be the name of ${kind}${hint}.`;
    return [[field, message, 'unknown_value']];
  });
}

/** Adds the words about companies to a filter. Returns the problems of words that no asked country knows. */
async function addOfCompany(db: Db, asked: Asked, filter: FeedFilter): Promise<Problem[]> {
  const countries = (await readSearchDictionary(db)).filter(
    ({ country_code }) => filter.countries?.includes(country_code) ?? true,
  );
  return keysOf(ofCompany).flatMap((field): Problem[] => {
    if (asked[field] === undefined) return [];
    const given = listOf(asked[field]);
    if (field === 'activity_prefix') {
      filter.activity_prefixes = given.map((text) => text.toUpperCase());
      const isKnown = (text: string) => countries.some((one) => startsActivity(one, text));
      const wrong = `The ${field} field must be ${wanted[field]}.`;
      return filter.activity_prefixes.every(isKnown) ? [] : [[field, wrong, 'invalid_format']];
    }
    const found = given.map((word) => findCodes(field, word, countries));
    filter[ofCompany[field]] = found.flatMap(({ codes }) => codes);
    const problem = found.find((one) => one.problem !== undefined)?.problem;
    return problem === undefined ? [] : [[field, problem, 'unknown_value']];
  });
}

/**
 * Returns a filter in codes. Throws a 422 for unknown words that names similar words. Without `country`, `scope=all`
 * selects the first country, and every other filter all countries.
 */
export async function resolveFeedFilter(db: Db, asked: Asked): Promise<FeedFilter> {
  const { scope, country, from_date, to_date } = asked;
  const filter: FeedFilter = { from_date, to_date };
  if (country !== undefined || scope === 'all')
    filter.countries = await chooseCountries(db, country);
  const problems: Problem[] = [];
  if (from_date && to_date && from_date > to_date) {
    const message = 'The to_date field must not be before from_date.';
    problems.push(['to_date', message, 'reversed_range']);
  }
  const asks = (fields: (keyof Asked)[]) => fields.some((field) => asked[field] !== undefined);
  if (asks(keysOf(shared))) problems.push(...(await addShared(db, asked, filter)));
  if (asks(keysOf(ofCompany))) problems.push(...(await addOfCompany(db, asked, filter)));
  if (problems.length > 0) throw invalid(problems);
  return filter;
}
