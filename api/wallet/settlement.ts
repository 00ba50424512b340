import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { grant } from './ledger.ts';
import { takeBack } from './reversal.ts';

/** The outcome of a checkout, as its provider reports it. */
export interface Report {
  payment_id: string;
  provider: string;
  provider_ref: string;
  /** By which the provider knows the payment of the checkout, once there is one. */
  charge_ref?: string | undefined;
  state: 'paid' | 'cancelled' | 'expired' | 'failed';
  /** What was asked for, or paid: in the smallest unit of the currency. */
  price: number | null;
  currency: string | null;
}

/**
 * What it changed: the wallet; the state of the payment; nothing, since a report came before or has
 * overtaken it; nothing but that the payment is now `refused`; nothing, since there is no such
 * checkout.
 */
export type Settlement = 'credited' | 'recorded' | 'repeated' | 'refused' | 'unknown';

/**
 * Settles a payment in one transaction, once, however often and in whatever order it is reported:
 * money that was paid is credited also where the checkout was said to have ended otherwise before.
 * Another price or currency than asked for credits nothing.
 */
export function settle(db: Kysely<Tables>, report: Report, now: Date): Promise<Settlement> {
  return db.transaction().execute(async (tx) => {
    const payment = await lockPayment(tx, report);
    if (!payment) return 'unknown';
    const { state, provider_ref, charge_ref } = report;
    if (payment.state === 'paid') return 'repeated';
    if (state !== 'paid') {
      if (payment.state !== 'open') return 'repeated';
      await updatePayment(tx, report, { state, provider_ref, ended_at: now });
      return 'recorded';
    }
    const { price, currency } = payment;
    if (report.price !== Number(price) || report.currency !== currency) {
      const refusal = `${report.price} ${report.currency} instead of ${price} ${currency}`;
      await updatePayment(tx, report, { state: 'refused', provider_ref, refusal, ended_at: now });
      return 'refused';
    }
    await updatePayment(tx, report, {
      state,
      provider_ref,
      refusal: null,
      ended_at: now,
      ...(charge_ref === undefined ? {} : { charge_ref }),
    });
    await grant(tx, {
      account_id: payment.account_id,
      type: 'deposit',
      amount: Number(payment.credits),
      description: `Top-up: ${payment.package_name}`,
      operation_key: `payment ${report.payment_id}`,
      now,
    });
    // A refund or dispute may be reported before the payment.
    const cause = Number(payment.refunded) > 0 ? 'refund' : 'dispute';
    await takeBack(tx, report.payment_id, cause, now);
    return 'credited';
  });
}

// The answer with `provider_ref` may have been lost: then the `payment_id` that the provider repeats
// is enough.
function lockPayment(tx: Transaction<Tables>, { payment_id, provider, provider_ref }: Report) {
  return tx
    .selectFrom('customer.payment as payment')
    .innerJoin('customer.credit_package as offer', 'offer.package_slug', 'payment.package_slug')
    .select(['payment.account_id', 'payment.state', 'payment.credits', 'payment.price'])
    .select(['payment.currency', 'payment.refunded', 'offer.name as package_name'])
    .where('payment_id', '=', payment_id)
    .where('provider', '=', provider)
    .where((eb) => eb.or([eb('provider_ref', 'is', null), eb('provider_ref', '=', provider_ref)]))
    .forUpdate('payment')
    .executeTakeFirst();
}

interface Ending {
  state: Report['state'] | 'refused';
  provider_ref: string;
  charge_ref?: string;
  refusal?: string | null;
  ended_at: Date;
}

async function updatePayment(tx: Transaction<Tables>, { payment_id }: Report, ending: Ending) {
  await tx
    .updateTable('customer.payment')
    .set(ending)
    .where('payment_id', '=', payment_id)
    .execute();
}
