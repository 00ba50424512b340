// Makes the picture in README.md, which shows the statistics page with a year of invented figures.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../api/app.ts';
import { openPage, startBrowser } from '../fixtures/client/browser.ts';
import { completeOptions } from '../fixtures/client/test-api.ts';
import { insertYear } from '../fixtures/database/year-of-statistics.ts';
import { openKysely } from '../sql/connection/kysely.ts';
import { migrate } from '../sql/migrate.ts';
import { inDatabase } from './bench/country.ts';

await inDatabase(tmpdir(), async (db) => {
  await migrate(db);
  await insertYear(db);
  // With the option `sample`, the statistics page states that its figures are invented.
  const app = createApp(completeOptions({ db: openKysely(db.pool), sample: 'all' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const browser = await startBrowser();
  const { page } = await openPage(browser, { width: 1100 });
  await page.goto(
    `http://127.0.0.1:${port}/stats?source=ceidg&voivodeship=mazowieckie&from=2026-04-01`,
  );
  await page.locator('#flow-chart canvas').first().waitFor();
  // Tables and explanations of the page are hidden, because they would make the picture three times as high.
  await page.evaluate(`for (const part of document.querySelectorAll('figure .scroll, figure .scroll ~ *'))
    part.hidden = true`);
  const path = join(import.meta.dirname, 'picture.png');
  const bottom = "document.querySelector('#flow-chart').getBoundingClientRect().bottom + scrollY";
  const height = 20 + (await page.evaluate<number>(bottom));
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 1100, height }, fullPage: true });
  await browser.close();
  server.close();
});
