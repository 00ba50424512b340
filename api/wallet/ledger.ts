import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { sql } from 'kysely';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import {
  holdAnswer,
  HttpError,
  isTooLateToCharge,
  releaseAnswer,
  unavailable,
} from '../http/errors.ts';

export interface Movement {
  account_id: string;
  /** Whole credits, at least 1. */
  amount: number;
  /** The text that the owner of the account sees. */
  description: string;
  /** Identifies the cause, such as a payment or a request; unique per account. */
  operation_key: string;
  now: Date;
}

/**
 * Adds credits to the wallet, creates the wallet if there is none, and writes the transaction. Throws
 * the unique violation of `wallet_transaction_operation_key` when the operation was done before.
 * `start` is the welcome bonus. A `deposit` counts in `total_purchased`, unless `purchased` says less.
 */
export async function grant(
  tx: Tx,
  movement: Movement & { type: 'deposit' | 'start'; purchased?: number },
) {
  const { account_id, amount, type, description, operation_key, now } = movement;
  const { purchased = type === 'deposit' ? amount : 0 } = movement;
  await sql`
    with credited as (
        insert into customer.wallet as wallet (
            account_id, balance, total_purchased, last_transaction_no
        )
        values (${account_id}, ${amount}, ${purchased}, 1)
        on conflict (account_id) do update set
            balance = wallet.balance + excluded.balance,
            total_purchased = wallet.total_purchased + excluded.total_purchased,
            last_transaction_no = wallet.last_transaction_no + 1
        returning account_id, balance, last_transaction_no
    )
    insert into customer.wallet_transaction (
        account_id, transaction_no, type, amount, balance_before, balance_after, description,
        operation_key, created_at
    )
    select
        account_id, last_transaction_no, ${type}, ${amount}, balance - ${amount}, balance,
        ${description}, ${operation_key}, ${now}
    from credited
  `.execute(tx);
}

/** A withdrawal, and the answer that it pays, if any. */
interface Charge extends Movement {
  response?: Response;
}

/**
 * Withdraws credits for a request and writes the transaction. Waits for other movements of the account.
 * When the credits are short, withdraws nothing and throws the 402 with `required` and `balance`. An
 * answer that is given up gets a 503.
 *
 * @returns the balance
 */
export async function charge(tx: Tx, asked: Charge): Promise<number> {
  for (;;) {
    await lockWallet(tx, asked.account_id);
    if (asked.response && isTooLateToCharge(asked.response)) throw unavailable();
    const balance = (await withdraw(tx, [asked])).get(asked.operation_key);
    if (balance !== undefined) return balance;
    const short = await readBalance(tx, asked.account_id);
    // Otherwise credits arrived between the two statements, or the answer was given up meanwhile.
    if (short < asked.amount) throw creditsShort(asked.amount, short);
  }
}

/**
 * Withdraws for several requests in one statement. Pays the requests of an account in their order, as
 * far as its balance goes, unless another transaction has locked its wallet: so nothing waits for a lock.
 * An answer that is given up is not charged; the others outlive their deadline until the outcome is known.
 *
 * @returns by `operation_key` the balance after each request that was charged
 */
async function withdraw(db: Db, asked: Charge[]): Promise<Map<string, number>> {
  const open = asked.filter(({ response }) => !response || !isTooLateToCharge(response));
  const movements = open.map(({ response, ...movement }) => {
    if (response) holdAnswer(response);
    return movement;
  });
  type Row = { operation_key: string; balance_after: string };
  const rows = await runPrepared<Row>(db, 'api/charge.sql', [JSON.stringify(movements)]);
  const balances = new Map(rows.map((row) => [row.operation_key, Number(row.balance_after)]));
  for (const { response, operation_key } of open) {
    if (response && !balances.has(operation_key)) releaseAnswer(response);
  }
  return balances;
}

/** Waits for other movements of a wallet. */
async function lockWallet(tx: Tx, account_id: string): Promise<void> {
  await tx
    .selectFrom('customer.wallet')
    .select('account_id')
    .where('account_id', '=', account_id)
    .forNoKeyUpdate()
    .execute();
}

