import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../fixtures/registry/bir-entity.ts';
import { hasty } from '../../fixtures/registry/fetching.ts';
import { currentExtract } from '../../fixtures/registry/krs-stub.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import { runStock } from '../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeUnit } from '../../fixtures/dump/sirene-stock.ts';
import { type Registries, startRegistries } from '../../fixtures/registry/registries.ts';
import { drawAnswers } from '../../fixtures/generator/sirene/delta.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { describeStatus, readStatus } from '../console/status.ts';
import { lockPublishing } from '../night/lock.ts';
import { verify } from '../night/verify.ts';
import { importAwaited } from './import.ts';
import { createOnDemandSources } from './services.ts';

const company = legalPerson('997142044', '1000705505', 'ZMYŚLONA SPÓŁKA Z O.O.');
const person = naturalPerson('997152054', '1000705907', 'ZMYŚLONY', ['Ceidg', 'Rolnicza']);

let database: TestDatabase;
let api: TestApi;
let submitter: Submitter;
let now: Date;

beforeEach(async () => {
  database = await createTestDatabase();
  now = new Date('2026-11-20T10:05:00Z');
  api = await startTestApi({ db: database.kysely, now: () => now });
  submitter = await createSubmitter(database, api);
});

afterEach(async () => {
  await api.close();
  await database.drop();
});

function importNow({ settings }: Registries): Promise<void> {
  return importAwaited({
    db: database,
    logger: pino({ level: 'silent' }),
    sources: createOnDemandSources(settings, hasty),
    now: () => now,
    signal: new AbortController().signal,
  });
}

async function runs(): Promise<string[]> {
  const { rows } = await database.pool.query<{ run: string }>(
    `select concat_ws(' ', source, dump_date, state, new_count, entry_count) as run
    from registry.run order by run_id`,
  );
  return rows.map(({ run }) => run);
}

