import type { RequestHandler, Router } from 'express';
import { confirmation, confirmRecovery, findRecovery } from './recover.ts';
import type { Context } from '../http/context.ts';
import { readForm } from '../http/bounded-body.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { limits } from '../figures/rate-limits.ts';
import { sendPrivatePage } from '../html/page.ts';

type Form = Record<string, unknown>;

/** Returns the token in the field `token`, which may contain a whole recovery link; undefined without this field. */
function tokenOf({ token }: Form): string | undefined {
  return typeof token === 'string' ? token.trim().replace(/^.*[#?&]token=/s, '') : undefined;
}

/**
 * Serves the pages of the recovery link `/recover#token=…`. A browser sends no server the part after `#`, so a script
 * of the first page (recovery-link.eta) posts the token. `POST /recover` with a token but no password answers with a
 * form for the password. `POST /recover` with token and password answers with the new Master Token.
 */
export function createRecoveryPages(options: Context): Router {
  const router = createRouter();
  const limit = options.limiter.limitRequests(limits.confirmRecovery);

  const limitConfirmation: RequestHandler = (request, response, next) => {
    if (formOf(request).password === undefined) next();
    else limit(request, response, next);
  };

  router
    .route('/recover')
    .get((_request, response) => sendPrivatePage(response, 200, 'recovery-link'))
    .post(readForm, limitConfirmation, async (request, response) => {
      const form = formOf(request);
      const token = tokenOf(form);
      // The account's language is read before the recovery, which makes the recovery link invalid.
      const language = (await findRecovery(options, token ?? ''))?.language;
      const { data: proof } = confirmation.safeParse(form);
      const opened = proof && (await confirmRecovery(options, proof));
      const isRefused = form.password !== undefined;
      const asked = { token, isRefused, isTranslatable: true, language };
      if (opened) sendPrivatePage(response, 200, 'recovery-done', { ...opened, language });
      else if (!language) sendPrivatePage(response, 422, 'recovery-dead');
      else sendPrivatePage(response, isRefused ? 422 : 200, 'recovery-form', asked);
    })
    .all(onlyAllow('GET, HEAD, POST'));

  return router;
}

function formOf({ body }: { body?: unknown }): Form {
  return (body ?? {}) as Form;
}
