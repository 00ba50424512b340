import type { Kysely } from 'kysely';
import { readUnsubscribeToken, type Unsubscription } from '../../sql/secrets/unsubscribe-token.ts';
import type { Tables } from '../../sql/tables/tables.ts';

interface UnsubscribeOptions {
  db: Kysely<Tables>;
  now: () => Date;
  secretKey: string;
}

/** The account of a link, unless it was recovered after the mail of the link. */
function selectReader(db: Kysely<Tables>, { user_ref, issued_at }: Unsubscription) {
  // A token knows the second in which it was issued.
  const end_of_second = new Date(issued_at.getTime() + 1000);
  return db
    .selectFrom('customer.account')
    .select('account_id')
    .where('user_ref', '=', user_ref)
    .where((eb) => eb.or([eb('recovered_at', 'is', null), eb('recovered_at', '<', end_of_second)]));
}

/** Whether the token of a link still turns mails off. */
export async function isUnsubscribeToken(
  { db, now, secretKey }: UnsubscribeOptions,
  token: string,
): Promise<boolean> {
  const unsubscription = readUnsubscribeToken(secretKey, token, now());
  if (!unsubscription) return false;
  return (await selectReader(db, unsubscription).executeTakeFirst()) !== undefined;
}

/**
 * Turns alerts by mail off for the account of a token, also for companies with settings of their own.
 * Thresholds and filters stay.
 *
 * @returns false when the token is forged or has expired; nothing is changed then
 */
export async function stopMails(
  { db, now, secretKey }: UnsubscribeOptions,
  token: string,
): Promise<boolean> {
  const unsubscription = readUnsubscribeToken(secretKey, token, now());
  if (!unsubscription) return false;
  return db.transaction().execute(async (tx) => {
    const account = await selectReader(tx, unsubscription).forNoKeyUpdate().executeTakeFirst();
    if (!account) return false;
    const { account_id } = account;
    const off = { notify_via_email: false };
    await tx
      .updateTable('customer.alert_setting')
      .set(off)
      .where('account_id', '=', account_id)
      .execute();
    await tx
      .updateTable('customer.watch')
      .set(off)
      .where('account_id', '=', account_id)
      .where('has_custom_settings', '=', true)
      .execute();
    return true;
  });
}
