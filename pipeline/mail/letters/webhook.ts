import { type Letter, type LetterOptions } from '../letter.ts';

/** The data that `webhook/end_turn.sql` stores for the mail about the failures of a webhook, or about their end. */
interface WebhookData {
  url: string;
  webhook_ref: string;
  cause: 'unanswered' | 'failing' | 'gone' | 'works';
  /** The time of the first failure, ISO 8601. */
  since: string;
  /** The last answer, or the reason why none came. */
  answer: string;
}

export function writeWebhookLetter(
  { texts, baseUrl }: Pick<LetterOptions, 'texts' | 'baseUrl'>,
  { url, webhook_ref, cause, since, answer }: WebhookData,
): Letter {
  const words = texts.webhook;
  const isEnded = cause === 'failing' || cause === 'gone';
  const request = `PATCH ${baseUrl}/api/v1/webhooks/${webhook_ref} {"state":"active"}`;
  return {
    subject: words.subject({ cause }),
    pieces: [
      { text: words[cause]({ since: new Date(since) }) },
      { code: url },
      ...(cause === 'works' ? [] : [{ text: words.answer({ answer }) }]),
      ...(isEnded ? [{ text: words.resume() }, { code: request }] : []),
    ],
  };
}
