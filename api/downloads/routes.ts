import cors from 'cors';
import type { Router, RequestHandler, Response } from 'express';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Format, isFormat } from '../../sql/export/formats.ts';
import { chooseByAddress } from '../dictionaries/countries.ts';
import { limits, workLimits } from '../figures/rate-limits.ts';
import { isGivenUp } from '../http/deadline.ts';
import { HttpError } from '../http/errors.ts';
import { addRead, createRouter } from '../http/router.ts';
import { exposedHeaders } from '../http/headers.ts';
import { addressKeyOf } from '../http/limiter.ts';
import { setTag } from '../http/etag.ts';
import { sendPage } from '../html/page.ts';
import { cacheControlOf } from '../http/cache-control.ts';
import { createFiles, type DownloadOptions, fileNameOf } from './files.ts';
import { findDictionary, findDownloads } from './page.ts';
import { isView } from './views.ts';

const mediaTypes: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Sends the part of a file that the header `Range` requests; without exactly one range of bytes, the whole file. */
function sendPart(response: Response, content: Buffer): void {
  const ranges = response.req.range(content.length);
  if (ranges === -1) {
    response.set('Content-Range', `bytes */${content.length}`);
    throw new HttpError(416, { message: 'Range Not Satisfiable' });
  }
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length !== 1) {
    response.send(content);
    return;
  }
  const { start, end } = ranges[0]!;
  response
    .status(206)
    .set('Content-Range', `bytes ${start}-${end}/${content.length}`)
    .send(content.subarray(start, end + 1));
}

/** Returns the router of the page `/downloads`, of the data dictionary and of the files. */
export function createDownloads(options: DownloadOptions, limitPage: RequestHandler): Router {
  const { readers, now, limiter } = options;
  const router = createRouter();
  const makeFile = createFiles(options);
  const { files } = workLimits(options);

  /** Returns the version of a day's files (`FileOfDay.version`); undefined if no snapshot of the day was published. */
  async function findVersion(date: string, countries: string[]): Promise<string | undefined> {
    const { rows } = await sql<{ version: string; has_day: boolean | null }>`
      select max(run_id) as version, bool_or(dump_date = ${date}) as has_day
      from registry.run
      where
          state = 'published'
          and dump_date <= ${date}
          and registry.source_country(source) = any(${countries})
    `.execute(readers.db);
    const { version, has_day } = rows[0]!;
    return has_day ? version : undefined;
  }

  addRead(router, '/downloads', limitPage, async ({ query }, response) => {
    sendPage(response, 'downloads', await findDownloads(options, query));
  });

  const share = cors({ exposedHeaders });

  addRead(router, '/downloads/dictionary.json', share, limitPage, async (_request, response) => {
    response.set('Cache-Control', 'no-cache').json(await findDictionary(options));
  });

  const limitFiles = limiter.limitRequests(limits.downloads);
  const path = '/downloads/:date/:view.:format';
  addRead(router, path, share, limitFiles, async (request, response, next) => {
    const { date, view, format } = request.params as Record<'date' | 'view' | 'format', string>;
    if (!isView(view) || !isFormat(format) || !z.iso.date().safeParse(date).success) {
      next('router');
      return;
    }
    const { country, countries } = await chooseByAddress(readers.db, request.query);
    const version = await findVersion(date, countries);
    if (version === undefined) {
      const message = `No snapshot was published for ${date}.`;
      throw new HttpError(404, { message, code: 'NO_SNAPSHOT' });
    }
    // The client may disconnect while its request is queued; then no file is made.
    const content = await limiter.inTurn(files, addressKeyOf(request), async () =>
      isGivenUp(response) ? undefined : makeFile({ view, date, countries, format, version }),
    );
    if (!content || isGivenUp(response)) return;
    setTag(response.set('Cache-Control', cacheControlOf(date, now())), content);
    response
      .attachment(fileNameOf({ view, country, date, format }))
      .set('Content-Type', mediaTypes[format]);
    // The header `Range` is ignored for CSV, which is compressed when sent: a range would select compressed bytes.
    if (format === 'csv') response.send(content);
    else sendPart(response.set('Accept-Ranges', 'bytes'), content);
  });
  return router;
}
