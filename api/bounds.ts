import { z } from 'zod';

/** What one account may have or do, so that it takes nothing from others: settings with their defaults. */
export const boundDefaults = {
  /** Companies on a watch list: ready, queued and failed. */
  WATCHES_PER_ACCOUNT: 10_000,
  /** Numbers that wait for their import. */
  QUEUED_NUMBERS_PER_ACCOUNT: 1_000,
  /** Tokens that are neither revoked nor expired, and as many that are. */
  TOKENS_PER_ACCOUNT: 100,
  /** Requests that add companies, each of which can cause a mail. */
  SUBMISSIONS_PER_DAY: 1_000,
  /** Requests under way in one process, most of its ten sessions; also those of an address without a token. */
  REQUESTS_IN_FLIGHT: 8,
  /** Of these, searches. */
  SEARCHES_IN_FLIGHT: 2,
  /** Searches that are not charged, because they find nothing or the wallet is short. */
  FREE_SEARCHES_PER_MINUTE: 60,
};

type Name = keyof typeof boundDefaults;
export type Bounds = Record<Name, number>;

const mostDigits = 9;

function mapBounds<Value>(map: (name: Name) => Value): Record<Name, Value> {
  const names = Object.keys(boundDefaults) as Name[];
  return Object.fromEntries(names.map((name) => [name, map(name)])) as Record<Name, Value>;
}

export const boundSentences = mapBounds(
  (name) => `${name} must be a whole number from 1 to ${'9'.repeat(mostDigits)}.`,
);

export const boundShape = mapBounds((name) =>
  z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${mostDigits - 1}}$`))
    .transform(Number)
    .default(boundDefaults[name]),
);

/** The bounds among the settings. */
export function pickBounds(checked: Bounds): Bounds {
  return mapBounds((name) => checked[name]);
}
