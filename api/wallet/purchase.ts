import type { Db } from '../../sql/connection/kysely.ts';

/** A payment with the name of its package; `price` is in the smallest unit of the currency. */
export type Payment = Awaited<
  ReturnType<ReturnType<typeof selectPayment>['executeTakeFirstOrThrow']>
>;

/** Selects a payment with the name of its package. */
export function selectPayment(db: Db, payment_id: string) {
  return db
    .selectFrom('customer.payment as payment')
    .innerJoin('customer.credit_package as offer', 'offer.package_slug', 'payment.package_slug')
    .selectAll('payment')
    .select('offer.name as package_name')
    .where('payment_id', '=', payment_id);
}
