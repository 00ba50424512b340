import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import {
  baseUrlNeeded,
  checkEnvironment,
  choice,
  commonShape,
  EnvironmentError,
  flag,
  isLoopback,
  list,
  setting,
  whole,
} from '../sql/process/environment.ts';
import type { Language } from '../sql/words/message-format.ts';
import { bounds, type Bounds } from './figures/account-limits.ts';
import { prices } from './figures/prices-and-bonus.ts';
import { normalizeDomain } from './accounts/mail-address.ts';
import { createPayment } from './wallet/payment.ts';

const maxProxies = 16;

// A network `/0` must not be trusted, since it includes every client: any client could then forge its address.
const subnet = z.union([z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith('/0'));

function isNetwork(text: string): boolean {
  const isNamed = ['loopback', 'linklocal', 'uniquelocal'].includes(text);
  return isNamed || isIP(text) !== 0 || subnet.safeParse(text).success;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const credits = whole(0, 999_999_999);
const bound = whole(1, 999_999_999);

const boundShape = Object.fromEntries(
  Object.entries(bounds).map(([name, standard]) => [name, bound.default(standard)]),
) as Record<keyof Bounds, z.ZodDefault<typeof bound>>;

/** Returns the text of a file or, if it is not readable, of the file `other`; undefined if neither is readable. */
function readText(path: string, other?: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return other && readText(other);
  }
}

/** Checks the path of a text file (`terms.md`). Polish pages show the text of `terms.pl.md`, if this file exists. */
const notice = setting(
  'the path of a file with text, Markdown or HTML',
  z
    .string()
    .refine((path) => readText(path) !== undefined)
    .transform((path) => {
      const textIn = (language: Language) =>
        readText(path.replace(/(?=\.[^./]*$)|$/, `.${language}`), path)!;
      return { en: textIn('en'), pl: textIn('pl') };
    }),
).optional();

const localIsPrivate =
  'PAYMENT_PROVIDER must be stripe where HOST, BASE_URL or TRUST_PROXY opens the API to others: at the local checkout credits cost nothing.';

/** The schemas that check the settings of the API. */
export const shape = {
  ...commonShape,
  ...boundShape,
  HOST: setting(
    'the address to listen on, such as 127.0.0.1 or 0.0.0.0',
    z.string().refine((text) => isIP(text) !== 0 || /^[a-z\d.-]+$/i.test(text)),
  ).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  /** The proxies whose header `X-Forwarded-For` is trusted: their count, their networks, or false for no proxy. */
  TRUST_PROXY: setting(
    `the number of proxies in front of the API (0 to ${maxProxies}) or a comma-separated list of their networks, such as 10.0.0.0/8, and not all of them`,
    z.union([
      whole(0, maxProxies).transform((value) => value || (false as const)),
      list.refine((networks) => networks.every(isNetwork)),
    ]),
  ).default(false),
  CORS_ORIGINS: setting(
    'a comma-separated list of origins, such as https://app.example.com',
    list.refine((parts) => parts.every(isOrigin)),
  ).default([]),
  REGISTRATION_OPEN: flag('true'),
  FREE_MAIL_DOMAINS: setting(
    'a comma-separated list of domains, such as mail.example,post.example',
    list
      .transform((parts) => parts.map(normalizeDomain))
      .refine((parts): parts is string[] => parts.every((domain) => domain !== undefined)),
  ).default([]),
  SEARCH_CREDITS: credits.default(prices.SEARCH_CREDITS),
  SNAPSHOT_CREDITS: credits.default(prices.SNAPSHOT_CREDITS),
  SUPPRESS_BELOW: whole(0, 999).default(0),
  PRIVACY_FILE: notice,
  TERMS_FILE: notice,
  CONTACT: setting(
    'a mail address, or the address of a page such as https://registry.example/contact',
    z.union([z.email(), z.url({ protocol: /^https?$/ })]),
  ).optional(),
  SAMPLE_DATA: flag('false'),
  PAYMENT_PROVIDER: choice('local', 'stripe').optional(),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_API_URL: z.string().optional(),
  // The pipeline sends mails by `SMTP_URL`; with `SMTP_URL`, the API requires `BASE_URL`, to which mails link.
  SMTP_URL: z.string().optional(),
};

export type Environment = ReturnType<typeof readEnvironment>;

/** Returns the checked settings of the API. Throws an `EnvironmentError` for a wrong or missing setting. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env) {
  const checked = checkEnvironment(shape, variables);
  const isPrivate =
    isLoopback(checked.HOST) &&
    isLoopback(new URL(checked.BASE_URL ?? 'http://localhost').hostname) &&
    checked.TRUST_PROXY === false;
  // `createPayment` throws if a setting of the payment provider is missing.
  createPayment(checked, '');
  const { PAYMENT_PROVIDER: provider } = checked;
  if (provider === 'local' && !isPrivate) throw new EnvironmentError(localIsPrivate);
  if ((checked.SMTP_URL || provider === 'stripe') && !checked.BASE_URL) {
    throw new EnvironmentError(baseUrlNeeded);
  }
  return {
    ...checked,
    /** The separate host and port on which the process serves `/metrics`; undefined if METRICS_PORT is not set. */
    metricsAddress: checked.METRICS_PORT && { host: checked.HOST, port: checked.METRICS_PORT },
    /** Whether the API can be reached only from this machine: not from outside, and not through a proxy. */
    isPrivate,
  };
}
