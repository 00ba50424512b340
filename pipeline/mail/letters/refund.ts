import { z } from 'zod';
import type { Letter } from '../letter.ts';
import { greet, type LetterOptions } from './options.ts';

/**
 * The data that the API stores for the mail about a payment that went back or, `won`, came back; counts are credits.
 */
const refundData = z.object({
  user_name: z.string(),
  package_name: z.string(),
  cause: z.enum(['refund', 'dispute', 'won']),
  credits: z.int(),
  /** The credits that were bought with the returned money and are spent already. */
  rest: z.int(),
  balance: z.int(),
});

export function writeRefundLetter({ texts }: LetterOptions, data: unknown): Letter {
  const { user_name, package_name, cause, credits, rest, balance } = refundData.parse(data);
  const { refund } = texts;
  const event = refund[cause]({ product: package_name });
  const outcome = refund.outcome({ cause, credits, balance });
  return {
    subject: refund.subject({ cause, credits }),
    pieces: [
      { text: greet(texts, user_name) },
      { text: `${event} ${outcome}` },
      ...(rest > 0 ? [{ text: refund.rest({ credits: rest }) }] : []),
    ],
  };
}
