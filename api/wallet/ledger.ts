import { sql } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Db, Tx } from '../../sql/kysely.ts';
import { HttpError } from '../http/errors.ts';

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
 * A `deposit` counts in `total_purchased`; `start` is the welcome bonus.
 */
export async function grant(tx: Tx, movement: Movement & { type: 'deposit' | 'start' }) {
  const { account_id, amount, type, description, operation_key, now } = movement;
  const purchased = type === 'deposit' ? amount : 0;
  const { rows } = await sql<{ balance: string }>`
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
    returning balance_after as balance
  `.execute(tx);
  return { balance: Number(rows[0]?.balance) };
}

/**
 * Withdraws credits for a request and writes the transaction. Waits for other movements of the account.
 * When the credits are short, withdraws nothing and throws the 402 with `required` and `balance`.
 */
export async function charge(db: Db, movement: Movement): Promise<{ balance: number }> {
  for (;;) {
    const [balance] = await withdraw(db, [movement]);
    if (balance !== undefined) return { balance };
    const short = await readBalance(db, movement.account_id);
    // Otherwise credits arrived between the two statements.
    if (short < movement.amount) throw creditsShort(movement.amount, short);
  }
}

/**
 * Withdraws for several requests in one statement. Pays the requests of an account in their order, as
 * far as its balance goes.
 *
 * @returns the balance after each request; undefined for a request that was not charged
 */
export async function withdraw(db: Db, movements: Movement[]): Promise<(number | undefined)[]> {
  const rows = await runPrepared<{ operation_key: string; balance_after: string }>(
    db,
    'api/charge.sql',
    [
      movements.map(({ account_id }) => account_id),
      movements.map(({ amount }) => amount),
      movements.map(({ description }) => description),
      movements.map(({ operation_key }) => operation_key),
      movements.map(({ now }) => now),
    ],
  );
  const balances = new Map(
    rows.map(({ operation_key, balance_after }) => [operation_key, Number(balance_after)]),
  );
  return movements.map(({ operation_key }) => balances.get(operation_key));
}

/** The wallet of an account, which has none before its first credits. */
export function selectWallet(db: Db, account_id: string) {
  return db
    .selectFrom('customer.wallet')
    .select(['balance', 'total_purchased'])
    .where('account_id', '=', account_id);
}

/** The credits of an account, 0 without a wallet. */
export async function readBalance(db: Db, account_id: string): Promise<number> {
  const wallet = await selectWallet(db, account_id).executeTakeFirst();
  return Number(wallet?.balance ?? 0);
}

// Spec: silent on the error for insufficient credits; we answer 402 with `required` and `balance`.
export function creditsShort(required: number, balance: number): HttpError {
  const message = `This costs ${required} ${required === 1 ? 'credit' : 'credits'}, and the wallet has ${balance}.`;
  return new HttpError(402, { message, code: 'INSUFFICIENT_CREDITS', required, balance });
}

/** Describes the 402 of an endpoint that costs credits. */
export function creditErrors(required: number) {
  const description = 'The wallet has too few credits; nothing was withdrawn.';
  return { 402: { description, example: creditsShort(required, required - 1).body } };
}
