import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';

// `grant` adds credits (`deposit`, `start`); charge.ts withdraws them (`withdraw`, `sql/api/charge.sql`).

/** A movement of credits in a wallet. */
export interface Movement {
  account_id: string;
  /** The credits of the movement, a whole number from 1. */
  amount: number;
  /** The text of the transaction that the owner of the account sees. */
  description: string;
  /** The cause of the movement, such as a payment or a request; unique per account. */
  operation_key: string;
  now: Date;
  /** Returns whether the client still waits, and if so cancels the deadline of the answer; default: it waits. */
  claim?: () => boolean;
}

/**
 * Adds credits to a wallet, once per `operation_key`, and creates a missing wallet. The type `start` marks the
 * welcome bonus. The parameter `purchased` is added to `total_purchased`; its default is the amount of a
 * `deposit`, otherwise 0.
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

/** Returns the credits of an account. With `isLocked`, waits for running movements and keeps others waiting. */
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
