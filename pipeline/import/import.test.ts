import { describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../fixtures/registry/bir-entity.ts';
import { currentExtract } from '../../fixtures/registry/krs-stub.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import { runStock } from '../../fixtures/dump/sirene-night.ts';
import { makeEstablishment, makeUnit } from '../../fixtures/dump/sirene-stock.ts';
import { useImportWorld } from '../../fixtures/registry/import-world.ts';
import { startRegistries } from '../../fixtures/registry/registries.ts';
import { drawAnswers } from '../../fixtures/generator/sirene/delta.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { describeStatus, readStatus } from '../console/status.ts';
import { lockPublishing } from '../night/lock.ts';
import { verify } from '../night/verify.ts';

const company = legalPerson('997142044', '1000705505', 'ZMYŚLONA SPÓŁKA Z O.O.');
const person = naturalPerson('997152054', '1000705907', 'ZMYŚLONY', ['Ceidg', 'Rolnicza']);

const world = useImportWorld();

describe('a company that is asked for', () => {
  test('is ready, with all its entries, and the mail is left', async () => {
    const registries = await startRegistries({ regon: [company, person] });
    await world.submitter.add('NIP', '1000705505', '1000705907');
    await world.importFrom(registries);
    expect(await world.submitter.list()).toEqual([
      'NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.',
      expect.stringMatching(/^NIP 1000705907 ready "ZMYŚLONY"/),
    ]);
    expect(await world.submitter.mails()).toMatchObject([
      { created_at: world.now, data: { ready: [{}, {}], failed: [] } },
    ]);
    const rows = await world.read('select entry_key from registry.entry order by entry_key');
    expect(rows).toHaveLength(3);
    const runs = await world.read('select state, new_count, entry_count from registry.run');
    expect(runs).toEqual([{ state: 'imported', new_count: '0', entry_count: '3' }]);
    expect(await verify(world.database, 'regon')).toEqual([]);
    // An import on demand adds no day of statistics, no event and no row of a feed.
    for (const table of ['analyst.daily_stat', 'registry.event', 'customer.feed']) {
      expect(await world.read(`select from ${table}`)).toEqual([]);
    }
  });

  test('by its KRS number comes from KRS, else from REGON', async () => {
    const registries = await startRegistries({
      krs: { '0000000017': { register: 'P', current: currentExtract('0000000017', 'ALFA') } },
      regon: [],
    });
    await world.submitter.add('KRS', '0000000017');
    await world.importFrom(registries);
    expect(await world.submitter.list()).toEqual([
      expect.stringMatching(/^NIP 1000700502 ready ALFA$/),
    ]);
    expect(registries.regon.calls()).toEqual([]);
    expect(await verify(world.database, 'krs')).toEqual([]);
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
    await world.database.pool.query(
      `insert into customer.watch (account_id, identifier_type, identifier_value, state, created_at)
      select $1, type, value, 'queued', $2
      from unnest('{SIREN, SIRET, SIRET, SIRET}'::text[], $3::text[]) as awaited (type, value)`,
      [world.submitter.account_id, world.now, ['732829320', ...awaited]],
    );
    await world.importFrom(registries);
    const watches = await world.read('select identifier_value as value, state from customer.watch');
    const state = Object.fromEntries(watches.map((row) => [row.value, row.state])) as object;
    // Two of the submitted SIRETs belong to the head office and a closed establishment of one company, which is watched
    // once.
    expect(state).toMatchObject({ '732829320': 'failed', [neverIssued]: 'failed' });
    expect(Object.values(state).filter((each) => each === 'ready')).toHaveLength(1);
    const rows = await world.read(
      'select entry_key, status, jsonb_array_length(units) as units, closed_units from registry.entry',
    );
    expect(rows).toEqual([
      { entry_key: siren, status: 'ACTIVE', units: 1, closed_units: [closed] },
    ]);
    expect(await verify(world.database, 'sirene')).toEqual([]);
  });

  test('by the SIREN of a duplicate is the one that stays, and is found by both', async () => {
    const [unit, establishments] = drawAnswers();
    const [siren, duplicate] = [String(unit.siren), '732829320'];
    const sirene = { units: { [siren]: unit, [duplicate]: siren }, establishments };
    const registries = await startRegistries({ sirene });
    await world.submitter.add('SIREN', duplicate);
    await world.importFrom(registries);
    expect(await world.submitter.list()).toEqual([expect.stringMatching(`^SIREN ${siren} ready`)]);
    const rows = await world.read(
      `select entry_key, company_id = registry.find_company('SIREN', $1) as is_found
      from registry.entry`,
      [duplicate],
    );
    expect(rows).toEqual([{ entry_key: siren, is_found: true }]);
    expect(await verify(world.database, 'sirene')).toEqual([]);
    const stock = ['990300001', '990300002'];
    const seats = stock.map((one) => makeEstablishment(one));
    const units = stock.map((one) => makeUnit(one));
    await runStock(world.database, '2026-11-30', units, seats);
    const status = describeStatus(await readStatus(world.database, '2026-12-02'));
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
    await world.submitter.add('NIP', '1000705505', '1000705907', '1000201006');
    await world.importFrom(registries);
    expect(await world.submitter.list()).toEqual([
      'NIP 1000705505 ready ZMYŚLONY',
      expect.stringMatching(/^NIP 1000705907 ready "ZMYŚLONY"/),
      'NIP 1000201006 failed',
    ]);
    // Neither REGON nor CEIDG knows the third number. The import requests no number from CEIDG that REGON knows.
    const paths = registries.ceidg.requests.map(({ path }) => path);
    expect(paths.filter((path) => path.includes('1000705907'))).toEqual([]);
    expect(await world.submitter.mails()).toMatchObject([
      { data: { failed: [{ failure: { sentence: 'REGON does not know this number' } }] } },
    ]);
  });

  test('is asked for once, however many accounts await it, and not again', async () => {
    const registries = await startRegistries({ regon: [company] });
    const other = await createSubmitter(world.database, world.api);
    await world.submitter.add('NIP', '1000705505');
    await other.add('NIP', '100-070-55-05');
    await world.importFrom(registries);
    await world.importFrom(registries);
    const searches = registries.regon.calls().filter((call) => call.startsWith('DaneSzukaj'));
    expect(searches).toEqual(['DaneSzukajPodmioty 1000705505']);
    expect(await other.list()).toEqual(await world.submitter.list());
  });

  test('waits for the night that is under way', async () => {
    const registries = await startRegistries({ regon: [company] });
    await world.submitter.add('NIP', '1000705505');
    const night = await world.database.pool.connect();
    await lockPublishing(night, 'PL', () => undefined);
    const importing = world.importFrom(registries);
    await registries.regon.isAsked(({ body }) => body.includes('BIR12OsPrawnaPkd'));
    expect(await world.submitter.list()).toEqual(['NIP 1000705505 queued']);
    night.release(true);
    await importing;
    expect(await world.submitter.list()).toHaveLength(1);
    expect((await world.submitter.list())[0]).toMatch(/ready/);
  });

  test('that a night has brought meanwhile is asked for nowhere', async () => {
    const registries = await startRegistries({ regon: [] });
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000201006', '1000205004');
    // The update gives the watches the state that they have if a night is published while a client adds the companies.
    await world.database.pool.query(
      `update customer.watch set state = 'queued', company_id = null, ready_at = null`,
    );
    await world.importFrom(registries);
    expect(registries.regon.calls().join()).not.toContain('1000201006');
    expect(await world.submitter.list()).toEqual([
      expect.stringMatching(/^NIP 1000201006 ready/),
      'NIP 1000205004 failed',
    ]);
  });
});

describe('a company that cannot be had', () => {
  test('fails when the registry that would know it does not', async () => {
    const registries = await startRegistries({ regon: [company], krs: {} });
    await world.submitter.add('NIP', '1000705505', '1000201006');
    await world.submitter.add('KRS', '0000000025');
    await world.importFrom(registries);
    const failure = { code: 'unknown', sentence: 'REGON does not know this number' };
    expect(await world.submitter.mails()).toMatchObject([
      { data: { ready: [{}], failed: [{ identifier_value: '1000201006', failure }] } },
      { data: { failed: [{ failure: { sentence: 'KRS does not know this number' } }] } },
    ]);
  });

  test('waits for the next dumps when no registry is set up, or none has to know it', async () => {
    await world.submitter.add('NIP', '1000201006');
    await world.importFrom(await startRegistries({}));
    expect(await world.submitter.list()).toEqual(['NIP 1000201006 queued']);
    await runFixture(world.database, '2026-11-03');
    await world.submitter.add('NIP', '1001207005');
    const registries = await startRegistries({ ceidg: [] });
    await world.importFrom(registries);
    await world.importFrom(registries);
    expect((await world.submitter.list()).at(-1)).toBe('NIP 1001207005 queued');
    expect(registries.ceidg.requests).toHaveLength(1);
    // The number is requested again a day after the first request.
    world.now = new Date(world.now.getTime() + 24 * 60 * 60_000);
    await world.importFrom(registries);
    expect(registries.ceidg.requests).toHaveLength(2);
  });

  test('is asked for again later, five times in all, then it fails with the reason', async () => {
    const registries = await startRegistries({ regon: [company] });
    registries.regon.interfere(() => ({ status: 500 }));
    await world.submitter.add('NIP', '1000705505');
    const waits_min = [1, 5, 25, 125];
    for (const [at, wait_min] of waits_min.entries()) {
      await world.importFrom(registries);
      const rows = await world.read(
        'select attempt_count, last_error, next_attempt_at from customer.watch',
      );
      const next_attempt_at = new Date(world.now.getTime() + wait_min * 60_000);
      const last_error = 'REGON answers with HTTP 500';
      expect(rows).toEqual([{ attempt_count: at + 1, last_error, next_attempt_at }]);
      const asked = registries.regon.requests.length;
      world.now = new Date(world.now.getTime() + wait_min * 60_000 - 1);
      await world.importFrom(registries);
      expect(registries.regon.requests).toHaveLength(asked);
      world.now = new Date(world.now.getTime() + 1);
    }
    await world.importFrom(registries);
    expect(await world.submitter.mails()).toMatchObject([
      { data: { failed: [{ failure: { sentence: 'REGON could not be asked in 5 attempts' } }] } },
    ]);
    // After a client adds the failed number again, the number is requested at once.
    registries.regon.interfere(() => undefined);
    await world.submitter.add('NIP', '1000705505');
    await world.importFrom(registries);
    expect((await world.submitter.list())[0]).toMatch(/ready/);
  });
});

describe('the turns of accounts', () => {
  /** Creates an account that waits for `count` KRS numbers, which begin with `account_no`. */
  async function wait(account_no: number, count: number): Promise<string> {
    const { account_id } = await createAccount(world.database.kysely);
    await world.database.pool.query(
      `insert into customer.watch (account_id, identifier_type, identifier_value, state, created_at)
      select $1, 'KRS', to_char($2::integer * 1000 + number, 'FM0000000000'), 'queued', $3
      from generate_series(1, $4::integer) as number`,
      [account_id, account_no, world.now, count],
    );
    return account_id;
  }

  test('are one number each, so that nobody waits behind the numbers of others', async () => {
    const registries = await startRegistries({ regon: [] });
    await wait(1, 60);
    for (let account_no = 2; account_no <= 24; account_no += 1) await wait(account_no, 2);
    const buyer = await wait(25, 5);
    await world.database.pool.query(
      'update customer.wallet set total_purchased = 100 where account_id = $1',
      [buyer],
    );
    await world.importFrom(registries);
    const turns = registries.regon
      .calls()
      .flatMap((call) => /^DaneSzukajPodmioty (\d{7})/.exec(call)?.slice(1).map(Number) ?? []);
    expect(turns).toHaveLength(60 + 23 * 2 + 5);
    // Every second number is a buyer's, and account 25 is the only buyer. Four numbers are requested in parallel, in
    // any order.
    expect(turns.slice(0, 4)).toContain(25);
    expect(new Set(turns.slice(0, 32))).toEqual(
      new Set(Array.from({ length: 25 }, (_, at) => at + 1)),
    );
    expect(turns.slice(0, 32).filter((account_no) => account_no === 1).length).toBeLessThan(4);
    expect(new Set(turns.slice(-50))).toEqual(new Set([1]));
  });
});
