import { z } from 'zod';
import { chooseCountries, countriesField } from '../dictionaries/countries.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { HttpError } from '../http/errors.ts';
import { dateField } from '../http/field.ts';
import { pageMeta, pagingFields } from '../http/paging.ts';
import { nightOfRegistry, nightSummary, readNight, readNights } from './nights.ts';

const common = { method: 'get', tag: 'Quality', auth: 'none', limit: limits.quality } as const;

/** (+) The public endpoints of dump quality: the files, rejected rows and refusals of each night. */
export const qualityEndpoints = [
  endpoint(
    {
      ...common,
      path: '/quality',
      summary: 'List the days of delivered dumps',
      query: z.strictObject({ ...pagingFields, country: countriesField }),
      answer: z.strictObject({ data: z.array(nightSummary), meta: pageMeta }),
    },
    async ({ query: { country, ...paging }, options: { readers } }) =>
      readNights(readers, paging, await chooseCountries(readers.db, country)),
  ),
  endpoint(
    {
      ...common,
      path: '/quality/{date}',
      summary: 'Read the findings of the night in the dumps of a day',
      params: z.strictObject({ date: dateField }),
      query: z.strictObject({ country: countriesField }),
      answer: z.strictObject({
        meta: z.strictObject({ date: z.iso.date() }),
        data: z.array(nightOfRegistry),
      }),
    },
    async ({ params: { date }, query, options }) => {
      const { db } = options.readers;
      const data = await readNight(db, date, await chooseCountries(db, query.country));
      if (data.length === 0) {
        const message = `No dump was delivered for ${date}.`;
        throw new HttpError(404, { message, code: 'NO_SNAPSHOT' });
      }
      return { meta: { date }, data };
    },
  ),
];
