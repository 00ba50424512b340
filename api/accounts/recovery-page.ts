import type { RequestHandler, Response, Router } from 'express';
import type { SigningOptions } from './init.ts';
import { confirmation, createRecovery } from './recover.ts';
import { readForm } from '../http/bounded-body.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { limits } from '../figures.ts';
import { sendPrivatePage } from '../html/page.ts';

type Form = Record<string, unknown>;

/**
 * Returns the token of a recovery link; undefined without one. A person may paste the whole link or only its
 * token.
 */
function tokenOf({ token }: Form): string | undefined {
  return typeof token === 'string' ? token.trim().replace(/^.*[#?&]token=/s, '') : undefined;
}

/**
 * Serves the pages of a recovery link, `/recover#token=`; no server sees the fragment of a link. `GET /recover`
 * sends a script that posts the token, and a form for browsers without scripts. `POST /recover` with only the
 * token shows the password form and changes nothing, since mail scanners follow links. `POST /recover` with token
 * and password confirms the recovery and shows the new Master Token once.
 *
 * `GET` also accepts `?token=`, the form of links in older mails, while such a link can be valid.
 */
export function createRecoveryPages(options: SigningOptions): Router {
  const recovery = createRecovery(options);
  const router = createRouter();
  const limit = options.limiter.limitRequests(limits.confirmRecovery);

  async function findAccount(token: string | undefined) {
    const account = token === undefined ? undefined : await recovery.findAccount(token);
    return account && { language: account.language };
  }

  async function sendForm(response: Response, form: Form, isRefused = false) {
    const token = tokenOf(form);
    const account = await findAccount(token);
    const data = { token, isRefused, isTranslatable: true, ...account };
    if (account) sendPrivatePage(response, isRefused ? 422 : 200, 'recovery-form', data);
    else sendPrivatePage(response, 422, 'recovery-dead');
  }

  const limitConfirmation: RequestHandler = (request, response, next) => {
    if (formOf(request).password === undefined) next();
    else limit(request, response, next);
  };

  router
    .route('/recover')
    .get(async (request, response) => {
      if (request.query.token === undefined) sendPrivatePage(response, 200, 'recovery-link');
      else await sendForm(response, request.query);
    })
    .post(readForm, limitConfirmation, async (request, response) => {
      const form = formOf(request);
      if (form.password === undefined) {
        await sendForm(response, form);
        return;
      }
      const { data: proof } = confirmation.safeParse(form);
      // The language is read before the recovery, which makes the link invalid.
      const account = await findAccount(tokenOf(form));
      const opened = proof && (await recovery.confirm(proof));
      if (opened) sendPrivatePage(response, 200, 'recovery-done', { ...opened, ...account });
      else await sendForm(response, form, true);
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}

function formOf({ body }: { body?: unknown }): Form {
  return (body ?? {}) as Form;
}
