import type { Request, Router } from 'express';
import { sql } from 'kysely';
import { readUnsubscribeToken } from '../../sql/secrets/unsubscribe-token.ts';
import { readForm } from '../http/bounded-body.ts';
import type { Context } from '../http/context.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { sendPrivatePage } from '../html/page.ts';

/**
 * Selects the account of an unsubscribe link; undefined for a forged or expired token. A link from before the last
 * recovery of an account selects no account.
 */
function selectReader({ db, now, secretKey }: Context, token: string) {
  const unsubscription = readUnsubscribeToken(secretKey, token, now());
  if (!unsubscription) return undefined;
  const { user_ref, issued_at } = unsubscription;
  // A token holds the time of its issue in whole seconds only.
  const end_of_second = new Date(issued_at.getTime() + 1000);
  return db
    .selectFrom('customer.account')
    .select(['account_id', 'language'])
    .where('user_ref', '=', user_ref)
    .where((eb) => eb.or([eb('recovered_at', 'is', null), eb('recovered_at', '<', end_of_second)]));
}

/** Turns off all alerts by mail of an account, and returns the account; undefined for an invalid token. */
async function stopMails(options: Context, token: string) {
  return options.db.transaction().execute(async (tx) => {
    const reader = selectReader({ ...options, db: tx }, token);
    const account = await reader?.forNoKeyUpdate().executeTakeFirst();
    if (!account) return undefined;
    await sql`
      with setting as (
          update customer.alert_setting
          set notify_via_email = false
          where account_id = ${account.account_id}
      )
      update customer.watch
      set notify_via_email = false
      where account_id = ${account.account_id} and has_custom_settings
    `.execute(tx);
    return account;
  });
}

/** Returns the token from the form of the page, or from the address, which mail programs use (RFC 8058). */
function tokenOf({ query, body }: Request): string | undefined {
  const { token } = (body as { token?: unknown } | undefined) ?? {};
  const given = token ?? query.token;
  return typeof given === 'string' ? given : undefined;
}

/**
 * Serves the page of the unsubscribe link in digest mails. `GET` shows a button and changes nothing, since mail
 * scanners follow links; the button or a mail program sends `POST`, which turns off the alerts by mail.
 */
export function createUnsubscribePages(options: Context): Router {
  const router = createRouter();

  router
    .route('/unsubscribe')
    .get(async (request, response) => {
      const token = tokenOf(request) ?? '';
      const reader = await selectReader(options, token)?.executeTakeFirst();
      if (reader) sendPrivatePage(response, 200, 'unsubscribe-form', { token, ...reader });
      else sendPrivatePage(response, 422, 'unsubscribe-refused');
    })
    .post(readForm, async (request, response) => {
      const reader = await stopMails(options, tokenOf(request) ?? '');
      if (reader) sendPrivatePage(response, 200, 'unsubscribe-done', reader);
      else sendPrivatePage(response, 422, 'unsubscribe-refused');
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}
