import type { Request, Router } from 'express';
import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { readUnsubscribeToken } from '../../sql/secrets/unsubscribe-token.ts';
import { readForm } from '../http/bounded-body.ts';
import type { Context } from '../http/context.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { sendPrivatePage } from '../html/page.ts';

/**
 * Returns the account of an unsubscribe link; undefined if its token is forged or expired. Links that were mailed
 * before a recovery are invalid. The token is in the form, or in the query of a mail program's POST request (RFC 8058).
 */
async function findReader({ db, now, secretKey }: Context, { query, body }: Request) {
  const { token } = { ...query, ...(body as object | undefined) } as { token?: unknown };
  if (typeof token !== 'string') return undefined;
  const unsubscription = readUnsubscribeToken(secretKey, token, now());
  if (!unsubscription) return undefined;
  const { user_ref, issued_at } = unsubscription;
  // The token states its time of issue in whole seconds, so it stays valid after a recovery in the same second.
  const end_of_second = new Date(issued_at.getTime() + 1000);
  const reader = await db
    .selectFrom('customer.account')
    .select(['account_id', 'language'])
    .where('user_ref', '=', user_ref)
    .where((eb) => eb.or([eb('recovered_at', 'is', null), eb('recovered_at', '<', end_of_second)]))
    .executeTakeFirst();
  return reader && { token, ...reader };
}

/** Turns off alerts by mail for all watched companies of an account. */
async function stopMails(db: Db, account_id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select customer.lock_accounts(array[${account_id}::bigint])`.execute(tx);
    await sql`
      with setting as (
          update customer.alert_setting
          set notify_via_email = false
          where account_id = ${account_id}
      )
      update customer.watch
      set notify_via_email = false
      where account_id = ${account_id} and has_custom_settings
    `.execute(tx);
  });
}

/**
 * Serves the page of the unsubscribe link in mails. `GET` only shows a button, since mail scanners open all links in
 * mails. The button or a mail program sends a `POST`, which turns off alerts by mail.
 */
export function createUnsubscribePages(options: Context): Router {
  const router = createRouter();

  router
    .route('/unsubscribe')
    .get(async (request, response) => {
      const reader = await findReader(options, request);
      if (reader) sendPrivatePage(response, 200, 'unsubscribe-form', reader);
      else sendPrivatePage(response, 422, 'unsubscribe-refused');
    })
    .post(readForm, async (request, response) => {
      const reader = await findReader(options, request);
      if (reader) await stopMails(options.db, reader.account_id);
      if (reader) sendPrivatePage(response, 200, 'unsubscribe-done', reader);
      else sendPrivatePage(response, 422, 'unsubscribe-refused');
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}
