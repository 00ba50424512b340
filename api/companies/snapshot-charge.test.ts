import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../fixtures/client/json-client.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { createSearcher, readMovements } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { startDatabaseProxy } from '../../fixtures/database/database-proxy.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { connect } from '../../sql/connection/database.ts';
import { openKysely } from '../../sql/connection/kysely.ts';

const asked = { identifier_type: 'NIP', identifier_value: '1001401003' };
const other = { identifier_type: 'NIP', identifier_value: '1000201006' };
const paid = ['withdraw', 5, 195, 'Snapshot of NIP 1001401003'];
const bonus = ['start', 200, 200, 'Welcome bonus'];

const { database, api } = await useApi({}, createFirstDay);

describe('POST /api/v1/companies/snapshot', () => {
  test('200 keeps the wallets of several accounts apart', async () => {
    const searchers = await Promise.all([1, 2, 3].map(() => createSearcher(database.kysely, api)));
    const answers = await Promise.all(
      searchers.flatMap((searcher) => Array.from({ length: 20 }, () => searcher.snapshot(asked))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { account_id } of searchers) {
      const movements = await readMovements(database.kysely, account_id);
      expect([movements.length, movements.at(-1)?.[2]]).toEqual([21, 100]);
    }
  });

  test('200 exactly as often as there are credits, whatever comes at once', async () => {
    const searcher = await createSearcher(database.kysely, api);
    const answers = await Promise.all(Array.from({ length: 200 }, () => searcher.snapshot(asked)));
    const answered = answers.filter(({ status }) => status === 200);
    expect(answered).toHaveLength(40);
    expect(answered.map(({ balance }) => Number(balance)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, at) => at * 5),
    );
    for (const { status, body } of answers.filter((one) => one.status !== 200)) {
      expect([status, body]).toMatchObject([402, { required: 5, balance: 0 }]);
    }
    const movements = await readMovements(database.kysely, searcher.account_id);
    expect(movements.slice(0, 2)).toEqual([bonus, paid]);
    expect(movements).toHaveLength(41);
  });

  test('503 for what waits for the wallet until its deadline, and no charge without a 200', async () => {
    const applicationName = 'locked wallet';
    const patient = {
      DATABASE_URL: database.url,
      DATA_DIR: '',
      applicationName,
      patience_ms: 1_000,
    };
    const slow = await connect(patient);
    const hasty = await startTestApi({ db: openKysely(slow.pool), deadline_ms: 1_300 });
    const searcher = await createSearcher(database.kysely, hasty, 1_000);
    const release = await hold(database.pool, 'lock table customer.wallet in exclusive mode');
    const asking = Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        // The requests are sent in six waves, so that some statements begin shortly before the lock ends.
        await delay(300 * (at % 6));
        if (at % 4 === 0) return searcher.search('?city=Wrocław');
        return searcher.snapshot(asked, at % 25 === 1 ? { 'Idempotency-Key': `order-${at}` } : {});
      }),
    );
    await delay(1_900);
    await release();
    const answers = await asking;
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toContain(503);
    expect([200, 503]).toEqual(expect.arrayContaining([...statuses]));
    const isBusy = `select from pg_stat_activity where application_name = $1 and state <> 'idle'`;
    while ((await database.pool.query(isBusy, [applicationName])).rowCount! > 0) await delay(20);
    const paidFor = answers.flatMap(({ status, charged }) =>
      status === 200 ? [Number(charged)] : [],
    );
    const taken = (await readMovements(database.kysely, searcher.account_id)).slice(2);
    const sorted = (amounts: unknown[]) => amounts.map(Number).toSorted((a, b) => a - b);
    expect(sorted(taken.map(([, amount]) => amount))).toEqual(sorted(paidFor));
    await slow.close();
  });

  test('503 without a charge for what gets the wallet shortly before its deadline', async () => {
    const hasty = await startTestApi({ db: database.kysely, deadline_ms: 900 });
    const searcher = await createSearcher(database.kysely, hasty);
    const { account_id } = searcher;
    const lock = 'select from customer.wallet where account_id = $1 for update';
    const release = await hold(database.pool, lock, [account_id]);
    const asking = searcher.snapshot(asked);
    const isWaiting = `select from pg_locks where locktype = 'transactionid' and not granted`;
    while ((await database.pool.query(isWaiting)).rowCount === 0) await delay(10);
    await delay(700);
    await release();
    expect((await asking).status).toBe(503);
    expect(await readMovements(database.kysely, account_id)).toEqual([bonus]);
  });

  test('503 gives back what a commit charged whose connection was lost', async () => {
    const proxy = await startDatabaseProxy(database.url);
    const cut = {
      DATABASE_URL: proxy.url,
      DATA_DIR: '',
      applicationName: 'cut',
      patience_ms: 8_000,
    };
    const far = await connect(cut);
    const own = await startTestApi({ db: openKysely(far.pool) });
    const searcher = await createSearcher(database.kysely, own);
    expect((await searcher.snapshot(asked)).status).toBe(200);
    // The trigger makes the commit of a charge take one second. The server does not check during the commit whether its
    // client is still connected.
    await database.pool.query(`
      create function wait_at_commit() returns trigger language plpgsql
      set client_connection_check_interval = 0
      as $$ begin perform pg_sleep(1); return null; end $$;
      create constraint trigger wait after insert on customer.wallet_transaction
      deferrable initially deferred for each row
      when (new.type = 'withdraw') execute function wait_at_commit()`);
    const asking = searcher.snapshot(asked);
    const isCommitting = `select from pg_stat_activity
      where application_name = 'cut' and wait_event = 'PgSleep'`;
    while ((await database.pool.query(isCommitting)).rowCount === 0) await delay(20);
    await proxy.cut();
    expect((await asking).status).toBe(503);
    await database.pool.query('drop function wait_at_commit cascade');
    await proxy.mend();
    const returned = ['deposit', 5, 195, 'Not answered: Snapshot of NIP 1001401003'];
    const movements = () => readMovements(database.kysely, searcher.account_id);
    while ((await movements()).length < 4) await delay(50);
    const charged = ['withdraw', 5, 190, 'Snapshot of NIP 1001401003'];
    expect(await movements()).toEqual([bonus, paid, charged, returned]);
    expect((await searcher.snapshot(asked)).balance).toBe('190');
    await far.close();
    await proxy.close();
  });

  test('200 once for each key, also at once, and for each key again the same', async () => {
    const searcher = await createSearcher(database.kysely, api);
    const headers = { 'Idempotency-Key': 'order-1' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => searcher.snapshot(asked, headers)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200, charged: '5', balance: '195' });
    expect(await readMovements(database.kysely, searcher.account_id)).toEqual([bonus, paid]);

    const message = 'The Idempotency-Key header was used within 24 hours for another request.';
    expect(await searcher.snapshot(other, headers)).toMatchObject(
      refusal('Idempotency-Key', message),
    );
    expect(await searcher.snapshot(asked, { 'Idempotency-Key': 'order-2' })).toMatchObject({
      status: 200,
      balance: '190',
    });
  });

  test('404 and 402 leave the key free; 422 for a malformed key', async () => {
    const searcher = await createSearcher(database.kysely, api);
    const headers = { 'Idempotency-Key': 'order-1' };
    const unknown = { identifier_type: 'NIP', identifier_value: '5260250274' };
    expect((await searcher.snapshot(unknown, headers)).status).toBe(404);
    const dear = await startTestApi({ db: database.kysely, SNAPSHOT_CREDITS: 201 });
    const poor = await createSearcher(database.kysely, dear);
    expect(await poor.snapshot(asked, headers)).toMatchObject({ status: 402, charged: '0' });
    expect((await searcher.snapshot(asked, headers)).status).toBe(200);
    const malformed = await searcher.snapshot(asked, { 'Idempotency-Key': 'order 1' });
    expect([malformed.status, malformed.charged]).toEqual([422, null]);
  });

  test('304 for a snapshot that is known, free of charge, until a night changes it', async () => {
    const searcher = await createSearcher(database.kysely, api);
    const { etag } = await searcher.snapshot(asked);
    for (const known of [etag!, `"another", ${etag!}`, etag!.slice(2), '*']) {
      expect(await searcher.snapshot(asked, { 'If-None-Match': known })).toEqual({
        status: 304,
        body: '',
        charged: '0',
        balance: '195',
        etag,
      });
    }
    expect((await searcher.snapshot(other, { 'If-None-Match': etag! })).status).toBe(200);
    // A changed line number in the dump leaves the ETag of a snapshot as it is, because the content of the snapshot is
    // equal.
    await database.pool.query('update registry.entry set said_line = 77');
    expect((await searcher.snapshot(asked, { 'If-None-Match': etag! })).status).toBe(304);
    // The phone changes.
    await runFixture(database, '2026-11-03');
    const changed = await searcher.snapshot(asked, { 'If-None-Match': etag! });
    expect(changed).toMatchObject({ status: 200, charged: '5', balance: '185' });
    expect(changed.etag).not.toBe(etag);
    expect(await readMovements(database.kysely, searcher.account_id)).toHaveLength(4);
  });

  test('200 without a transaction where it is free', async () => {
    const free = await startTestApi({ db: database.kysely, SNAPSHOT_CREDITS: 0 });
    const searcher = await createSearcher(database.kysely, free);
    for (const headers of [{}, { 'Idempotency-Key': 'order-1' }]) {
      const free_of_charge = { status: 200, charged: '0', balance: '200' };
      expect(await searcher.snapshot(asked, headers)).toMatchObject(free_of_charge);
    }
    expect(await readMovements(database.kysely, searcher.account_id)).toEqual([bonus]);
  });
});
