import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Router } from 'express';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';

/** Every file that a page loads, by its name below `/assets/`. */
const files = {
  'site.css': './assets/site.css',
  'home.css': './assets/home.css',
  'icon.svg': './assets/icon.svg',
  'copy.js': './assets/copy.js',
  'dom.js': './assets/dom.js',
  'recover.js': './assets/recover.js',
  'quality.css': './assets/quality.css',
  'stats.css': './assets/stats.css',
  'stats.js': './assets/stats.js',
  'stats-chart.js': './assets/stats-chart.js',
  'downloads.css': './assets/downloads.css',
  'console.css': './assets/console.css',
  'docs.css': './assets/docs.css',
  'docs.js': './assets/docs.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
};

/** The modules of the console, which import each other. */
const modules = readdirSync(new URL('assets/console', import.meta.url)).map(
  (name) => [`console/${name}`, `./assets/console/${name}`] as const,
);

const assets = [...Object.entries(files), ...modules].map(([name, source]) => {
  const content = readFileSync(new URL(import.meta.resolve(source)));
  return { name, content, version: hash('sha256', content).slice(0, 12) };
});

/** The address of a file. Its version changes with the content, so that browsers may keep the file. */
export function linkAsset(name: string): string {
  return `/assets/${name}?v=${assets.find((asset) => asset.name === name)!.version}`;
}

/** `/assets/{name}`: style sheets, scripts and the icon of all pages. */
export function createAssets(): Router {
  const router = createRouter();
  for (const { name, content, version } of assets) {
    router
      .route(`/assets/${name}`)
      .get((request, response) => {
        const isCurrent = request.query.v === version;
        response
          .set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
          .type(extname(name))
          .send(content);
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}