describe('a company that is asked for', () => {
  test('is ready, with all its entries, and the mail is left', async () => {
    const registries = await startRegistries({ regon: [company, person] });
    await submitter.add('NIP', '1000705505', '1000705907');
    await importNow(registries);
    expect(await submitter.list()).toEqual([
      'NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.',
      expect.stringMatching(/^NIP 1000705907 ready "ZMYŚLONY"/),
    ]);
    expect(await submitter.mails()).toMatchObject([
      { created_at: now, data: { ready: [{}, {}], failed: [] } },
    ]);
    const { rows } = await database.pool.query(
      'select entry_key from registry.entry order by entry_key',
    );
    expect(rows).toHaveLength(3);
    expect(await runs()).toEqual(['regon 2026-11-20 imported 0 3']);
    expect(await verify(database, 'regon')).toEqual([]);
    // No day of statistics, no event.
    for (const table of ['registry.daily_stat', 'registry.event', 'customer.feed']) {
      expect((await database.pool.query(`select from ${table}`)).rowCount).toBe(0);
    }
  });

  test('by its KRS number comes from KRS, else from REGON', async () => {
    const registries = await startRegistries({
      krs: { '0000000017': { register: 'P', current: currentExtract('0000000017', 'ALFA') } },
      regon: [],
    });
    await submitter.add('KRS', '0000000017');
    await importNow(registries);
    expect(await submitter.list()).toEqual([expect.stringMatching(/^NIP 1000700502 ready ALFA$/)]);
    expect(registries.regon.calls()).toEqual([]);
    expect(await verify(database, 'krs')).toEqual([]);
  });

  test('by its SIREN, or the SIRET of an establishment, comes from SIRENE', async () => {
    const [unit, establishments] = drawAnswers();
    const siren = String(unit.siren);
    const numbers = ['00087', '00095', '00103'].map((nic) => siren + nic);
    const [closed, closedToo, neverIssued] = numbers as [string, string, string];
    const period = (letter: string, dateDebut: string, dateFin: string | null) => ({
      dateFin,
      dateDebut,
      etatAdministratifEtablissement: letter,
    });
    const ended = [period('F', '2024-01-01', null), period('A', '2019-03-01', '2023-12-31')];
    const others = [closed, closedToo].map((siret) => {
      const place = { siret, nic: siret.slice(9), etablissementSiege: false };
      return { ...establishments[0]!, ...place, periodesEtablissement: ended };
    });
    const sirene = { units: { [siren]: unit }, establishments: [...establishments, ...others] };
    const registries = await startRegistries({ sirene });
    const awaited = [establishments[0]!.siret, closed, neverIssued];
    await database.pool.query(
      `insert into customer.watch (account_id, identifier_type, identifier_value, state, created_at)
      select $1, type, value, 'queued', $2
      from unnest('{SIREN, SIRET, SIRET, SIRET}'::text[], $3::text[]) as awaited (type, value)`,
      [submitter.account_id, now, ['732829320', ...awaited]],
    );
    await importNow(registries);
    const watches = await database.pool.query(
      'select distinct identifier_value as value, state from customer.watch',
    );
    const state = Object.fromEntries(watches.rows.map((row) => [row.value, row.state]));
    // The head office and a closed establishment are one company, which is watched once.
    expect(state['732829320']).toBe('failed');
    expect(state[neverIssued]).toBe('failed');
    expect(Object.values(state).filter((each) => each === 'ready')).toHaveLength(1);
    const { rows } = await database.pool.query(
      'select entry_key, status, jsonb_array_length(units) as units, closed_units from registry.entry',
    );
    expect(rows).toEqual([
      { entry_key: siren, status: 'ACTIVE', units: 1, closed_units: [closed] },
    ]);
    expect(await verify(database, 'sirene')).toEqual([]);
  });

  test('by the SIREN of a duplicate is the one that stays, and is found by both', async () => {
    const [unit, establishments] = drawAnswers();
    const [siren, duplicate] = [String(unit.siren), '732829320'];
    const sirene = { units: { [siren]: unit, [duplicate]: siren }, establishments };
    const registries = await startRegistries({ sirene });
    await submitter.add('SIREN', duplicate);
    await importNow(registries);
    expect(await submitter.list()).toEqual([expect.stringMatching(`^SIREN ${siren} ready`)]);
    const { rows } = await database.pool.query(
      `select entry_key, company_id = registry.find_company('SIREN', $1) as is_found
      from registry.entry`,
      [duplicate],
    );
    expect(rows).toEqual([{ entry_key: siren, is_found: true }]);
    expect(await verify(database, 'sirene')).toEqual([]);
    const stock = ['990300001', '990300002'];
    const seats = stock.map((one) => makeEstablishment(one));
    const units = stock.map((one) => makeUnit(one));
    await runStock(database, '2026-11-30', units, seats);
    const status = describeStatus(await readStatus(database, '2026-12-02'));
    expect(status).toMatch(/^ {2}sirene {3}2026-11-30 {2}2 days old {2}2 entries {2}1 duplicate$/m);
  });

  test('comes from CEIDG, where REGON does not know it, before any dump of CEIDG', async () => {
    const entry = {
      nazwa: 'ZMYŚLONY',
      wlasciciel: { imie: 'Jan', nazwisko: 'Zmyślony', nip: '1000705505', regon: '997142044' },
      status: 'AKTYWNY',
      dataRozpoczecia: '2026-11-19',
    };
    const registries = await startRegistries({ regon: [person], ceidg: [entry] });
    await submitter.add('NIP', '1000705505', '1000705907', '1000201006');
    await importNow(registries);
    expect(await submitter.list()).toEqual([
      'NIP 1000705505 ready ZMYŚLONY',
      expect.stringMatching(/^NIP 1000705907 ready "ZMYŚLONY"/),
      'NIP 1000201006 failed',
    ]);
    // Neither knows the third number, and CEIDG is not asked for what REGON knows.
    const paths = registries.ceidg.requests.map(({ path }) => path);
    expect(paths.filter((path) => path.includes('1000705907'))).toEqual([]);
    expect(await submitter.mails()).toMatchObject([
      { data: { failed: [{ failure: { sentence: 'REGON does not know this number' } }] } },
    ]);
  });

  test('is asked for once, however many accounts await it, and not again', async () => {
    const registries = await startRegistries({ regon: [company] });
    const other = await createSubmitter(database, api);
    await submitter.add('NIP', '1000705505');
    await other.add('NIP', '100-070-55-05');
    await importNow(registries);
    await importNow(registries);
    const searches = registries.regon.calls().filter((call) => call.startsWith('DaneSzukaj'));
    expect(searches).toEqual(['DaneSzukajPodmioty 1000705505']);
    expect(await other.list()).toEqual(await submitter.list());
  });

  test('waits for the night that is under way', async () => {
    const registries = await startRegistries({ regon: [company] });
    await submitter.add('NIP', '1000705505');
    const night = await database.pool.connect();
    await lockPublishing(night, 'PL', () => undefined);
    const importing = importNow(registries);
    await registries.regon.isAsked(({ body }) => body.includes('BIR12OsPrawnaPkd'));
    expect(await submitter.list()).toEqual(['NIP 1000705505 queued']);
    night.release(true);
    await importing;
    expect(await submitter.list()).toHaveLength(1);
    expect((await submitter.list())[0]).toMatch(/ready/);
  });

  test('that a night has brought meanwhile is asked for nowhere', async () => {
    const registries = await startRegistries({ regon: [] });
    await runFixture(database, '2026-11-02');
    await submitter.add('NIP', '1000201006', '1000205004');
    // As it is when a night is published while a company is being added.
    await database.pool.query(
      `update customer.watch set state = 'queued', company_id = null, ready_at = null`,
    );
    await importNow(registries);
    expect(registries.regon.calls().join()).not.toContain('1000201006');
    expect(await submitter.list()).toEqual([
      expect.stringMatching(/^NIP 1000201006 ready/),
      'NIP 1000205004 failed',
    ]);
  });
});

