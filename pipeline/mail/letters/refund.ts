import { type Letter, type LetterOptions } from '../letter.ts';

/**
 * The data that the API stores for the mail about a refund, a disputed payment, or a dispute that the seller `won`.
 * `credits`, `rest` and `balance` are numbers of credits.
 */
interface RefundData {
  package_name: string;
  cause: 'refund' | 'dispute' | 'won';
  credits: number;
  /** The number of the payment's credits that cannot be taken back, because the account has spent them. */
  rest: number;
  balance: number;
}

export function writeRefundLetter({ texts }: LetterOptions, data: RefundData): Letter {
  const { package_name, cause, credits, rest, balance } = data;
  const { refund } = texts;
  const event = refund[cause]({ product: package_name });
  const outcome = refund.outcome({ cause, credits, balance });
  return {
    subject: refund.subject({ cause, credits }),
    pieces: [
      { text: `${event} ${outcome}` },
      ...(rest > 0 ? [{ text: refund.rest({ credits: rest }) }] : []),
    ],
  };
}
