import { join } from 'node:path';
import { validate as isCron } from 'node-cron';
import parseAddresses from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import {
  baseUrlNeeded,
  checkEnvironment,
  commonShape,
  EnvironmentError,
  sentenceOf,
  setting,
  whole,
} from '../sql/process/environment.ts';
import { retention } from './figures/retention-periods.ts';
import { isDate } from './calendar.ts';
import type { SendOptions } from './mail/send.ts';

export type Environment = ReturnType<typeof readEnvironment>;

const dayCount = setting('a number of days from 1 to 36500', whole(1, 36_500));

/** The settings of the pipeline, with their checks. */
export const shape = {
  ...commonShape,
  /** The address of the database with the login of analysts. */
  DATABASE_READER_URL: commonShape.DATABASE_URL,
  DATABASE_DIRECT_URL: commonShape.DATABASE_URL,
  INBOX_DIR: z.string().optional(),
  /** The times at which `schedule` runs `nightly`: five or six cron fields, in the time of the default country. */
  // CEIDG publishes its reports between six and seven in the morning.
  NIGHTLY_CRON: setting(
    'a cron expression, such as 30 7 * * *',
    z.string().refine((expression) => isCron(expression)),
  ).default('30 7 * * *'),
  // PORT and HOST are settings of the API, which checks them.
  PORT: z.string().default(''),
  HOST: z.string().default('127.0.0.1'),
  /** The address of the SMTP server; undefined: mails become files below DATA_DIR. */
  SMTP_URL: setting(
    'the address of an SMTP server, such as smtps://user:password@host',
    z.url({ protocol: /^smtps?$/ }),
  ).optional(),
  // The days after which personal data is erased; without a default: never.
  MAIL_DAYS: dayCount.default(retention.MAIL_DAYS),
  REJECT_DAYS: dayCount.default(retention.REJECT_DAYS),
  IP_DAYS: dayCount.default(retention.IP_DAYS),
  LEDGER_DAYS: dayCount.default(retention.LEDGER_DAYS),
  INBOX_DAYS: dayCount.optional(),
  CLOSED_PERSON_DAYS: dayCount.optional(),
  // INSEE has moved the first day of NAF 2025 before.
  NAF2025_FROM: setting('a day YYYY-MM-DD', z.string().refine(isDate)).default('2027-01-05'),
  MAIL_FROM: setting(
    'one address that mails come from, such as Registry <no-reply@registry.example>; it must be given where SMTP_URL is',
    z
      .string()
      .transform((text) => readSender(text))
      .refine((sender) => sender !== undefined),
  ).optional(),
};

/** Reads a sender with one address; returns undefined for any other text. */
function readSender(text: string): SendOptions['sender'] | undefined {
  const [sender, ...others] = parseAddresses(text);
  if (!sender || others.length > 0 || !('address' in sender)) return undefined;
  const { name, address } = sender;
  const isClean = /^[^\s@<>]+@[^\s@<>]+$/.test(address ?? '') && !/[\r\n]/.test(text);
  return isClean ? { name, address: address! } : undefined;
}

/** Reads and checks the settings of the pipeline. Throws an `EnvironmentError`. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env) {
  const checked = checkEnvironment(shape, variables);
  const lacking = [
    ...(checked.SMTP_URL && !checked.BASE_URL ? [baseUrlNeeded] : []),
    ...(checked.SMTP_URL && !checked.MAIL_FROM ? [sentenceOf('MAIL_FROM', shape.MAIL_FROM)] : []),
  ];
  if (lacking.length > 0) throw new EnvironmentError(lacking.join('\n'));
  return {
    ...checked,
    // The locks of nights, migrations and the queue belong to a session, so no pooler may stand in between.
    DATABASE_URL: checked.DATABASE_DIRECT_URL ?? checked.DATABASE_URL,
    /** The folder of the dumps that `nightly` looks for: `<source>/<date>/`. */
    inboxDir: checked.INBOX_DIR ?? join(checked.DATA_DIR, 'inbox'),
    /** The first day on which a full dump may move all entries to a classification, by the classification's name. */
    recodedFrom: { NAF2025: checked.NAF2025_FROM },
    /** The address of the API in mails, without a slash at the end. */
    BASE_URL: checked.BASE_URL ?? `http://localhost:${Number(checked.PORT) || 8080}`,
    MAIL_FROM: checked.MAIL_FROM ?? { name: 'Company Registry', address: 'registry@localhost' },
    /** The address on which a process serves `/metrics`; undefined without METRICS_PORT. */
    metrics: checked.METRICS_PORT ? { host: checked.HOST, port: checked.METRICS_PORT } : undefined,
  };
}
