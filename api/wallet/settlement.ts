import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { charge, grant, selectWallet } from './ledger.ts';
import { selectPayment } from './payment.ts';

/** What a provider reports about a payment. Money is in the smallest unit of the currency. */
interface Report {
  provider: string;
  /** Undefined when the report lacks it. */
  payment_id: string | undefined;
  /** The id of the payment at the provider, once there is one. */
  charge_ref?: string | undefined;
  currency: string | null;
}

/** The outcome of a checkout. */
interface Outcome extends Report {
  provider_ref: string;
  state: 'paid' | 'cancelled' | 'expired' | 'failed';
  price: number | null;
}

/** Money that goes back to the payer. */
interface Reversal extends Report {
  cause: 'refund' | 'dispute';
  /** The sum so far for this cause. */
  amount: number;
}

/**
 * Settles a payment in one transaction. Repeated reports, in any order, settle it once: a paid checkout
 * is credited even after a report that it has expired. A wrong price or currency credits nothing.
 *
 * @returns `credited`: the wallet has the credits; `recorded`: the payment has ended without credits;
 * `repeated`: no effect, since the payment has ended before; `refused`: another amount or currency was
 * paid; `unknown`: no effect, since there is no such checkout
 */
export function settle(db: Db, report: Outcome, now: Date) {
  return db.transaction().execute(async (tx) => {
    const { payment_id, provider, provider_ref, charge_ref } = report;
    if (payment_id === undefined) return 'unknown';
    const payment = await selectPayment(tx, payment_id)
      .where('provider', '=', provider)
      // Without a stored `provider_ref` (its answer was lost), `payment_id` is enough.
      .where((eb) => eb.or([eb('provider_ref', 'is', null), eb('provider_ref', '=', provider_ref)]))
      .forUpdate('payment')
      .executeTakeFirst();
    if (!payment) return 'unknown';
    const isPaid = report.state === 'paid';
    if (payment.state === 'paid' || (!isPaid && payment.state !== 'open')) return 'repeated';
    const { price, currency } = payment;
    const isOther = report.price !== Number(price) || report.currency !== currency;
    const state = isPaid && isOther ? 'refused' : report.state;
    const paid = `${report.price} ${report.currency}`;
    const refusal = state === 'refused' ? `${paid} instead of ${price} ${currency}` : null;
    await tx
      .updateTable('customer.payment')
      .set({ state, provider_ref, refusal, ended_at: now })
      .set({ charge_ref: state === 'paid' ? charge_ref : undefined })
      .where('payment_id', '=', payment_id)
      .execute();
    if (state !== 'paid') return isPaid ? 'refused' : 'recorded';
    await grant(tx, {
      account_id: payment.account_id,
      type: 'deposit',
      amount: Number(payment.credits),
      description: `Top-up: ${payment.package_name}`,
      operation_key: `payment ${payment_id}`,
      now,
    });
    // A refund or dispute may be reported before the payment.
    await takeBack(tx, payment_id, Number(payment.refunded) > 0 ? 'refund' : 'dispute', now);
    return 'credited';
  });
}

/**
 * Takes back the credits of a refunded or disputed payment in one transaction. Repeated reports, in any
 * order, take them back once. A refund of a part of the price takes back that part of the credits,
 * rounded down. An amount in another currency counts as the whole price.
 *
 * @returns `reversed`: the wallet has lost the credits; `recorded`: the payment is not paid yet;
 * `repeated`: no effect, after an earlier report; `unknown`: no such payment
 */
export function reverse(db: Db, report: Reversal, now: Date) {
  return db.transaction().execute(async (tx) => {
    const { provider, payment_id, charge_ref = null, cause, amount, currency } = report;
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
          ? eb('charge_ref', '=', charge_ref)
          : eb('payment_id', '=', payment_id),
      )
      .returning(['payment_id', 'state'])
      .executeTakeFirst();
    if (!payment) return 'unknown';
    return payment.state === 'paid' ? takeBack(tx, payment.payment_id, cause, now) : 'recorded';
  });
}

/**
 * Takes back the credits of the refunds and disputes of a paid payment, minus the credits taken back
 * before. The balance does not go below zero: spent credits are waived. A mail reports the credits. The
 * transaction of the caller holds the lock on the payment.
 */
async function takeBack(tx: Tx, payment_id: string, cause: Reversal['cause'], now: Date) {
  const payment = await selectPayment(tx, payment_id)
    .innerJoin('customer.account as account', 'account.account_id', 'payment.account_id')
    .select(['account.email', 'account.name as user_name'])
    .executeTakeFirstOrThrow();
  const price = Number(payment.price);
  const returned = Math.min(price, Number(payment.refunded) + Number(payment.disputed));
  const due = Math.floor((Number(payment.credits) * returned) / price);
  const asked = due - Number(payment.reversed_credits);
  if (asked <= 0) return 'repeated';
  const { account_id, package_name, user_name } = payment;
  const wallet = await selectWallet(tx, account_id).forNoKeyUpdate().executeTakeFirstOrThrow();
  const balance = Number(wallet.balance);
  const amount = Math.min(asked, balance);
  const operation_key = `reversal ${payment_id} ${due}`;
  const description = `${cause === 'refund' ? 'Refund' : 'Dispute'}: ${package_name}`;
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
  return 'reversed';
}
