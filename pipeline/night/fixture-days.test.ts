import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectedDays, readExpected, readRows } from '../../fixtures/expected.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { runKrs } from '../../fixtures/dump/krs-day.ts';
import { createFirstDay, dumpTables, runDump, runFixture } from '../../fixtures/dump/night.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';
import { NothingToDo } from '../errors.ts';
import { verify } from './verify.ts';

/** The registries, each with the SQL columns that identify an entry. */
const registries = [
  { source: 'ceidg', identity: 'entry.nip, entry.regon9, entry.name' },
  { source: 'regon', identity: 'entry_key, entry.name' },
  { source: 'krs', identity: 'entry.krs' },
  { source: 'sirene', identity: 'entry_key' },
] as const;

/** The expected rejects and notices of the fixture days. */
const told = readRows<Record<'source' | 'kind' | 'text', string>>(
  new URL('fixture-days.csv', import.meta.url),
);

const databases = Object.fromEntries(
  await Promise.all(registries.map(async ({ source }) => [source, await createTestDatabase()])),
) as Record<(typeof registries)[number]['source'], TestDatabase>;

const sorted = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(Object.values(row))).toSorted();

describe.each(registries)('the fixture days of $source', ({ source, identity }) => {
  const listTold = (kind: string) =>
    told.flatMap((one) => (one.source === source && one.kind === kind ? [one.text] : []));
  const { events: expected, days } = readExpected(source);
  const db = databases[source];
  const events: object[] = [];
  const faults: string[] = [];
  const ask = async <Row extends object>(query: string) => (await db.pool.query<Row>(query)).rows;

  beforeAll(async () => {
    for (const { date } of days) {
      await runSource(db, source, date);
      // The test reads the events after each night, because an owner's objection on a later day erases values of
      // earlier events.
      events.push(
        ...(await ask(
          `select event.event_date, event.event_type, event.old_value, event.new_value, ${identity}
           from registry.event join registry.entry using (company_id, entry_id)
           where event.event_date = '${date}'`,
        )),
      );
      faults.push(...(await verify(db, source)));
    }
  });

  test('make the events of the literal list and no others, and are whole after each night', async () => {
    expect(sorted(events)).toEqual(sorted(expected));
    const numbered = await ask<{ event_id: string; event_date: string }>(
      'select event_id, event_date from registry.event order by event_id',
    );
    // The ids of events follow the order of publication, without gaps.
    expect(numbered.map(({ event_id }) => Number(event_id))).toEqual(events.map((_, at) => at + 1));
    const dates = numbered.map(({ event_date }) => event_date);
    expect(dates).toEqual(dates.toSorted());
    expect(faults).toEqual([]);
  });

  test('count what happened, and leave statistics that equal the counts', async () => {
    const counts = await ask(
      `select dump_date as date, new_count::int as new, updated_count::int as updated,
         deleted_count::int as deleted, entry_count::int as total,
         rejected_count::int as rejected, state
       from registry.run order by dump_date`,
    );
    expect(counts).toEqual(days.map((day) => ({ ...day, state: 'published' })));
    const statistics = await ask(
      `select date, new::int, updated::int, deleted::int, total::int
       from analyst.daily_stat where source = '${source}' order by date`,
    );
    expect(statistics).toEqual(
      days.map(({ date, new: appeared, updated, deleted }) => ({
        date,
        new: appeared,
        updated,
        deleted,
        total: appeared + updated + deleted,
      })),
    );
  });

  test('say why an answer was rejected, where it stands, and what is not known', async () => {
    const rejects = await ask<{ text: string }>(
      `select format('%s %s %s: %s: %s', dump_date, file, line, reject_code, reject.reason) as text
       from registry.reject join registry.run using (run_id) order by dump_date, file, line`,
    );
    expect(rejects.map(({ text }) => text)).toEqual(listTold('rejects'));
    const notices = await ask<{ text: string; row_count: number }>(
      `select format('%s %s %L', dump_date, subject, value) as text, row_count::int
       from registry.notice join registry.run using (run_id)
       where dump_date > '2026-11-02' order by dump_date, subject, value`,
    );
    expect(notices).toEqual(listTold('notices').map((text) => ({ text, row_count: 1 })));
  });

  test('change nothing when the same dump comes again', async () => {
    const before = await dumpTables(db);
    await expect(runSource(db, source, days.at(-1)!.date)).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
  });
});

describe('the fixture days', () => {
  test('of REGON make one company of all that shares a number', async () => {
    const { rows } = await databases.regon.pool.query<{ entries: string[] }>(
      `select array_agg(entry_key order by entry_key) as entries
       from registry.entry group by company_id having count(*) > 1 order by 1`,
    );
    expect(rows.map(({ entries }) => entries)).toEqual([
      ['990800024-1', '990800024-2', '990800024-3'],
      ['995100314-1', '995100314-2'],
      ['995100320-1', '995100320-2'],
      // The company has one NIP and two REGON numbers, because the registry has replaced a REGON.
      ['995100410-6', '995100426-6'],
    ]);
  });

  test('of SIRENE have their SIREN in the last column of analyst.company', async () => {
    const { rows, fields } = await databases.sirene.pool.query<{ siren: string | null }>(
      `select * from analyst.company where name ~ 'TILLEULS'`,
    );
    expect(fields.at(-1)!.name).toBe('siren');
    expect(rows).toMatchObject([{ country_code: 'FR', siren: '000990010' }]);
  });

  test('of KRS tell nothing new when the same extracts come the day after', async () => {
    const folder = fileURLToPath(new URL('../../fixtures/krs/2026-11-06', import.meta.url));
    const summary = await runDump(databases.krs, folder, '2026-11-07', { source: 'krs' });
    expect(summary).toMatchObject({ new: 0, updated: 0, deleted: 0, events: 0 });
  });

  test('of KRS are whole also when a bankruptcy that has ended is no longer shown', async () => {
    const path = new URL('../../fixtures/krs/2026-11-03/0000990002.json', import.meta.url);
    const { odpis } = JSON.parse(await readFile(path, 'utf8')) as { odpis: { naglowekA: object } };
    Object.assign(odpis.naglowekA, { stanZDnia: '08.11.2026', numerOstatniegoWpisu: 99 });
    await runKrs(databases.krs, '2026-11-08', [{ odpis }]);
    const { rows } = await databases.krs.pool.query<{ event_type: string }>(
      `select event_type from registry.event join registry.entry using (company_id, entry_id)
       where event_date = '2026-11-08' and krs = '0000990002' order by event_type`,
    );
    expect(rows.map(({ event_type }) => event_type)).toEqual([
      'COMPANY_NAME_CHANGED',
      'COMPANY_REOPENED',
    ]);
    expect(await verify(databases.krs, 'krs')).toEqual([]);
  });
});

test('a full read publishes the same as the shortcut, byte for byte', async () => {
  const full = await createTestDatabase();
  for (const { date } of expectedDays) await runFixture(full, date, { isFullRead: true });
  expect(await dumpTables(full)).toEqual(await dumpTables(databases.ceidg));
});

test('a dry run tells what would happen and leaves no trace', async () => {
  const db = await createFirstDay();
  const before = await dumpTables(db);
  const summary = await runFixture(db, '2026-11-03', { isDryRun: true });
  expect(summary).toMatchObject({ is_dry_run: true, events: 20, new: 2, deleted: 1 });
  expect(await dumpTables(db)).toEqual(before);
  const { rows } = await db.pool.query('select dump_date from registry.run');
  expect(rows).toEqual([{ dump_date: '2026-11-02' }]);
});
