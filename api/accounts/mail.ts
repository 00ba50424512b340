import type { Tx } from '../../sql/kysely.ts';

interface MailOrder {
  /** Names the cause: each key has at most one mail. */
  mail_key: string;
  account: { account_id: string; email: string };
  /** One of the letters of `pipeline/mail/letters/`. */
  template: 'init' | 'recover' | 'recovered' | 'refund';
  data: Record<string, unknown>;
  now: Date;
  /** Absent: at once. */
  send_after?: Date | null;
}

/** Writes a mail to the owner of an account; the worker sends it after the caller's transaction. */
export async function leaveMail(tx: Tx, { account, data, now, ...mail }: MailOrder): Promise<void> {
  await tx
    .insertInto('customer.mail')
    .values({
      ...mail,
      account_id: account.account_id,
      recipient: account.email,
      data: JSON.stringify(data),
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('mail_key').doNothing())
    .execute();
}
