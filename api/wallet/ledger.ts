import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';

// `grant` adds credits to a wallet; charge.ts withdraws credits (`sql/api/charge.sql`).

/** A deposit or withdrawal of credits in a wallet. */
export interface Movement {
  account_id: string;
  /** The count of credits that are deposited or withdrawn; a whole number from 1. */
  amount: number;
  /** The description of this movement in the list of transactions that a client can read. */
  description: string;
  /** Identifies the cause (such as a payment); unique per account, so that no cause moves credits twice. */
  operation_key: string;
  now: Date;
  /** Cancels the deadline of the answer, and returns true, if the client still waits; default: true. */
  claim?: () => boolean;
}

/**
 * Adds credits to a wallet, once per `operation_key`; creates the wallet if it is missing. The type `start` means the
 * welcome bonus. `purchased` is added to `total_purchased`; by default, it is `amount` for a `deposit`, else 0.
 */
export async function grant(
  tx: Tx,
  movement: Movement & { type: 'deposit' | 'start'; purchased?: number },
) {
  const { account_id, amount, type, description, operation_key, now } = movement;
  const { purchased = type === 'deposit' ? amount : 0 } = movement;
  const values = [account_id, amount, purchased, type, description, operation_key, now];
  await runPrepared(tx, 'api/grant_credits.sql', values);
}

/** Returns the balance and purchased credits of an account; `isLocked` locks its wallet until the transaction ends. */
export async function readWallet(db: Db, account_id: string, isLocked = false) {
  const wallet = await db
    .selectFrom('customer.wallet')
    .select(['balance', 'total_purchased'])
    .where('account_id', '=', account_id)
    .$if(isLocked, (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  const { balance = 0, total_purchased = 0 } = wallet ?? {};
  return { balance: Number(balance), total_purchased: Number(total_purchased) };
}
