import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { startCeidgStub } from '../../fixtures/registry/ceidg-stub.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { createInbox, hasty } from '../../fixtures/registry/fetching.ts';
import { currentExtract, startKrsStub } from '../../fixtures/registry/krs-stub.ts';
import { startRegistries } from '../../fixtures/registry/registries.ts';
import { startCatalogueStub, startSireneStub } from '../../fixtures/registry/sirene-stub.ts';
import { makeZip } from '../../fixtures/dump/bad-dump.ts';
import { runSirene, runStock } from '../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeStock, makeUnit } from '../../fixtures/dump/sirene-stock.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { queryFile } from '../../sql/connection/database.ts';
import { dayIn } from '../../sql/country.ts';
import { importDue } from '../import/ask-registries.ts';
import { createOnDemandSources } from '../import/on-demand-registries.ts';
import { tryLock } from '../night/lock.ts';
import { listDue } from './due-days.ts';

const numbers = ['0009000001', '0009000002'];
let db: TestDatabase;
let inbox: string;

beforeEach(async () => {
  db = await createTestDatabase();
  inbox = await createInbox();
});

/** Returns the date that was `days` days before the current day in Poland. */
function daysAgo(days: number): string {
  const today = Date.parse(dayIn(new Date()));
  return new Date(today - days * 86_400_000).toISOString().slice(0, 10);
}

async function startKrs(...days: string[]): Promise<string> {
  const stub = await startKrsStub({
    bulletins: Object.fromEntries(days.map((day) => [day, numbers])),
    entries: Object.fromEntries(
      numbers.map((krs) => [krs, { register: 'P', current: currentExtract(krs, 'ZMYŚLONA') }]),
    ),
  });
  return stub.url;
}

type Outcome = Record<'source' | 'dump_date' | 'state', string>;

async function nightly(variables: NodeJS.ProcessEnv) {
  const settings = { DATABASE_URL: db.url, INBOX_DIR: inbox, ...variables };
  const command = await runCommand(['nightly', '--fetch', '--json'], settings);
  const { fetched, runs } = JSON.parse(command.stdout || '{}') as Record<string, Outcome[]>;
  const line = ({ source, dump_date, state }: Outcome) => `${source} ${dump_date} ${state}`;
  return { ...command, fetched: fetched?.map(line), runs: runs?.map(line) };
}

