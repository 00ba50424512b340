import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { views } from '../../api/downloads/views.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createSearcher, type Searcher } from '../../fixtures/client/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createWatch } from '../../fixtures/client/watch.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runStock } from '../../fixtures/dump/sirene-night.ts';
import {
  makeEstablishment,
  makeUnit,
  type StockRow,
  withheldPlace,
  withheldUnit,
} from '../../fixtures/dump/sirene-stock.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { verify } from './verify.ts';

const [person, company, neighbour] = ['990100001', '990100019', '990100027'] as const;

const woman: StockRow = {
  categorieJuridiqueUniteLegale: '1000',
  denominationUniteLegale: '',
  sexeUniteLegale: 'F',
  prenom1UniteLegale: 'ZEPHIRINE',
  prenomUsuelUniteLegale: 'ZEPHIRINE',
  nomUniteLegale: 'QUINQUEMPOIX',
};
const home: StockRow = { libelleVoieEtablissement: 'DES OUBLIETTES' };

let db: TestDatabase;
let api: TestApi;
let token: string;
let searcher: Searcher;

beforeAll(async () => {
  db = await createTestDatabase();
  api = await startTestApi({ db: db.kysely });
  searcher = await createSearcher(db.kysely, api, 100);
});

afterAll(async () => {
  await api.close();
  await db.drop();
});

/** The night over a person, a company with a branch, and a neighbour. */
function run(date: string, unit: StockRow, seat: StockRow, more: { branch?: StockRow } = {}) {
  const units = [makeUnit(person, unit), makeUnit(company), makeUnit(neighbour)];
  const establishments = [
    makeEstablishment(person, '00012', seat),
    makeEstablishment(company),
    makeEstablishment(company, '00020', { enseigne1Etablissement: 'AU QUAI', ...more.branch }),
    makeEstablishment(neighbour),
  ];
  return runStock(db, date, units, establishments);
}

/** How many companies a search finds by each of some names. */
const findByName = (...names: string[]) =>
  Promise.all(
    names.map(async (name) => {
      const { body } = await searcher.search(`?country=FR&name=${name}`);
      return (body as { data: { total: number } }).data.total;
    }),
  );

async function readFeed(scope: string): Promise<string[]> {
  const route = `GET /events/feed?scope=${scope}&country=FR`;
  const { body } = await askJson(api, route, { token });
  return (body as { data: Record<string, string>[] }).data.map(
    (event) => `${event.primary_identifier} ${event.event_type}`,
  );
}

async function readNames(): Promise<object[]> {
  const { rows } = await db.pool.query<object>(
    `select entry_key as siren, entry.name, entry.status, company.name as listed, entry.city, entry.street
     from registry.entry join registry.company using (company_id) order by entry_key`,
  );
  return rows;
}

