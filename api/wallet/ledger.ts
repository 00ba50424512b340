import { sql, type Kysely, type Transaction } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { HttpError } from '../http/errors.ts';

export interface Movement {
  account_id: string;
  /** Whole credits, at least 1. */
  amount: number;
  /** What the owner of the account reads. */
  description: string;
  /** Names the cause, such as a payment or a request: it can happen once per account. */
  operation_key: string;
  now: Date;
}

interface Grant extends Movement {
  /** Credits that were bought, which count in `total_purchased`, or the welcome bonus. */
  type: 'deposit' | 'start';
}

interface NewBalance {
  balance: number;
}

const wallet = sql.table('customer.wallet');
const walletTransaction = sql.table('customer.wallet_transaction');

/**
 * Adds credits to the wallet, which is made when there is none yet, and writes the transaction.
 *
 * Takes effect with the caller's transaction. Throws the unique violation of
 * `wallet_transaction_operation_key` when the operation has happened before.
 */
export async function grant(tx: Transaction<Tables>, movement: Grant): Promise<NewBalance> {
  const { account_id, amount, type, description, operation_key, now } = movement;
  const purchased = type === 'deposit' ? amount : 0;
  const { rows } = await sql<{ balance: string }>`
    with credited as (
        insert into ${wallet} as wallet (account_id, balance, total_purchased, last_transaction_no)
        values (${account_id}, ${amount}, ${purchased}, 1)
        on conflict (account_id) do update set
            balance = wallet.balance + excluded.balance,
            total_purchased = wallet.total_purchased + excluded.total_purchased,
            last_transaction_no = wallet.last_transaction_no + 1
        returning account_id, balance, last_transaction_no
    )
    insert into ${walletTransaction} (
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
 * Withdraws credits for a request and writes the transaction. It waits for whatever else is moving
 * credits of the account.
 *
 * Takes effect with the caller's transaction. Throws the 402 with `required` and `balance` when the
 * credits are short; nothing is withdrawn then.
 */
export async function charge(tx: Transaction<Tables>, movement: Movement): Promise<NewBalance> {
  for (;;) {
    const [balance] = await withdraw(tx, [movement]);
    if (balance !== undefined) return { balance };
    const short = await readBalance(tx, movement.account_id);
    // Else credits arrived between the two statements.
    if (short < movement.amount) throw creditsShort(movement.amount, short);
  }
}

/**
 * Withdraws for several requests, of one account or of many, in one statement: those of an account in
 * their order, as far as its balance goes.
 *
 * @returns the balance after each, undefined for those that were not charged
 */
export async function withdraw(
  db: Kysely<Tables>,
  movements: Movement[],
): Promise<(number | undefined)[]> {
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

/** The credits of an account, 0 where it has no wallet yet. */
export async function readBalance(tx: Kysely<Tables>, account_id: string): Promise<number> {
  const row = await tx
    .selectFrom('customer.wallet')
    .select('balance')
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  return Number(row?.balance ?? 0);
}

// Spec: silent on the error for insufficient credits.
function creditsShort(required: number, balance: number): HttpError {
  const message = `This costs ${required} ${required === 1 ? 'credit' : 'credits'}, and the wallet has ${balance}.`;
  return new HttpError(402, { message, code: 'INSUFFICIENT_CREDITS', required, balance });
}