describe('a company that cannot be had', () => {
  test('fails when the registry that would know it does not', async () => {
    const registries = await startRegistries({ regon: [company], krs: {} });
    await submitter.add('NIP', '1000705505', '1000201006');
    await submitter.add('KRS', '0000000025');
    await importNow(registries);
    const failure = { code: 'unknown', sentence: 'REGON does not know this number' };
    expect(await submitter.mails()).toMatchObject([
      { data: { ready: [{}], failed: [{ identifier_value: '1000201006', failure }] } },
      { data: { failed: [{ failure: { sentence: 'KRS does not know this number' } }] } },
    ]);
  });

  test('waits for the next dumps when no registry is set up, or none has to know it', async () => {
    await submitter.add('NIP', '1000201006');
    await importNow(await startRegistries({}));
    expect(await submitter.list()).toEqual(['NIP 1000201006 queued']);
    await runFixture(database, '2026-11-03');
    await submitter.add('NIP', '1001207005');
    const registries = await startRegistries({ ceidg: [] });
    await importNow(registries);
    await importNow(registries);
    expect((await submitter.list()).at(-1)).toBe('NIP 1001207005 queued');
    expect(registries.ceidg.requests).toHaveLength(1);
    // A day later it is looked for once more.
    now = new Date(now.getTime() + 24 * 60 * 60_000);
    await importNow(registries);
    expect(registries.ceidg.requests).toHaveLength(2);
  });

  test('is asked for again later, five times in all, then it fails with the reason', async () => {
    const registries = await startRegistries({ regon: [company] });
    registries.regon.interfere(() => ({ status: 500 }));
    await submitter.add('NIP', '1000705505');
    const waits_min = [1, 5, 25, 125];
    for (const [at, wait_min] of waits_min.entries()) {
      await importNow(registries);
      const { rows } = await database.pool.query(
        `select identifier_type, identifier_value, attempt_count, last_error, next_attempt_at
        from customer.watch`,
      );
      expect(rows).toEqual([
        {
          identifier_type: 'NIP',
          identifier_value: '1000705505',
          attempt_count: at + 1,
          last_error: 'REGON answers with HTTP 500',
          next_attempt_at: new Date(now.getTime() + wait_min * 60_000),
        },
      ]);
      const asked = registries.regon.requests.length;
      now = new Date(now.getTime() + wait_min * 60_000 - 1);
      await importNow(registries);
      expect(registries.regon.requests).toHaveLength(asked);
      now = new Date(now.getTime() + 1);
    }
    await importNow(registries);
    expect(await submitter.mails()).toMatchObject([
      { data: { failed: [{ failure: { sentence: 'REGON could not be asked in 5 attempts' } }] } },
    ]);
    // Asked for anew, it is asked for at once.
    registries.regon.interfere(() => undefined);
    await submitter.add('NIP', '1000705505');
    await importNow(registries);
    expect((await submitter.list())[0]).toMatch(/ready/);
  });
});

describe('the turns of accounts', () => {
  /** Has somebody wait for some KRS numbers that begin with the number of the account. */
  async function wait(account_no: number, count: number): Promise<string> {
    const { account_id } = await createAccount(database.kysely);
    await database.pool.query(
      `insert into customer.watch (account_id, identifier_type, identifier_value, state, created_at)
      select $1, 'KRS', to_char($2::integer * 1000 + number, 'FM0000000000'), 'queued', $3
      from generate_series(1, $4::integer) as number`,
      [account_id, account_no, now, count],
    );
    return account_id;
  }

  test('are one number each, so that nobody waits behind the numbers of others', async () => {
    const registries = await startRegistries({ regon: [] });
    await wait(1, 60);
    for (let account_no = 2; account_no <= 24; account_no += 1) await wait(account_no, 2);
    const buyer = await wait(25, 5);
    await database.pool.query(
      'update customer.wallet set total_purchased = 100 where account_id = $1',
      [buyer],
    );
    await importNow(registries);
    const turns = registries.regon
      .calls()
      .flatMap((call) => /^DaneSzukajPodmioty (\d{7})/.exec(call)?.slice(1).map(Number) ?? []);
    expect(turns).toHaveLength(60 + 23 * 2 + 5);
    // In parallel, four at a time, so that neighbours may change places.
    expect(turns.slice(0, 4)).toContain(25);
    expect(new Set(turns.slice(0, 32))).toEqual(
      new Set(Array.from({ length: 25 }, (_, at) => at + 1)),
    );
    expect(turns.slice(0, 32).filter((account_no) => account_no === 1).length).toBeLessThan(4);
    expect(new Set(turns.slice(-50))).toEqual(new Set([1]));
  });
});
