import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/kysely.ts';
import { charge, selectWallet } from './ledger.ts';
import { selectPayment } from './payment.ts';

/** A report of a provider about money that goes back to the payer. */
interface Reversal {
  provider: string;
  /** Undefined when the report of the provider lacks it. */
  payment_id: string | undefined;
  /** The id of the payment at the provider. */
  charge_ref: string | undefined;
  cause: 'refund' | 'dispute';
  /** The sum so far for this cause, in the smallest unit of the currency. */
  amount: number;
  currency: string;
}

/**
 * Takes back the credits of a refunded or disputed payment in one transaction. Repeated reports, in any
 * order, take them back once. A refund of a part of the price takes back that part of the credits,
 * rounded down. An amount in another currency counts as the whole price.
 *
 * @returns `reversed`: the wallet has lost the credits; `recorded`: the payment is not paid yet;
 * `repeated`: no effect, after an earlier report; `unknown`: no such payment
 */
export function reverse(
  db: Db,
  { provider, payment_id, charge_ref, cause, amount, currency }: Reversal,
  now: Date,
) {
  return db.transaction().execute(async (tx) => {
    const column = cause === 'refund' ? 'refunded' : 'disputed';
    const payment = await tx
      .updateTable('customer.payment')
      .set((eb) => ({
        [column]: sql`greatest(
          ${eb.ref(column)},
          case when currency = ${currency} then least(price, ${amount}::bigint) else price end
        )`,
      }))
      .where('provider', '=', provider)
      .where((eb) =>
        payment_id === undefined
          ? eb('charge_ref', '=', charge_ref ?? null)
          : eb('payment_id', '=', payment_id),
      )
      .returning(['payment_id', 'state'])
      .executeTakeFirst();
    if (!payment) return 'unknown';
    if (payment.state !== 'paid') return 'recorded';
    return (await takeBack(tx, payment.payment_id, cause, now)) ? 'reversed' : 'repeated';
  });
}

/**
 * Takes back the credits of the refunds and disputes of a paid payment, minus the credits taken back
 * before. The balance does not go below zero: spent credits are waived. A mail reports the credits. The
 * transaction of the caller holds the lock on the payment.
 *
 * @returns false when there is nothing to take back
 */
export async function takeBack(
  tx: Tx,
  payment_id: string,
  cause: Reversal['cause'],
  now: Date,
): Promise<boolean> {
  const payment = await selectPayment(tx, payment_id)
    .innerJoin('customer.account as account', 'account.account_id', 'payment.account_id')
    .select(['account.email', 'account.name as user_name'])
    .executeTakeFirstOrThrow();
  const price = Number(payment.price);
  const returned = Math.min(price, Number(payment.refunded) + Number(payment.disputed));
  const due = Math.floor((Number(payment.credits) * returned) / price);
  const asked = due - Number(payment.reversed_credits);
  if (asked <= 0) return false;
  const { account_id, package_name, user_name } = payment;
  const wallet = await selectWallet(tx, account_id).forNoKeyUpdate().executeTakeFirstOrThrow();
  const balance = Number(wallet.balance);
  const amount = Math.min(asked, balance);
  const name = cause === 'refund' ? 'Refund' : 'Dispute';
  const operation_key = `reversal ${payment_id} ${due}`;
  const description = `${name}: ${package_name}`;
  if (amount > 0) await charge(tx, { account_id, amount, description, operation_key, now });
  await tx
    .updateTable('customer.payment')
    .set({ reversed_credits: due })
    .where('payment_id', '=', payment_id)
    .execute();
  const effect = { credits: amount, rest: asked - amount, balance: balance - amount };
  await tx
    .insertInto('customer.mail')
    .values({
      mail_key: operation_key,
      account_id,
      recipient: payment.email,
      template: 'refund',
      data: JSON.stringify({ user_name, package_name, cause, ...effect }),
      created_at: now,
    })
    .execute();
  return true;
}
