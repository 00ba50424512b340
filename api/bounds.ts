import { z } from 'zod';

const mostDigits = 9;

const bound = (standard: number) =>
  z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${mostDigits - 1}}$`))
    .transform(Number)
    .default(standard);

/** What one account may have or do, so that it takes nothing from others: settings with their defaults. */
export const boundShape = {
  /** Companies on a watch list: ready, queued and failed. */
  WATCHES_PER_ACCOUNT: bound(10_000),
  /** Numbers that wait for their import. */
  QUEUED_NUMBERS_PER_ACCOUNT: bound(1_000),
  /** Tokens that are neither revoked nor expired, and as many that are. */
  TOKENS_PER_ACCOUNT: bound(100),
  /** Requests that add companies, each of which can cause a mail. */
  SUBMISSIONS_PER_DAY: bound(1_000),
  /** Objections to what is said of companies that the operator has not answered yet. */
  /** Requests under way in one process, most of its ten sessions; also those of an address without a token. */
  REQUESTS_IN_FLIGHT: bound(8),
  /** Of these, searches. */
  SEARCHES_IN_FLIGHT: bound(2),
  /** Searches that are not charged, because they find nothing or the wallet is short. */
};

export type Bounds = z.output<z.ZodObject<typeof boundShape>>;

export const boundDefaults: Bounds = z.object(boundShape).parse({});

export const boundSentences = Object.fromEntries(
  Object.keys(boundShape).map((name) => [
    name,
    `${name} must be a whole number from 1 to ${'9'.repeat(mostDigits)}.`,
  ]),
);
