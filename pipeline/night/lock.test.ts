import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { dumpTables, fixtureFolder, runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { AlreadyRunning } from '../errors.ts';
import { lockPublishing } from './lock.ts';
import { NightReporter } from './reporter.ts';
import { verify } from './verify.ts';

const day = '2026-11-02';
const folders = {
  ceidg: fixtureFolder(day),
  regon: fileURLToPath(new URL(`../../fixtures/regon/${day}`, import.meta.url)),
};

test('sources read their dumps at the same time, and publish one after another', async () => {
  const db = await createTestDatabase();
  onTestFinished(() => db.drop());
  const client = await db.pool.connect();
  await lockPublishing(client, () => undefined);
  const waiting = Object.fromEntries(
    Object.keys(folders).map((source) => [source, Promise.withResolvers<string>()]),
  );
  const nights = Object.entries(folders).map(([source, path]) =>
    runDump(db, path, day, {
      source,
      reporter: Object.assign(new NightReporter(), { note: waiting[source]!.resolve }),
    }),
  );
  // Both nights have read their dumps. Their next steps need the lock.
  const notes = await Promise.all(Object.values(waiting).map(({ promise }) => promise));
  expect(notes).toEqual(Array(2).fill('waiting until another source is published'));
  const { rows } = await db.pool.query(
    `select count(*)::int as ceidg, (select count(*)::int from stage_regon.entry) as regon
     from stage_ceidg.entry`,
  );
  expect(rows).toEqual([{ ceidg: 81, regon: 41 }]);
  // A second run of a source does not wait.
  await expect(runDump(db, folders.ceidg, day)).rejects.toThrow(AlreadyRunning);

  client.release(true);
  const summaries = await Promise.all(nights);
  expect(summaries.map(({ state }) => state)).toEqual(['published', 'published']);
  for (const source of Object.keys(folders)) expect(await verify(db, source)).toEqual([]);
});

test('an entry that another source moves meanwhile is found where it lies then', async () => {
  const db = await createTestDatabase();
  onTestFinished(() => db.drop());
  await runDump(db, folders.ceidg, day);
  const client = await db.pool.connect();
  await lockPublishing(client, () => undefined);
  const notes: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const night = runDump(db, fixtureFolder('2026-11-03'), '2026-11-03', {
    reporter: Object.assign(new NightReporter(), {
      note: (sentence: string) => {
        notes.push(sentence);
        waiting.resolve();
      },
    }),
  });
  await waiting.promise;
  // Merging companies does the same: every row gets another ctid.
  await db.pool.query('update registry.entry set company_id = company_id');
  client.release(true);
  const { deleted, events } = await night;
  expect(notes).toEqual([
    'waiting until another source is published',
    'entries were moved meanwhile: reading every record',
  ]);
  const undisturbed = await createTestDatabase();
  onTestFinished(() => undisturbed.drop());
  await runDump(undisturbed, folders.ceidg, day);
  expect(await runDump(undisturbed, fixtureFolder('2026-11-03'), '2026-11-03')).toMatchObject({
    deleted,
    events,
  });
  expect(await dumpTables(db)).toEqual(await dumpTables(undisturbed));
  expect(await verify(db, 'ceidg')).toEqual([]);
});
