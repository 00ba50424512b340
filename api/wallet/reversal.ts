import { sql, type Kysely, type Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { leaveMail } from '../accounts/mail.ts';
import { charge } from './ledger.ts';

/** What a provider says of money that goes back to the payer. */
export interface Reversal {
  provider: string;
  /** Ours, when the provider repeats it. */
  payment_id: string | undefined;
  /** By which the provider knows the payment. */
  charge_ref: string | undefined;
  cause: 'refund' | 'dispute';
  /** All that went back so far for this cause, in the smallest unit of the currency. */
  amount: number;
  currency: string;
}

/**
 * What it changed: the wallet; nothing but the payment, which is not paid yet; nothing, since it was
 * known; nothing, since there is no such payment.
 */
export type ReversalResult = 'reversed' | 'recorded' | 'repeated' | 'unknown';

/**
 * Takes back the credits of a refunded or disputed payment in one transaction, once, however often
 * and in whatever order it is reported. A part of the price takes its part of the credits, rounded
 * down; an amount in another currency counts as the whole price.
 */
export function reverse(
  db: Kysely<Tables>,
  { provider, payment_id, charge_ref, cause, amount, currency }: Reversal,
  now: Date,
): Promise<ReversalResult> {
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
 * Takes back what a paid payment's refunds and disputes ask for beyond what was taken before. The
 * balance does not go below zero; credits that were spent are waived. A mail says so.
 *
 * Takes effect with the caller's transaction, which holds the row of the payment.
 *
 * @returns false when there is nothing to take back
 */
export async function takeBack(
  tx: Transaction<Tables>,
  payment_id: string,
  cause: Reversal['cause'],
  now: Date,
): Promise<boolean> {
  const payment = await findPayment(tx, payment_id);
  const price = Number(payment.price);
  const returned = Math.min(price, Number(payment.refunded) + Number(payment.disputed));
  const due = Math.floor((Number(payment.credits) * returned) / price);
  const asked = due - Number(payment.reversed_credits);
  if (asked <= 0) return false;
  const { account_id, package_name } = payment;
  const balance = await lockBalance(tx, account_id);
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
  await leaveMail(tx, {
    mail_key: operation_key,
    account: payment,
    template: 'refund',
    data: {
      user_name: payment.user_name,
      package_name,
      cause,
      credits: amount,
      rest: asked - amount,
      balance: balance - amount,
    },
    now,
  });
  return true;
}

function findPayment(tx: Transaction<Tables>, payment_id: string) {
  return tx
    .selectFrom('customer.payment as payment')
    .innerJoin('customer.credit_package as offer', 'offer.package_slug', 'payment.package_slug')
    .innerJoin('customer.account as account', 'account.account_id', 'payment.account_id')
    .select(['payment.credits', 'payment.price', 'refunded', 'disputed', 'reversed_credits'])
    .select(['account.account_id', 'account.email', 'account.name as user_name'])
    .select('offer.name as package_name')
    .where('payment_id', '=', payment_id)
    .executeTakeFirstOrThrow();
}

/** The balance, which no other request changes until the transaction ends. */
async function lockBalance(tx: Transaction<Tables>, account_id: string): Promise<number> {
  const { balance } = await tx
    .selectFrom('customer.wallet')
    .select('balance')
    .where('account_id', '=', account_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return Number(balance);
}
