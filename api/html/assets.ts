import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Router } from 'express';
import { addRead, createRouter } from '../http/router.ts';

const folder = new URL('assets/', import.meta.url);

/** The files of the folder `assets` and of libraries, by their names in the URL `/assets/{name}`. */
const assets = [
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) !== '')
    .map((name) => ({ name, url: new URL(name, folder).href })),
  { name: 'uplot.css', url: import.meta.resolve('uplot/dist/uPlot.min.css') },
  { name: 'uplot.js', url: import.meta.resolve('uplot/dist/uPlot.iife.min.js') },
].map(({ name, url }) => {
  const content = readFileSync(new URL(url));
  return { name, content, version: hash('sha256', content).slice(0, 12) };
});

/** Returns the URL of an asset. The version in the URL changes with the content, so browsers may cache the asset. */
export function linkAsset(name: string): string {
  return `/assets/${name}?v=${assets.find((asset) => asset.name === name)!.version}`;
}

/** Returns the routes `/assets/{name}` of the style sheets, scripts and icon of all pages. */
export function createAssets(): Router {
  const router = createRouter();
  for (const { name, content, version } of assets) {
    addRead(router, `/assets/${name}`, (request, response) => {
      const isCurrent = request.query.v === version;
      response
        .set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
        .type(extname(name))
        .send(content);
    });
  }
  return router;
}