/** Gives back a withdrawal that was committed, once. */
async function giveBack(tx: Tx, { description, ...asked }: Charge, now: Date): Promise<void> {
  const { account_id, amount } = asked;
  const operation_key = `returned ${asked.operation_key}`;
  await lockWallet(tx, asked.account_id);
  const movements = await tx
    .selectFrom('customer.wallet_transaction')
    .select('operation_key')
    .where('account_id', '=', account_id)
    .where('operation_key', 'in', [asked.operation_key, operation_key])
    .execute();
  if (movements.length !== 1) return;
  const returned = { account_id, amount, description: `Not answered: ${description}` };
  await grant(tx, { ...returned, type: 'deposit', purchased: 0, operation_key, now });
}

/** The wallet of an account, which has none before its first credits. */
export function selectWallet(db: Db, account_id: string) {
  return db
    .selectFrom('customer.wallet')
    .select(['balance', 'total_purchased'])
    .where('account_id', '=', account_id);
}

export async function readBalance(db: Db, account_id: string): Promise<number> {
  const wallet = await selectWallet(db, account_id).executeTakeFirst();
  return Number(wallet?.balance ?? 0);
}

// Spec: silent on the error for insufficient credits; we answer 402 with `required` and `balance`.
export function creditsShort(required: number, balance: number): HttpError {
  const message = `This costs ${required} ${required === 1 ? 'credit' : 'credits'}, and the wallet has ${balance}.`;
  const body = { message, code: 'INSUFFICIENT_CREDITS', required, balance };
  return new HttpError(402, body, describeCharge(0, balance));
}

/** Describes the 402 of an endpoint that costs credits. */
export function creditErrors(required: number) {
  const description = 'The wallet has too few credits; nothing was withdrawn.';
  return { 402: { description, example: creditsShort(required, required - 1).body } };
}

/** The headers of an answer that can cost credits. @param amount the credits that were withdrawn */
export function describeCharge(amount: number, balance: number) {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

/** Attempts to give back what was charged without an answer: as long as a database may be away. */
const [mostAttempts, retry_ms] = [3_600, 1_000];

export type Charging = ReturnType<typeof createCharging>;

/**
 * Makes the function that charges for requests and returns the headers of the answer. An amount of 0 is
 * free and leaves no transaction. It withdraws nothing and throws the 402 when the credits are short.
 * Outside of a transaction, charges of the same moment share a statement. An answer that was given up, such as at
 * its deadline, is never charged. A connection that is lost in the commit leaves its outcome open: what was
 * charged is given back once the database answers, since the client gets a 503.
 */
export function createCharging({ db, readers, logger, now }: Context) {
  async function chargeAlone(due: Charge): Promise<number> {
    let isCommitting = false;
    try {
      return await db.transaction().execute(async (tx) => {
        const balance = await charge(tx, due);
        isCommitting = true;
        return balance;
      });
    } catch (error) {
      if (isCommitting) void settleOpen([due]);
      throw error;
    }
  }

  async function settleOpen(open: Charge[]): Promise<void> {
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      try {
        // The lock waits for the end of the transaction whose outcome is open.
        for (; open[0]; open.shift()) {
          const [asked] = open as [Charge];
          await db.transaction().execute((tx) => giveBack(tx, asked, now()));
        }
        return;
      } catch {
        await delay(retry_ms, undefined, { ref: false });
      }
    }
    const operations = open.map(({ operation_key }) => operation_key);
    logger.error({ operations }, 'Charges may have been made without an answer');
  }

  const withdrawInBatch = createBatch(async (batch: Charge[]) => {
    let isSent = false;
    try {
      return await db.connection().execute(async (session) => {
        isSent = true;
        const balances = await withdraw(session, batch);
        return batch.map(({ operation_key }) => balances.get(operation_key));
      });
    } catch (error) {
      if (isSent && isLostConnection(error)) void settleOpen([...batch]);
      throw error;
    }
  });

  return async (asked: Omit<Charge, 'operation_key' | 'now'>, tx?: Tx) => {
    const { account_id, amount } = asked;
    if (amount === 0) {
      const balance = await readers.readCustomer((one) => readBalance(one, account_id), tx);
      return describeCharge(0, balance);
    }
    const due = { ...asked, operation_key: randomUUID(), now: now() };
    if (tx) return describeCharge(amount, await charge(tx, due));
    // The wallet may be locked, or short only because of the rest of the batch: tries again without it.
    return describeCharge(amount, (await withdrawInBatch(due)) ?? (await chargeAlone(due)));
  };
}
