/**
 * The names of the settings of all programs of the product; one program reads some of them.
 * `scripts/settings.test.ts` compares the list with the settings that the programs read, and with the guide.
 */
export const settingNames: readonly string[] = [
  'BASE_URL',
  'BIR_API_KEY',
  'BIR_URL',
  'CEIDG_TOKEN',
  'CEIDG_URL',
  'CLOSED_PERSON_DAYS',
  'CONTACT',
  'CORS_ORIGINS',
  'DATABASE_DIRECT_URL',
  'DATABASE_NAMED_STATEMENTS',
  'DATABASE_READER_URL',
  'DATABASE_READ_LAG_SECONDS',
  'DATABASE_READ_URL',
  'DATABASE_SESSIONS',
  'DATABASE_URL',
  'DATA_DIR',
  'FREE_MAIL_DOMAINS',
  'HOST',
  'INBOX_DAYS',
  'INBOX_DIR',
  'IP_DAYS',
  'KRS_URL',
  'LEDGER_DAYS',
  'LOG_LEVEL',
  'MAIL_DAYS',
  'MAIL_FROM',
  'METRICS_PORT',
  'NAF2025_FROM',
  'NIGHTLY_CRON',
  'PAYMENT_PROVIDER',
  'PORT',
  'PRIVACY_FILE',
  'QUEUED_NUMBERS_PER_ACCOUNT',
  'READER_PORT',
  'REGISTRATION_OPEN',
  'REJECT_DAYS',
  'REQUESTS_IN_FLIGHT',
  'SAMPLE_DATA',
  'SEARCHES_IN_FLIGHT',
  'SEARCH_CREDITS',
  'SECRET_KEY',
  'SIRENE_STOCK_URL',
  'SIRENE_TOKEN',
  'SIRENE_URL',
  'SMTP_URL',
  'SNAPSHOT_CREDITS',
  'STRIPE_API_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SUBMISSIONS_PER_DAY',
  'SUPPRESS_BELOW',
  'TERMS_FILE',
  'TOKENS_PER_ACCOUNT',
  'TRUST_PROXY',
  'WATCHES_PER_ACCOUNT',
  'WEBHOOK_ALLOW_PRIVATE',
];

/** The length from which one wrong letter is reported: shorter names resemble variables of other programs. */
const SHORTEST = 8;

/** Returns two words without their common beginning and end. */
function findDifference(one: string, other: string): [string, string] {
  const most = Math.min(one.length, other.length);
  let begin = 0;
  while (begin < most && one[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
}

/**
 * Checks whether two words differ by two swapped letters or, in a long word, by one added, missing or wrong
 * letter.
 */
function isOneSlip(given: string, setting: string): boolean {
  const [left, right] = findDifference(given, setting);
  if (setting.length >= SHORTEST && left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === right.at(-1)! + right[0]!;
}

/**
 * Returns a hint for each unknown variable whose name is one typing error away from an unset setting. All other
 * variables belong to other programs.
 */
export function nameMisspelt(variables: NodeJS.ProcessEnv): string[] {
  const unset = settingNames.filter((setting) => !variables[setting]);
  return Object.keys(variables)
    .filter((name) => !settingNames.includes(name))
    .flatMap((name) => {
      const near = unset.find((setting) => isOneSlip(name.toUpperCase(), setting));
      return near === undefined ? [] : [`${name} is no setting; is it ${near}?`];
    });
}
