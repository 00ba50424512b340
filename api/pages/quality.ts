import type { Request } from 'express';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { chooseByAddress } from '../dictionaries/countries.ts';
import { dateField } from '../http/text-fields.ts';
import { pagingFields } from '../http/page-numbers.ts';
import { readNight, readNights } from '../quality/nights.ts';
import { findCountryChoices } from '../html/country-choice.ts';
import { findAttributions } from '../html/attributions.ts';
import texts from '../html/texts/en/quality.json' with { type: 'json' };

/** The schema of the parameter `page` in a URL; an invalid or missing `page` means the first page. */
const paging = z.object({ page: pagingFields.page.catch(1), per_page: pagingFields.per_page });

/** Returns the query that links between quality pages need to keep the chosen country. */
const queryOf = (country?: string) => new URLSearchParams(country ? { country } : {}).toString();

/** Returns the data of the page `/quality`: the days for which dumps were delivered. */
export async function findNights({ readers }: Pick<Context, 'readers'>, request: Request) {
  const { country, countries } = await chooseByAddress(readers.db, request.query);
  const page = paging.parse({ page: request.query.page });
  const nights = await readNights(readers, page, countries);
  const sources = new Set(nights.data.map(({ source }) => source));
  return {
    ...nights,
    query: queryOf(country),
    countries: await findCountryChoices(readers.db, country, true),
    attributions: await findAttributions(readers.db, sources),
  };
}

/** Returns the data of the page `/quality/<date>`; undefined when no dump was delivered for that day. */
export async function findNight({ readers: { db } }: Pick<Context, 'readers'>, request: Request) {
  const date = dateField.safeParse(request.params.date).data;
  const { country, countries } = await chooseByAddress(db, request.query);
  const registries = date === undefined ? [] : await readNight(db, date, countries);
  if (registries.length === 0) return undefined;
  // `isSaid` returns whether a field, guard or reason has a text: names that a newer release has stored have none.
  const sources = registries.map(({ source }) => source);
  return {
    date,
    registries,
    query: queryOf(country),
    isSaid: (key: string) => key in texts,
    attributions: await findAttributions(db, sources),
  };
}
