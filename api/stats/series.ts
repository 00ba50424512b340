import type { Response } from 'express';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import sample from './example.json' with { type: 'json' };
import { readSeries } from './read-series.ts';
import { by, point, type SeriesQuery, seriesQuery } from './series-fields.ts';
import { hideSmall } from './small-counts.ts';
import { cacheControlOf } from '../http/cache-control.ts';
import { chooseSource, common } from './source.ts';

const answer = z.strictObject({ by, source: z.string(), series: z.array(point) });

type Series = z.output<typeof answer>;

const example = sample as Series;

const csvQuery = seriesQuery.safeExtend({ comments: z.enum(['true', 'false']).optional() });

/** Returns the filters and `group_by` of a request as pairs: the name of the query parameter, and its value. */
const filtersOf = (asked: SeriesQuery) =>
  (['voivodeship', 'section', 'legal_form', 'group_by'] as const).flatMap((name) =>
    asked[name] === undefined ? [] : [[name, String(asked[name])] as const],
  );

/** Returns the first and the last day of a time series. */
const daysOf = ({ series }: Series) =>
  new Set(series.length === 0 ? [] : [series[0]!.date, series.at(-1)!.date]);

/** Returns the name of a CSV file, such as `ceidg-mazowieckie-F-by-day-2026-01-30-2026-02-04.csv`. */
function nameFile(found: Series, asked: SeriesQuery): string {
  const filters = filtersOf(asked).map(([, value]) => value.replaceAll(',', '-'));
  return `${[found.source, ...filters, 'by', found.by, ...daysOf(found)].join('-')}.csv`;
}

function describeFile(found: Series, asked: SeriesQuery): string[] {
  const filters = filtersOf(asked).map(([name, value]) => `${name}=${value}`);
  return [
    `# Registry: ${found.source}`,
    `# Selection: ${filters.join('; ') || 'all entries'}`,
    `# By ${found.by}: ${[...daysOf(found)].join(' to ') || 'no snapshot'}`,
    '# Source: the public register of that name, as its dumps of these days state it',
    '# Licence: public sector information; the terms of the data are at /terms',
  ];
}

// The CSV has only dates, numbers, booleans, names and slugs, so no cell needs quotes.
function writeCsv({ series }: Series, { group_by = [] }: Partial<SeriesQuery> = {}): string {
  const { date: _date, group: _group, stock, ...flows } = point.shape;
  const names = Object.keys(flows) as (keyof typeof flows)[];
  const stocks = Object.keys(stock.shape).map((status) => `stock_${status.toLowerCase()}`);
  const header = ['date', ...group_by, ...stocks, ...names];
  const lines = series.map(({ date, group = {}, stock: counts, ...rest }) => [
    date,
    ...Object.values(group),
    ...Object.values(counts),
    ...names.map((name) => rest[name]),
  ]);
  return [header, ...lines, ''].join('\n');
}

/** Returns the text of a CSV file, with comment lines if `comments=true`; sets the file's name and type. */
function sendCsv(response: Response, found: Series, asked: z.output<typeof csvQuery>): string {
  response.attachment(nameFile(found, asked)).type('csv');
  const comments = asked.comments === 'true' ? describeFile(found, asked) : [];
  return [...comments, writeCsv(found, asked)].join('\n');
}

type SeriesCall = { query: SeriesQuery; response: Response; options: Context };

/** Returns the time series that a query selects; the endpoints and the page of statistics call this function. */
export async function findSeries(
  { readers: { db }, SUPPRESS_BELOW }: Context,
  asked: SeriesQuery,
  most?: number,
): Promise<Series> {
  const source = await chooseSource(db, asked);
  const points = await readSeries(db, source, asked, most);
  return { by: asked.by, source, series: points.map((one) => hideSmall(one, SUPPRESS_BELOW)) };
}

/** Returns the time series that a request selects, and sets the `Cache-Control` of the answer. */
function read({ query: asked, response, options }: SeriesCall): Promise<Series> {
  if (asked.to !== undefined)
    response.set('Cache-Control', cacheControlOf(asked.to, options.now()));
  return findSeries(options, asked);
}

/** (+) The endpoints of stock and flows, JSON or CSV. day-and-range.ts has one day, and 30 days (`days_with_data`). */
export const seriesEndpoints = [
  endpoint(
    {
      ...common,
      query: seriesQuery,
      path: '/stats/series',
      summary: 'Stock and flows of entries, by day or month',
      answer,
      example,
      csvExample: writeCsv(example),
    },
    async (call) => {
      const { query: asked, request, response } = call;
      const found = await read(call);
      response.vary('Accept');
      // A client that accepts both JSON and CSV equally gets JSON.
      return request.accepts(['json', 'csv']) === 'csv' ? sendCsv(response, found, asked) : found;
    },
  ),
  endpoint(
    {
      ...common,
      query: csvQuery,
      path: '/stats/series.csv',
      summary: 'The same series as CSV',
      answer: z.string(),
      mediaType: 'text/csv',
      csvExample: writeCsv(example),
    },
    async (call) => sendCsv(call.response, await read(call), call.query),
  ),
];
