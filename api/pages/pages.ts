import type { Router, Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import {
  category,
  eventClass,
  readEventTypes,
  readIdentifierTypes,
  readLegalForms,
  readRegions,
  severity,
} from '../dictionaries/names.ts';
import { readCountries } from '../dictionaries/countries.ts';
import type { Environment } from '../environment.ts';
import type { ShowFault } from '../http/errors.ts';
import { addRead, createRouter } from '../http/router.ts';
import { basePath } from '../endpoint/mount.ts';
import { parse } from '../endpoint/validate.ts';
import { limits } from '../figures/rate-limits.ts';
import { createAssets } from '../html/assets.ts';
import { findAttributions, findTerms, readSources } from '../html/attributions.ts';
import { sendPage, sendPrivatePage } from '../html/page.ts';
import { seriesQuery } from '../stats/series-fields.ts';
import { findSeries } from '../stats/series.ts';
import { renderMarkdown } from './docs/markdown.ts';
import { createHome, type HomeOptions } from './home.ts';
import { findNight, findNights } from './quality.ts';
import { findStatistics } from './stats/statistics.ts';

type PageOptions = HomeOptions & Pick<Environment, 'PRIVACY_FILE' | 'TERMS_FILE'>;

/** The maximum number of points of a series that the page `/stats` draws. */
const mostPoints = 2000;

/** Returns whether a client prefers HTML to JSON. */
function prefersPage(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['json', 'html']) === 'html';
}

/** Returns the length of the numbers that match a pattern such as `^W[0-9]{9}$`, and the letters at their start. */
function shapeOf(pattern: string) {
  const [letters = ''] = /[A-Z]*/.exec(pattern.replace('^', '')) ?? [];
  const digits = [...pattern.matchAll(/\{(\d+)\}/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  return { letters, length: letters.length + digits };
}

/** Returns the choices for the forms of `/console`, and the prices of searches and snapshots. */
async function findChoices({ readers: { db }, SEARCH_CREDITS, SNAPSHOT_CREDITS }: PageOptions) {
  return {
    countries: await Promise.all(
      (await readCountries(db)).map(async ({ country_code, ...country }) => ({
        ...country,
        country_code,
        regions: await readRegions(db, country_code),
        legalForms: await readLegalForms(db, country_code, true),
      })),
    ),
    SEARCH_CREDITS,
    SNAPSHOT_CREDITS,
    priceOf: (credits: number) => `${credits} ${credits === 1 ? 'credit' : 'credits'}`,
    eventTypes: await readEventTypes(db),
    identifierTypes: (await readIdentifierTypes(db)).map(({ pattern, ...type }) => ({
      ...type,
      ...shapeOf(pattern),
    })),
    severities: severity.options,
    eventClasses: eventClass.options,
    categories: category.options,
    attributions: await findAttributions(db, await readSources(db)),
  };
}

/** Returns the operator's text for a page by language, as Markdown or HTML, without languages whose text is empty. */
function createNotice(texts: Environment['TERMS_FILE']) {
  if (!texts || texts.en.trim() === '') return {};
  const [en, pl] = [texts.en.trim(), texts.pl.trim()].map((text) =>
    text.startsWith('<') ? text : renderMarkdown(text, { topDepth: 2 }).html,
  );
  return { notice: { en, pl } };
}

/** Returns the routes of the HTML pages, and of their files below `/assets/`. */
export function createPages(options: PageOptions, limit: RequestHandler): Router {
  const router = createRouter();
  const privacy = createNotice(options.PRIVACY_FILE);
  const terms = createNotice(options.TERMS_FILE);
  type FindData = (request: Request) => object | Promise<object | undefined>;
  const pages: [path: string, template: string, findData: FindData][] = [
    ['/', 'home', createHome(options)],
    ['/stats', 'stats', (request) => findStatistics(options, request)],
    ['/quality', 'quality', (request) => findNights(options, request)],
    ['/quality/:date', 'quality-night', (request) => findNight(options, request)],
    ['/console', 'console', () => findChoices(options)],
    // The page has no data of the company: the console's script loads it after the visitor has entered a token.
    ['/companies/:ref', 'console', () => findChoices(options)],
    ['/privacy', 'privacy', () => privacy],
    ['/terms', 'terms', async () => ({ ...terms, ...(await findTerms(options.readers.db)) })],
  ];

  router.use(createAssets());
  for (const [path, template, findData] of pages) {
    addRead(router, path, limit, async (request, response, next) => {
      const data = await findData(request);
      if (data) sendPage(response, template, data);
      // A URL without data has no page, such as `/quality/<date>` of a day without dumps.
      else next('router');
    });
  }
  // The page `/stats` reads its series under a separate rate limit, not under the limit of the API.
  const limitSeries = options.limiter.limitRequests(limits.statsPage);
  const schema = z.object({ query: seriesQuery });
  addRead(router, '/stats/series', limitSeries, async ({ query }, response) => {
    const asked = await parse(schema, { query });
    response.json(await findSeries(options, asked.query, mostPoints));
  });
  return router;
}

/** Makes the service send its faults, such as a lost database connection, to browsers as an HTML page. */
export const showFaults: RequestHandler = (request, response, next) => {
  const show: ShowFault = (status) => {
    if (request.path.startsWith(`${basePath}/`) || !prefersPage(request, response)) return false;
    sendPrivatePage(response, status, 'fault', { isPassing: status === 503 });
    return true;
  };
  response.locals.showFault = show;
  next();
};

/** Answers a browser that requests a missing page with a 404 page. A later handler sends JSON to other clients. */
export const answerMissingPage: RequestHandler = (request, response, next) => {
  const { method, path } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const isKnown = response.locals.allow !== undefined || path.startsWith(`${basePath}/`);
  if (!prefersPage(request, response) || !isRead || isKnown) next();
  else sendPrivatePage(response, 404, 'not-found');
};
