import type { Db } from '../../sql/connection/kysely.ts';
import { grant } from './ledger.ts';
import { type Outcome, type Payment, selectPayment } from './stored-payment.ts';
import { balanceReversals } from './reversal.ts';

/**
 * Records the outcome of a checkout, and credits a paid payment once, even if reports are repeated. A paid checkout is
 * credited even after a report that the checkout expired. Returns `credited`; `recorded` if the checkout ended without
 * payment; `repeated` if its outcome was recorded before; `refused` if it was paid but not credited.
 */
export function settle(db: Db, report: Outcome, now: Date) {
  return db.transaction().execute(async (tx) => {
    const { payment_id, provider, provider_ref, charge_ref } = report;
    if (payment_id === undefined) return 'unknown';
    const payment = await selectPayment(tx, payment_id)
      .where('provider', '=', provider)
      // `provider_ref` is null if the provider's answer was lost; then `payment_id` alone identifies the payment.
      .where((eb) => eb.or([eb('provider_ref', 'is', null), eb('provider_ref', '=', provider_ref)]))
      .forUpdate('payment')
      .executeTakeFirst();
    if (!payment) return 'unknown';
    const isPaid = report.state === 'paid';
    if (payment.state === 'paid' || (!isPaid && payment.state !== 'open')) return 'repeated';
    const refusal = isPaid ? refusalOf(report, payment) : null;
    const state = refusal === null ? report.state : 'refused';
    await tx
      .updateTable('customer.payment')
      .set({ state, provider_ref, refusal, ended_at: now })
      .$if(state === 'paid', (query) => query.set({ charge_ref }))
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
    // The provider may have reported a refund or dispute before it reported the payment.
    const cause = Number(payment.refunded) > 0 ? 'refund' : 'dispute';
    await balanceReversals(tx, payment_id, cause, now);
    return 'credited';
  });
}

/** Returns the reason why no credits are added for a paid checkout; null if they are added. */
function refusalOf(report: Outcome, { price, currency, account_ended_at }: Payment): string | null {
  if (account_ended_at) return 'The account has ended';
  if (report.price === Number(price) && report.currency === currency) return null;
  return `${report.price} ${report.currency} instead of ${price} ${currency}`;
}
