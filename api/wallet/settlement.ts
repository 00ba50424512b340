import type { Db } from '../../sql/connection/kysely.ts';
import { grant } from './ledger.ts';
import { type Outcome, type Payment, selectPayment } from './stored-payment.ts';
import { balanceReversals } from './reversal.ts';

/**
 * Settles a payment once, even for repeated reports in any order. A paid checkout is credited even after a report that
 * it expired. Returns `recorded` if the payment ended without credits, `repeated` if it was settled before, and
 * `refused` if it was paid but not credited.
 */
export function settle(db: Db, report: Outcome, now: Date) {
  return db.transaction().execute(async (tx) => {
    const { payment_id, provider, provider_ref, charge_ref } = report;
    if (payment_id === undefined) return 'unknown';
    const payment = await selectPayment(tx, payment_id)
      .where('provider', '=', provider)
      // If the provider's answer was lost, no `provider_ref` is stored; then `payment_id` identifies the payment.
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
    // The provider may report a refund or dispute before the payment.
    const cause = Number(payment.refunded) > 0 ? 'refund' : 'dispute';
    await balanceReversals(tx, payment_id, cause, now);
    return 'credited';
  });
}

/** Returns the reason why a paid checkout gets no credits; null if it gets credits. */
function refusalOf(report: Outcome, { price, currency, account_ended_at }: Payment): string | null {
  if (account_ended_at) return 'The account has ended';
  if (report.price === Number(price) && report.currency === currency) return null;
  return `${report.price} ${report.currency} instead of ${price} ${currency}`;
}
