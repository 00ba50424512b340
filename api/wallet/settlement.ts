import type { Db } from '../../sql/kysely.ts';
import { grant } from './ledger.ts';
import { selectPayment } from './payment.ts';
import { takeBack } from './reversal.ts';

/** The outcome of a checkout, as its provider reports it. */
interface Report {
  /** Undefined when the report of the provider lacks it. */
  payment_id: string | undefined;
  provider: string;
  provider_ref: string;
  /** The id of the payment at the provider, once there is one. */
  charge_ref?: string | undefined;
  state: 'paid' | 'cancelled' | 'expired' | 'failed';
  /** In the smallest unit of the currency. */
  price: number | null;
  currency: string | null;
}

/**
 * Settles a payment in one transaction. Repeated reports, in any order, settle it once: a paid checkout
 * is credited even after a report that it has expired. A wrong price or currency credits nothing.
 *
 * @returns `credited`: the wallet has the credits; `recorded`: the payment has ended without credits;
 * `repeated`: no effect, since the payment has ended before; `refused`: another amount or currency was
 * paid; `unknown`: no effect, since there is no such checkout
 */
export function settle(db: Db, report: Report, now: Date) {
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
    const cause = Number(payment.refunded) > 0 ? 'refund' : 'dispute';
    await takeBack(tx, payment_id, cause, now);
    return 'credited';
  });
}
