import type { Db } from '../../sql/connection/kysely.ts';

/** A stored payment with its credit package and account. Its price is in the smallest unit of its currency. */
export type Payment = Awaited<
  ReturnType<ReturnType<typeof selectPayment>['executeTakeFirstOrThrow']>
>;

/** The report of a payment provider about the outcome of a checkout. `price` is in the currency's smallest unit. */
export interface Outcome {
  provider: string;
  provider_ref: string;
  payment_id: string | undefined;
  /** The provider's id of the money transfer; undefined before the buyer pays. */
  charge_ref?: string | undefined;
  currency: string | null;
  state: 'paid' | 'cancelled' | 'expired' | 'failed';
  price: number | null;
}

/** Returns the query for a payment with columns of its credit package and its account. */
export function selectPayment(db: Db, payment_id: string) {
  return db
    .selectFrom('customer.payment as payment')
    .innerJoin('customer.credit_package as offer', 'offer.package_slug', 'payment.package_slug')
    .innerJoin('customer.account as account', 'account.account_id', 'payment.account_id')
    .selectAll('payment')
    .select(['offer.name as package_name', 'account.name as user_name', 'email', 'language'])
    .select('account.ended_at as account_ended_at')
    .where('payment_id', '=', payment_id);
}