describe('an owner who objects to be found', () => {
  test('is told of until then, in events and mails too', async () => {
    await run('2026-09-30', woman, home);
    const account = await createAccount(db.kysely);
    token = account.master_token;
    const { rows } = await db.pool.query<{ company_id: string }>(
      'select company_id from registry.entry',
    );
    for (const { company_id } of rows) {
      await createWatch(db.kysely, { account_id: account.account_id, company_id });
    }
    const body = { alerts_enabled: true, notify_via_email: true, alert_min_severity: 'info' };
    await askJson(api, 'PATCH /watchlist/alerts', { token, body });
    const married = { ...woman, nomUsageUniteLegale: 'QUINQUEMPOIX-LE BIHAN' };
    const moved = { ...home, numeroVoieEtablissement: '9' };
    await run('2026-10-31', married, moved, { branch: { libelleVoieEtablissement: 'DU PORT' } });
    expect(await readEvents(db, '2026-10-31')).toEqual([
      `${person} COMPANY_ADDRESS_CHANGED: RUE DES OUBLIETTES 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes → RUE DES OUBLIETTES 9, 69003 LYON 3EME, Auvergne-Rhône-Alpes`,
      `${person} COMPANY_NAME_CHANGED: ZEPHIRINE QUINQUEMPOIX → ZEPHIRINE QUINQUEMPOIX-LE BIHAN`,
      `${company} COMPANY_UNIT_CHANGED: ${company}00020 AU QUAI, RUE DES LILAS 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes → ${company}00020 AU QUAI, RUE DU PORT 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes`,
    ]);
    const found = await findClearText(db, '', ['quinquempoix', 'oubliettes', 'du port']);
    expect(found).toEqual(expect.arrayContaining(['customer.mail', 'registry.event']));
    expect(await findByName('quinquempoix', 'zephirine', 'atelier')).toEqual([1, 1, 2]);
    expect(await readFeed('all')).toEqual(await readFeed('watched'));
  });

  test('leaves every table when the mark comes, without an event', async () => {
    const branch = { ...withheldPlace, libelleCommuneEtablissement: 'LYON 3EME' };
    await run('2026-11-01', { ...woman, ...withheldUnit }, withheldPlace, { branch });
    expect(await readEvents(db, '2026-11-01')).toEqual([]);
    expect(await readEvents(db, '2026-10-31')).toEqual([
      `${person} COMPANY_ADDRESS_CHANGED:  → `,
      `${person} COMPANY_NAME_CHANGED:  → `,
      `${company} COMPANY_UNIT_CHANGED:  → `,
    ]);
    expect(await findClearText(db, '', ['quinquempoix', 'oubliettes', 'du port'])).toEqual([]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('keeps number, commune and status, and is in no list by name', async () => {
    expect(await readNames()).toEqual([
      {
        siren: person,
        name: null,
        status: 'ACTIVE',
        listed: null,
        city: 'LYON 3EME',
        street: null,
      },
      {
        siren: company,
        name: `ATELIER ${company}`,
        status: 'ACTIVE',
        listed: `ATELIER ${company}`,
        city: 'LYON 3EME',
        street: 'RUE DES LILAS',
      },
      {
        siren: neighbour,
        name: `ATELIER ${neighbour}`,
        status: 'ACTIVE',
        listed: `ATELIER ${neighbour}`,
        city: 'LYON 3EME',
        street: 'RUE DES LILAS',
      },
    ]);
    expect(await findByName('quinquempoix', 'zephirine', 'atelier')).toEqual([0, 0, 2]);
  });

  test.each([
    ['entry', [company, neighbour]],
    ['company', [company, neighbour]],
    ['event', [company]],
  ])('is not in the export of %s', async (view, sirens) => {
    const { stdout } = await runCommand(['export', view, '--format', 'csv'], {
      DATABASE_URL: db.url,
    });
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(rows.map(({ siren }) => String(siren)).toSorted()).toEqual(sirens);
  });

  test('is in no download, as no company is', async () => {
    for (const { view } of views) {
      const response = await api.ask(`/downloads/2026-11-01/${view}.csv?country=FR`);
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/\b(siren|company_id|entry_id|99010\d{4})\b/);
    }
  });

  test('is in the feed of those who watch it, and not in that of the registry', async () => {
    const told = [
      `${person} COMPANY_ADDRESS_CHANGED`,
      `${person} COMPANY_NAME_CHANGED`,
      `${company} COMPANY_UNIT_CHANGED`,
    ];
    expect((await readFeed('watched')).toSorted()).toEqual(told);
    expect(await readFeed('all')).toEqual([told[2]]);
    // A part of one event is whole, has none after it, and the next one is empty.
    const route = 'GET /events/feed?scope=all&country=FR&limit=1';
    const { body } = await askJson(api, route, { token });
    expect(body).toMatchObject({
      data: [{ primary_identifier: company }],
      meta: { has_more: false },
    });
    const { next_cursor } = (body as { meta: { next_cursor: string } }).meta;
    expect(await askJson(api, `${route}&after=${next_cursor}`, { token })).toMatchObject({
      status: 200,
      body: { data: [], meta: { next_cursor, has_more: false } },
    });
  });

  test('still closes, and comes back without an event', async () => {
    const closed = { etatAdministratifUniteLegale: 'C', dateDebut: '2026-11-02' };
    await run('2026-11-03', { ...woman, ...withheldUnit, ...closed }, withheldPlace);
    expect(await readEvents(db, '2026-11-03')).toEqual([
      `${person} COMPANY_CLOSED_DATE:  → 2026-11-02`,
    ]);
    await run('2026-11-04', { ...woman, ...closed }, home);
    expect(await readEvents(db, '2026-11-04')).toEqual([]);
    const [{ name, listed }] = (await readNames()) as [{ name: string; listed: string }];
    expect({ name, listed }).toEqual({
      name: 'ZEPHIRINE QUINQUEMPOIX',
      listed: 'ZEPHIRINE QUINQUEMPOIX',
    });
    expect(await verify(db, 'sirene')).toEqual([]);
  });
});

test('a legal person that objects keeps its name in its profile, and loses it in lists', async () => {
  const units = [makeUnit(company, { statutDiffusionUniteLegale: 'P', sigleUniteLegale: '[ND]' })];
  const other = await createTestDatabase();
  try {
    await runStock(other, '2026-09-30', units, [
      makeEstablishment(company, '00012', withheldPlace),
    ]);
    const { rows } = await other.pool.query(
      'select entry.name, company.name as listed from registry.entry join registry.company using (company_id)',
    );
    expect(rows).toEqual([{ name: `ATELIER ${company}`, listed: null }]);
  } finally {
    await other.drop();
  }
});
