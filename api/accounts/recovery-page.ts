import { type Response, Router, urlencoded } from 'express';
import { escapeHtml } from '../../sql/html.ts';
import { confirmation, confirmationLimit, createRecovery } from './recover.ts';
import type { OpenedAccount } from './init.ts';
import type { AppOptions } from '../app.ts';
import { onlyAllow } from '../http/errors.ts';
import { limitRequests } from '../auth/rate-limit.ts';
import { copyable, sendPage } from '../pages/page.ts';

const title = 'Account recovery';

const refusal = `<p role="alert">Recovery confirmation failed. The password is not the one of the request for recovery.</p>
`;

function formOf(token: string): string {
  return `<p>Repeat the password that was chosen in the request for recovery. It becomes the password of the
account, every token of the account is revoked, and a new Master Token is shown.</p>
<p>If you did not ask for this, close the page: nothing has been changed.</p>
<form method="post" action="/recover">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus>
<button type="submit">Recover the account</button>
</form>`;
}

function resultOf({ user_ref, email, master_token, token_ref }: OpenedAccount): string {
  return `<p>The account ${escapeHtml(user_ref)} (${escapeHtml(email)}) is recovered. All tokens that it had are
revoked.</p>
<p>This is its new Master Token (${escapeHtml(token_ref)}). Store it now: it will not be shown again.</p>
${copyable(master_token, 'the Master Token')}
<p><a class="button" href="/console">Open the console</a></p>`;
}

const dead = `<p role="alert">This link cannot be used: it has expired, was used before, or is not complete. Nothing was
changed.</p>
<p><a class="button" href="/console#recover">Ask for a new link</a></p>`;

/**
 * The page of the mailed link: `GET /recover?token=` shows a form and changes nothing, for mail
 * scanners follow links; `POST /recover` confirms the recovery and shows the new Master Token once.
 */
export function createRecoveryPages(options: AppOptions): Router {
  const recovery = createRecovery(options);
  const router = Router();
  const limit = limitRequests(options, confirmationLimit);
  const readForm = urlencoded({ extended: false, limit: '10kb', parameterLimit: 10 });

  async function sendForm(response: Response, status: number, token: unknown, problem = '') {
    const isOpen = typeof token === 'string' && (await recovery.isOpen(token));
    if (isOpen) sendPage(response, status, title, problem + formOf(token));
    else sendPage(response, 422, title, dead);
  }

  router
    .route('/recover')
    .get((request, response) => sendForm(response, 200, request.query.token))
    .post(limit, readForm, async (request, response) => {
      const form = (request.body ?? {}) as Record<string, unknown>;
      const { data: proof } = confirmation.safeParse(form);
      const opened = proof && (await recovery.confirm(proof));
      if (opened) sendPage(response, 200, title, resultOf(opened));
      else await sendForm(response, 422, form.token, refusal);
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}