describe('nightly --fetch', () => {
  test('fetches the last day that is over, then publishes it; again there is nothing to do', async () => {
    const yesterday = daysAgo(1);
    const KRS_URL = await startKrs(yesterday);
    const first = await nightly({ KRS_URL });
    expect(first.fetched).toEqual([`krs ${yesterday} fetched`]);
    expect(first.runs).toEqual([`krs ${yesterday} published`]);
    expect(first.code).toBe(0);
    const again = await nightly({ KRS_URL });
    expect([again.fetched, again.runs, again.code]).toEqual([[], [], 5]);
  });

  test('4 while another machine fetches from the registry', async () => {
    const KRS_URL = await startKrs(daysAgo(1));
    const other = await db.pool.connect();
    expect(await tryLock(other, 'fetch krs')).toBe(true);
    const waiting = await nightly({ KRS_URL });
    expect([waiting.fetched, waiting.code]).toEqual([[`krs ${daysAgo(1)} running`], 4]);
    other.release(true);
    expect((await nightly({ KRS_URL })).fetched).toEqual([`krs ${daysAgo(1)} fetched`]);
  });

  test('fetches every day since the newest dump, for each list tells of its day alone', async () => {
    await mkdir(join(inbox, 'krs', daysAgo(4)), { recursive: true });
    const KRS_URL = await startKrs(daysAgo(3), daysAgo(1));
    const { fetched } = await nightly({ KRS_URL });
    expect(fetched).toEqual([3, 2, 1].map((days) => `krs ${daysAgo(days)} fetched`));
  });

  test('fetches at most the last days that a registry still has', async () => {
    const ranges = { regon: [7, 1], krs: [31, 1], ceidg: [0, 0] };
    for (const source of ['regon', 'krs', 'ceidg'] as const) {
      await mkdir(join(inbox, source, daysAgo(40)), { recursive: true });
      const dates = await listDue(
        { db, environment: { inboxDir: inbox }, now: new Date() },
        source,
      );
      const [first, last] = ranges[source] as [number, number];
      expect([dates[0], dates.at(-1)]).toEqual([daysAgo(first), daysAgo(last)]);
      expect(dates).toHaveLength(first - last + 1);
    }
  });

  test('takes a stock of SIRENE that came out after the lists of its day were published', async () => {
    const units = ['310000003', '320000001'].map((siren) => makeUnit(siren));
    const places = units.map(({ siren }) => makeEstablishment(siren!));
    const now = () => new Date();
    await runStock(db, daysAgo(3), units, places, { now });
    const renamed = {
      siren: '310000003',
      periodesUniteLegale: [{ denominationUniteLegale: 'AIRS' }],
    };
    await runSirene(db, daysAgo(2), { 'a.ndjson': JSON.stringify(renamed) }, { now });
    const titled = new Intl.DateTimeFormat('fr', { dateStyle: 'long' }).format(
      new Date(daysAgo(1)),
    );
    units[0]!.denominationUniteLegale = 'AIRS';
    const files = Object.entries(makeStock(units, places, daysAgo(2))).map(([name, content]) => ({
      title: `Sirene : Fichier ${name.replace('_utf8.csv', '')} du ${titled}`,
      last_modified: daysAgo(1),
      file: name.replace('.csv', '.zip'),
      bytes: makeZip({ content: Buffer.from(content) }),
    }));
    const published = { newest: daysAgo(2), full: daysAgo(3) };
    const found = await queryFile(db.pool, 'import/find_published.sql', ['sirene']);
    expect(found).toEqual([published]);
    const catalogue = await startCatalogueStub(files);
    const token = 'key-of-insee';
    const stub = await startSireneStub({ token });
    const variables = {
      SIRENE_TOKEN: token,
      SIRENE_URL: stub.url,
      SIRENE_STOCK_URL: catalogue.url,
    };
    const command = await nightly(variables);
    expect(command.fetched).toEqual([`sirene ${daysAgo(1)} fetched`]);
    expect(JSON.stringify(stub.requests)).toContain(token);
    expect(JSON.stringify(catalogue.requests)).not.toContain(token);
    expect(command.runs).toEqual([`sirene ${daysAgo(1)} published`]);
    const { rows } = await db.pool.query(
      `select dump_kind, event_count::int from registry.run order by dump_date`,
    );
    expect(rows).toEqual([
      { dump_kind: 'full', event_count: 0 },
      { dump_kind: 'delta', event_count: 1 },
      { dump_kind: 'full', event_count: 0 },
    ]);
  });

  test('1 when a registry does not answer; what lies in the inbox is taken all the same', async () => {
    const stub = await startCeidgStub({ token: 'token' });
    stub.interfere(() => ({ status: 400 }));
    const command = await nightly({ CEIDG_TOKEN: 'token', CEIDG_URL: stub.url });
    expect(command.fetched).toEqual([`ceidg ${daysAgo(0)} failed`]);
    expect(command.runs).toEqual([]);
    expect(command.code).toBe(1);
    expect(existsSync(join(inbox, 'ceidg', daysAgo(0)))).toBe(false);
  });

  test('2 when no registry is set up', async () => {
    const command = await nightly({});
    expect(command.sentences()).toEqual([expect.stringContaining('No registry is set up')]);
    expect(command.code).toBe(2);
  });
});

test('of many companies those are found that are watched, by whichever number', async () => {
  const api = await startTestApi({ db: db.kysely });
  const nips = ['1000705505', '1000705907'];
  const regon = ['997142044', '997152054'].map((key, at) => legalPerson(key, nips[at]!, 'X'));
  const { settings } = await startRegistries({ regon });
  for (const nip of nips) await (await createSubmitter(db, api)).add('NIP', nip);
  await importDue({
    db,
    logger: pino({ level: 'silent' }),
    sources: await createOnDemandSources(settings, hasty),
    now: () => new Date(),
    signal: new AbortController().signal,
  });
  const findWatched = async (regons: string[]) => {
    const found = await queryFile<{ regon9: string }>(db.pool, 'import/find_watched.sql', [regons]);
    return found.map(({ regon9 }) => regon9);
  };
  expect(await findWatched(['999999999', '997152054'])).toEqual(['997152054']);
  expect(await findWatched(['997152054', '997142044'])).toEqual(['997142044', '997152054']);
  expect(await findWatched([])).toEqual([]);
});
