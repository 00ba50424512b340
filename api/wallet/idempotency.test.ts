import { beforeEach, describe, expect, test } from 'vitest';
import { refusal } from '../../fixtures/client/json-client.ts';
import { insertAccount } from '../../fixtures/client/bare-account.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { answerOnce, type Operation } from './idempotency.ts';
import { grant, readWallet } from './ledger.ts';

const now = new Date('2026-05-01T10:00:00Z');
const day_ms = 24 * 60 * 60 * 1000;

const database = await createTestDatabase();
let operation: Operation;
let runCount: number;

beforeEach(async () => {
  const account_id = await insertAccount(database.pool);
  operation = { account_id, name: 'snapshot', key: 'key-1', request: { value: 1 }, now };
  runCount = 0;
});

/** Grants one credit, and answers with the number of runs of the operation so far. */
function answer(changes: Partial<Operation> = {}) {
  const asked = { ...operation, ...changes };
  return answerOnce(database.kysely, asked, async (tx) => {
    runCount += 1;
    const run = runCount;
    await grant(tx, {
      account_id: asked.account_id,
      type: 'deposit',
      amount: 1,
      description: '',
      operation_key: `run ${run}`,
      now,
    });
    const { balance } = await readWallet(tx, asked.account_id);
    return { body: { zebra: run, balance, a: null }, headers: { 'X-Balance': String(balance) } };
  });
}

const first = { body: { zebra: 1, balance: 1, a: null }, headers: { 'X-Balance': '1' } };
const second = { body: { zebra: 2, balance: 2, a: null }, headers: { 'X-Balance': '2' } };

/** Returns the repeated form of an answer: with the header `Idempotency-Replayed: true`. */
function again(answered: typeof first) {
  return { ...answered, headers: { ...answered.headers, 'Idempotency-Replayed': 'true' } };
}

const reused = 'The Idempotency-Key header was used within 24 hours for another request.';

describe('answerOnce', () => {
  test('runs each time without a key', async () => {
    expect(await answer({ key: undefined })).toEqual(first);
    expect(await answer({ key: undefined })).toEqual(second);
  });

  test('gives the first answer again, to the letter', async () => {
    expect(await answer()).toEqual(first);
    const repeated = await answer();
    expect(repeated).toEqual(again(first));
    expect(JSON.stringify(repeated.body)).toBe('{"zebra":1,"balance":1,"a":null}');
    expect(runCount).toBe(1);
  });

  test('gives twenty requests at once the same answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer()));
    expect(new Set(answers.map((one) => JSON.stringify(one)))).toEqual(
      new Set([first, again(first)].map((one) => JSON.stringify(one))),
    );
    expect(runCount).toBe(1);
  });

  test('422 for another request', async () => {
    await answer();
    await expect(answer({ request: { value: 2 } })).rejects.toMatchObject(
      refusal('Idempotency-Key', reused),
    );
    expect(runCount).toBe(1);
  });

  test('keeps keys of operations and accounts apart', async () => {
    const account_id = await insertAccount(database.pool);
    expect(await answer()).toEqual(first);
    expect(await answer({ name: 'topup' })).toEqual(second);
    expect(await answer({ account_id })).toMatchObject({ body: { zebra: 3, balance: 1 } });
  });

  test('forgets after 24 hours', async () => {
    await answer();
    const lastMoment = new Date(now.getTime() + day_ms - 1);
    expect(await answer({ now: lastMoment })).toEqual(again(first));
    const later = new Date(now.getTime() + day_ms);
    expect(await answer({ now: later, request: { value: 2 } })).toEqual(second);
    expect(await answer({ now: later, request: { value: 2 } })).toEqual(again(second));
  });

  test('remembers no failure, nor its effects', async () => {
    const failing = answerOnce(database.kysely, operation, async (tx) => {
      const { account_id } = operation;
      const credit = { type: 'deposit', amount: 1, description: '', operation_key: 'x' } as const;
      await grant(tx, { account_id, ...credit, now });
      throw new Error('this run fails');
    });
    await expect(failing).rejects.toThrow('this run fails');
    expect(await answer({ request: { value: 2 } })).toEqual(first);
  });

  test('lets a waiting request run when the one it waits for fails', async () => {
    let waiting: ReturnType<typeof answer> | undefined;
    const failing = answerOnce(database.kysely, operation, () => {
      waiting = answer({ request: { value: 2 } });
      return Promise.reject(new Error('this run fails'));
    });
    await expect(failing).rejects.toThrow('this run fails');
    expect(await waiting).toEqual(first);
  });
});
