import { Router, type Request, type RequestHandler, type Response } from 'express';
import {
  category,
  challengedField,
  eventClass,
  identifierType,
  readEventTypes,
  readLegalForms,
  readVoivodeships,
  severity,
} from '../dictionaries/names.ts';
import { onlyAllow, type ShowFault } from '../http/errors.ts';
import { basePath } from '../endpoint/mount.ts';
import { createAssets } from './assets.ts';
import { createHome, type HomeOptions } from './home.ts';
import { createNotice } from './notice.ts';
import { sendPage, sendPrivatePage } from './page.ts';
import { findNight, findNights } from './quality.ts';
import { createSeriesRoute } from './stats/series.ts';
import { findStatistics } from './stats/statistics.ts';

/** `/` for a client that does not ask for a page. */
const about = {
  name: 'Company registry',
  description: 'Companies from public registers, what changes about them, and statistics.',
  documentation: '/docs',
  openapi: `${basePath}/openapi.json`,
  status: '/readyz',
};

/** Whether a client prefers a page to JSON. */
function prefersPage(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['json', 'html']) === 'html';
}

/** What the forms of `/console` offer, and what they cost. */
async function findChoices({ readers: { db }, searchCredits, snapshotCredits }: HomeOptions) {
  return {
    voivodeships: await readVoivodeships(db),
    legalForms: await readLegalForms(db, 'en'),
    searchCredits,
    snapshotCredits,
    priceOf: (credits: number) => `${credits} ${credits === 1 ? 'credit' : 'credits'}`,
    eventTypes: await readEventTypes(db),
    identifierTypes: identifierType.options,
    severities: severity.options,
    eventClasses: eventClass.options,
    categories: category.options,
    challengedFields: challengedField.options,
  };
}

/**
 * The pages for people, with their files below `/assets/`. At `/`, a client that does not prefer HTML
 * gets JSON.
 */
export function createPages(options: HomeOptions, limit: RequestHandler): Router {
  const router = Router();
  const privacy = createNotice(options.privacyText);
  const terms = createNotice(options.termsText);
  type FindData = (request: Request) => object | Promise<object | undefined>;
  const pages: [path: string, template: string, findData: FindData][] = [
    ['/', 'home', createHome(options)],
    ['/stats', 'stats', (request) => findStatistics(options, request)],
    ['/quality', 'quality', (request) => findNights(options, request)],
    ['/quality/:date', 'quality-night', (request) => findNight(options, request)],
    ['/console', 'console', () => findChoices(options)],
    // The script of the console shows the company, once it has a token.
    ['/companies/:ref', 'console', () => findChoices(options)],
    ['/privacy', 'privacy', () => privacy],
    ['/terms', 'terms', () => terms],
  ];

  router.use(createAssets());
  router.use(createSeriesRoute(options));
  for (const [path, template, findData] of pages) {
    router
      .route(path)
      .get(limit, async (request, response, next) => {
        const isPage = path !== '/' || prefersPage(request, response);
        const data = isPage ? await findData(request) : undefined;
        if (data) sendPage(response, template, data);
        else if (!isPage) response.json(about);
        // A day that no page is of.
        else next('router');
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}

/** Lets a browser see a fault of the service, such as a database that is away, as a page. */
export const showFaults: RequestHandler = (request, response, next) => {
  const show: ShowFault = (status) => {
    if (request.path.startsWith(`${basePath}/`) || !prefersPage(request, response)) return false;
    sendPrivatePage(response, status, 'fault', { isPassing: status === 503 });
    return true;
  };
  response.locals.showFault = show;
  next();
};

/** Answers a browser that asks for a page that is not there by one that leads on; others get JSON. */
export const answerMissingPage: RequestHandler = (request, response, next) => {
  const { method, path } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const isKnown = response.locals.allow !== undefined || path.startsWith(`${basePath}/`);
  if (!prefersPage(request, response) || !isRead || isKnown) next();
  else sendPrivatePage(response, 404, 'not-found');
};
