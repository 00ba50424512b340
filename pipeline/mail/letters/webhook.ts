import { type Letter, type LetterOptions } from '../letter.ts';

/** The data of a mail about a failing or recovered webhook. retry-or-disable.ts and end_turn.sql request such mails. */
interface WebhookData {
  url: string;
  webhook_ref: string;
  cause: 'unanswered' | 'failing' | 'gone' | 'works';
  /** The time of the first failed call, in ISO 8601. */
  since: string;
  /** The last answer of the receiver (`HTTP 500`), or the reason why the receiver did not answer. */
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
