import { readUnsubscribeToken } from '../../sql/secrets/unsubscribe-token.ts';
import type { AppOptions } from '../app.ts';

type UnsubscribeOptions = Pick<AppOptions, 'db' | 'now' | 'secretKey'>;

/** The account of a link; none when the token is forged or expired, or a recovery came after the mail. */
function selectReader({ db, now, secretKey }: UnsubscribeOptions, token: string) {
  const unsubscription = readUnsubscribeToken(secretKey, token, now());
  if (!unsubscription) return undefined;
  const { user_ref, issued_at } = unsubscription;
  // A token holds the second of its issue.
  const end_of_second = new Date(issued_at.getTime() + 1000);
  return db
    .selectFrom('customer.account')
    .select('account_id')
    .where('user_ref', '=', user_ref)
    .where((eb) => eb.or([eb('recovered_at', 'is', null), eb('recovered_at', '<', end_of_second)]));
}

/** Whether the token of a link still turns mails off. */
export async function isUnsubscribeToken(
  options: UnsubscribeOptions,
  token: string,
): Promise<boolean> {
  return (await selectReader(options, token)?.executeTakeFirst()) !== undefined;
}

/**
 * Turns alerts by mail off for the account of a token, also for companies with settings of their own.
 * Thresholds and filters stay.
 *
 * @returns false, without a change, when the token is not valid
 */
export async function stopMails(options: UnsubscribeOptions, token: string): Promise<boolean> {
  return options.db.transaction().execute(async (tx) => {
    const reader = selectReader({ ...options, db: tx }, token);
    const account = await reader?.forNoKeyUpdate().executeTakeFirst();
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
