import { pino } from 'pino';
import { expect, test } from 'vitest';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { hasty } from '../../fixtures/registry/fetching.ts';
import { startRegistries } from '../../fixtures/registry/registries.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { importAwaited } from '../import/import.ts';
import { createOnDemandSources } from '../import/services.ts';
import { findWatched } from './due.ts';

test('of many companies those are found that are watched, by whichever number', async () => {
  const database = await createTestDatabase();
  const api = await startTestApi({ db: database.kysely });
  const { settings } = await startRegistries({
    regon: [
      legalPerson('997142044', '1000705505', 'ZMYŚLONA'),
      legalPerson('997152054', '1000705907', 'INNA'),
    ],
  });
  for (const nip of ['1000705505', '1000705907']) {
    await (await createSubmitter(database, api)).add('NIP', nip);
  }
  await importAwaited({
    db: database,
    logger: pino({ level: 'silent' }),
    sources: createOnDemandSources(settings, hasty),
    now: () => new Date(),
    signal: new AbortController().signal,
  });
  expect(await findWatched(database, ['999999999', '997152054'])).toEqual(['997152054']);
  expect(await findWatched(database, ['997152054', '997142044'])).toEqual([
    '997142044',
    '997152054',
  ]);
  expect(await findWatched(database, [])).toEqual([]);
});
