import { type Response, type Router, urlencoded } from 'express';
import type { SigningOptions } from './init.ts';
import { confirmation, confirmationLimit, createRecovery } from './recover.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { limitRequests } from '../auth/rate-limit.ts';
import { sendPrivatePage } from '../pages/page.ts';

/**
 * The page of the mailed link: `GET /recover?token=` shows a form and changes nothing, for mail
 * scanners follow links; `POST /recover` confirms the recovery and shows the new Master Token once.
 */
export function createRecoveryPages(options: SigningOptions): Router {
  const recovery = createRecovery(options);
  const router = createRouter();
  const limit = limitRequests(options, confirmationLimit);
  const readForm = urlencoded({ extended: false, limit: '10kb', parameterLimit: 10 });

  async function findAccount(token: unknown) {
    const account = typeof token === 'string' ? await recovery.findAccount(token) : undefined;
    return account && { language: account.language };
  }

  async function sendForm(response: Response, status: number, token: unknown, isRefused = false) {
    const account = await findAccount(token);
    if (account)
      sendPrivatePage(response, status, 'recovery-form', { token, isRefused, ...account });
    else sendPrivatePage(response, 422, 'recovery-dead');
  }

  router
    .route('/recover')
    .get((request, response) => sendForm(response, 200, request.query.token))
    .post(limit, readForm, async (request, response) => {
      const form = (request.body ?? {}) as Record<string, unknown>;
      const { data: proof } = confirmation.safeParse(form);
      // The recovery ends the link, which tells the language.
      const account = await findAccount(form.token);
      const opened = proof && (await recovery.confirm(proof));
      if (opened) sendPrivatePage(response, 200, 'recovery-done', { ...opened, ...account });
      else await sendForm(response, 422, form.token, true);
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}
