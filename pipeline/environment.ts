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

/** The schemas that check the settings of the pipeline (environment variables). */
export const shape = {
  ...commonShape,
  /** The address of the database with the login of analysts, for `registry psql`. */
  DATABASE_READER_URL: commonShape.DATABASE_URL,
  DATABASE_DIRECT_URL: commonShape.DATABASE_URL,
  INBOX_DIR: z.string().optional(),
  /** When `schedule` runs `nightly`: five or six cron fields, in the time zone of the default country's country.csv. */
  // The default is 7:30, because CEIDG publishes its reports between six and seven in the morning.
  NIGHTLY_CRON: setting(
    'a cron expression, such as 30 7 * * *',
    z.string().refine((expression) => isCron(expression)),
  ).default('30 7 * * *'),
  // The pipeline reads the API's settings PORT and HOST without a check; the API checks these settings.
  PORT: z.string().default(''),
  HOST: z.string().default('127.0.0.1'),
  /** The address of the SMTP server; undefined: mails are written to files in a folder of DATA_DIR. */
  SMTP_URL: setting(
    'the address of an SMTP server, such as smtps://user:password@host',
    z.url({ protocol: /^smtps?$/ }),
  ).optional(),
  // The numbers of days after which personal data is erased; a setting without a default erases nothing.
  MAIL_DAYS: dayCount.default(retention.MAIL_DAYS),
  REJECT_DAYS: dayCount.default(retention.REJECT_DAYS),
  IP_DAYS: dayCount.default(retention.IP_DAYS),
  LEDGER_DAYS: dayCount.default(retention.LEDGER_DAYS),
  INBOX_DAYS: dayCount.optional(),
  CLOSED_PERSON_DAYS: dayCount.optional(),
  // The first day of the activity codes NAF 2025 is a setting, because INSEE has already postponed this day once.
  NAF2025_FROM: setting('a day YYYY-MM-DD', z.string().refine(isDate)).default('2027-01-05'),
  MAIL_FROM: setting(
    'one address that mails come from, such as Registry <no-reply@registry.example>; it must be given where SMTP_URL is',
    z
      .string()
      .transform((text) => readSender(text))
      .refine((sender) => sender !== undefined),
  ).optional(),
};

/** Returns the name and the address of a mail sender (`Name <a@b.example>`); undefined for any other text. */
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
    // Nights, migrations and workers lock by session, so they need a direct address in place of a pooler's address.
    DATABASE_URL: checked.DATABASE_DIRECT_URL ?? checked.DATABASE_URL,
    /** The inbox, the folder in which `nightly` finds the dumps in subfolders `<source>/<date>/`. */
    inboxDir: checked.INBOX_DIR ?? join(checked.DATA_DIR, 'inbox'),
    /** By a classification's name: the first day on which a full dump may recode all activities to it. */
    recodedFrom: { NAF2025: checked.NAF2025_FROM },
    /** The address of the API, with which the links in mails begin; it has no slash at the end. */
    BASE_URL: checked.BASE_URL ?? `http://localhost:${Number(checked.PORT) || 8080}`,
    MAIL_FROM: checked.MAIL_FROM ?? { name: 'Company Registry', address: 'registry@localhost' },
    /** The host and port on which a process serves `/metrics`; undefined without METRICS_PORT. */
    metrics: checked.METRICS_PORT ? { host: checked.HOST, port: checked.METRICS_PORT } : undefined,
  };
}
