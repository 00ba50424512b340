import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { HttpError } from '../http/errors.ts';

interface Movement {
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
 * Withdraws credits for a request and writes the transaction: one statement, which finds no wallet
 * when the balance is short. It waits for whatever else is moving credits of the account.
 *
 * Takes effect with the caller's transaction. Throws the 402 with `required` and `balance` when the
 * credits are short; nothing is withdrawn then.
 */
export async function charge(tx: Transaction<Tables>, movement: Movement): Promise<NewBalance> {
  for (;;) {
    const balance = await withdraw(tx, movement);
    if (balance !== undefined) return { balance };
    const short = await readBalance(tx, movement.account_id);
    // Else credits arrived between the two statements.
    if (short < movement.amount) throw creditsShort(movement.amount, short);
  }
}

/**
 * A withdrawal as part of a statement: two of its common table expressions, of which `written` has
 * `balance_after`, or no row when the balance is short or the condition is not met.
 */
export function withdrawal(
  { account_id, amount, description, operation_key, now }: Movement,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    charged as (
        update ${wallet} set
            balance = balance - ${amount}::bigint,
            last_transaction_no = last_transaction_no + 1
        where account_id = ${account_id} and balance >= ${amount}::bigint and ${condition}
        returning account_id, balance, last_transaction_no
    ),
    written as (
        insert into ${walletTransaction} (
            account_id, transaction_no, type, amount, balance_before, balance_after, description,
            operation_key, created_at
        )
        select
            account_id, last_transaction_no, 'withdraw', ${amount}::bigint,
            balance + ${amount}::bigint, balance, ${description}, ${operation_key},
            ${now}::timestamptz
        from charged
        returning balance_after
    )
  `;
}

async function withdraw(tx: Transaction<Tables>, movement: Movement): Promise<number | undefined> {
  const { rows } = await sql<{ balance: string }>`
    with ${withdrawal(movement, sql`true`)}
    select balance_after as balance from written
  `.execute(tx);
  return rows[0] && Number(rows[0].balance);
}

async function readBalance(tx: Transaction<Tables>, account_id: string): Promise<number> {
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
