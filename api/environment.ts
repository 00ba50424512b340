import { isIP } from 'node:net';
import { z } from 'zod';
import { checkEnvironment, commonSentences, commonShape } from '../sql/environment.ts';
import { createPayment, type PaymentSettings } from './wallet/payment.ts';

/** Which proxies may say who the client is: none, that many in front of us, or these networks. */
export type TrustProxy = false | number | string[];

export interface Environment {
  port: number;
  databaseUrl: string | undefined;
  dataDir: string;
  trustProxy: TrustProxy;
  /** Signs one-time tokens; undefined: the one in DATA_DIR. */
  secretKey: string | undefined;
  /** Where the API is reached from outside, without a slash at the end; undefined: where it listens. */
  baseUrl: string | undefined;
  isRegistrationOpen: boolean;
  /** Whole credits; 0: free. */
  searchCredits: number;
  snapshotCredits: number;
  /** All of it but where the API is reached. */
  payment: Omit<PaymentSettings, 'baseUrl'>;
  logLevel: string;
}

const maxProxies = 16;
const namedNetworks = ['loopback', 'linklocal', 'uniquelocal'];

// A prefix of zero bits would trust everybody, and anybody could then choose their own address.
function isNetwork(text: string): boolean {
  if (namedNetworks.includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);

const credits = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

const proxyCount = z
  .string()
  .regex(/^\d{1,2}$/)
  .transform(Number)
  .refine((value) => value <= maxProxies)
  .transform((value): TrustProxy => value || false);

const proxyNetworks = z
  .string()
  .transform((text): string[] => text.split(',').map((part) => part.trim()))
  .refine((networks) => networks.every(isNetwork));

const paymentProviders = ['local', 'stripe'] as const;

const sentences = {
  ...commonSentences,
  PORT: 'PORT must be a whole number from 0 to 65535.',
  TRUST_PROXY: `TRUST_PROXY must be the number of proxies in front of the API (0 to ${maxProxies}) or a comma-separated list of their networks, such as 10.0.0.0/8, and not all of them.`,
  REGISTRATION_OPEN: 'REGISTRATION_OPEN must be true or false.',
  SEARCH_CREDITS: 'SEARCH_CREDITS must be a whole number of credits from 0 to 999999999.',
  SNAPSHOT_CREDITS: 'SNAPSHOT_CREDITS must be a whole number of credits from 0 to 999999999.',
  PAYMENT_PROVIDER: `PAYMENT_PROVIDER must be ${paymentProviders.join(' or ')}.`,
};

const shape = {
  ...commonShape,
  PORT: port.default(8080),
  TRUST_PROXY: z.union([proxyCount, proxyNetworks]).default(false),
  REGISTRATION_OPEN: z.enum(['true', 'false']).default('true'),
  SEARCH_CREDITS: credits.default(1),
  SNAPSHOT_CREDITS: credits.default(5),
  PAYMENT_PROVIDER: z.enum(paymentProviders).default('local'),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_API_URL: z.string().optional(),
  NODE_ENV: z.string().optional(),
};

/** Reads and checks the settings of the API. Throws an `EnvironmentError`. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const checked = checkEnvironment(shape, sentences, variables);
  const payment = {
    provider: checked.PAYMENT_PROVIDER,
    isProduction: checked.NODE_ENV === 'production',
    stripeSecretKey: checked.STRIPE_SECRET_KEY,
    stripeWebhookSecret: checked.STRIPE_WEBHOOK_SECRET,
    stripeApiUrl: checked.STRIPE_API_URL,
  };
  // Throws where the provider lacks something.
  createPayment({ ...payment, baseUrl: '' });
  return {
    port: checked.PORT,
    databaseUrl: checked.DATABASE_URL,
    dataDir: checked.DATA_DIR,
    trustProxy: checked.TRUST_PROXY,
    secretKey: checked.SECRET_KEY,
    baseUrl: checked.BASE_URL,
    isRegistrationOpen: checked.REGISTRATION_OPEN === 'true',
    searchCredits: checked.SEARCH_CREDITS,
    snapshotCredits: checked.SNAPSHOT_CREDITS,
    payment,
    logLevel: checked.LOG_LEVEL,
  };
}
