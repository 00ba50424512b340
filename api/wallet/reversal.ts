import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { charge } from './charge.ts';
import { grant, readWallet } from './ledger.ts';
import { type Outcome, selectPayment } from './stored-payment.ts';

/** A payment provider's report about a refund, a dispute or a dispute that we won. */
interface Reversal extends Omit<Outcome, 'provider_ref' | 'state' | 'price'> {
  cause: 'refund' | 'dispute' | 'won';
  /** The provider's id of the dispute; undefined for a refund. */
  dispute_ref?: string | undefined;
  /** For a refund: the sum of all refunds of the payment so far. For a dispute: the disputed amount. */
  amount: number;
}

/** The first words in the description of the wallet's transaction; the name of the credit package follows. */
const titles = { refund: 'Refund', dispute: 'Dispute', won: 'Dispute won' };

/**
 * Withdraws the credits of a refunded or disputed payment; a won dispute gives the credits back. The order and
 * repetition of reports do not matter. A refund or dispute in a currency other than the payment's withdraws all
 * credits. Returns `recorded` if the payment is not paid yet, and `repeated` if the report changes nothing.
 */
export function reverse(db: Db, report: Reversal, now: Date) {
  return db.transaction().execute(async (tx) => {
    const { provider, payment_id, charge_ref = null, cause, amount, currency } = report;
    const part = sql`
      case when currency = ${currency} then least(price, ${amount}::bigint) else price end
    `;
    const dispute = sql`jsonb_build_object(
      ${report.dispute_ref}::text, ${cause === 'won' ? sql`0` : part}
    )`;
    // A won dispute stays won even if a later report differs.
    const change = {
      refund: { refunded: sql<string>`greatest(refunded, ${part})` },
      dispute: { disputes: sql<Record<string, number>>`${dispute} || disputes` },
      won: { disputes: sql<Record<string, number>>`disputes || ${dispute}` },
    }[cause];
    const payment = await tx
      .updateTable('customer.payment')
      .set(change)
      .where('provider', '=', provider)
      .where((eb) =>
        payment_id === undefined
          ? eb('charge_ref', '=', charge_ref)
          : eb('payment_id', '=', payment_id),
      )
      .returning(['payment_id', 'state'])
      .executeTakeFirst();
    if (!payment) return 'unknown';
    return payment.state === 'paid'
      ? balanceReversals(tx, payment.payment_id, cause, now)
      : 'recorded';
  });
}

/**
 * Withdraws credits in proportion to the refunds and disputes of a paid payment, less the credits withdrawn before.
 * Credits that are already spent are waived, so that no balance becomes negative. The caller has locked the payment.
 */
export async function balanceReversals(
  tx: Tx,
  payment_id: string,
  cause: Reversal['cause'],
  now: Date,
) {
  const payment = await selectPayment(tx, payment_id).executeTakeFirstOrThrow();
  const price = Number(payment.price);
  const disputed = Object.values(payment.disputes).reduce((sum, part) => sum + part, 0);
  const returned = Math.min(price, Number(payment.refunded) + disputed);
  const due = Math.floor((Number(payment.credits) * returned) / price);
  const asked = due - Number(payment.reversed_credits);
  if (asked === 0) return 'repeated';
  const { account_id, package_name, user_name } = payment;
  const { balance } = await readWallet(tx, account_id, true);
  const withdrawn = Number(payment.withdrawn_credits);
  // A won dispute gives back credits that were withdrawn, but not credits that were waived.
  const change = asked > 0 ? -Math.min(asked, balance) : Math.max(0, withdrawn - due);
  const operation_key = `reversal ${payment_id} ${randomUUID()}`;
  const description = `${titles[cause]}: ${package_name}`;
  const movement = { account_id, amount: Math.abs(change), description, operation_key, now };
  if (change < 0) await charge(tx, movement);
  if (change > 0) await grant(tx, { ...movement, type: 'deposit', purchased: 0 });
  await tx
    .updateTable('customer.payment')
    .set({ reversed_credits: due, withdrawn_credits: withdrawn - change })
    .where('payment_id', '=', payment_id)
    .execute();
  if (change === 0 || payment.account_ended_at) return 'reversed';
  const rest = Math.max(0, asked + change);
  const effect = { credits: movement.amount, rest, balance: balance + change };
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
