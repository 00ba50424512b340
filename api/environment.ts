import { isIP } from 'node:net';
import { z } from 'zod';

/** Which proxies may say who the client is: none, that many in front of us, or these networks. */
export type TrustProxy = false | number | string[];

export interface Environment {
  port: number;
  databaseUrl: string | undefined;
  dataDir: string;
  trustProxy: TrustProxy;
  logLevel: (typeof logLevels)[number];
}

/** A setting is wrong; the message has a sentence a line, each naming its variable. */
export class EnvironmentError extends Error {}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

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

const sentences: Record<string, string> = {
  PORT: 'PORT must be a whole number from 0 to 65535.',
  DATABASE_URL:
    'DATABASE_URL must be the address of a PostgreSQL database, such as postgresql://user:password@host:5432/name.',
  TRUST_PROXY: `TRUST_PROXY must be the number of proxies in front of the API (0 to ${maxProxies}) or a comma-separated list of their networks, such as 10.0.0.0/8, and not all of them.`,
  LOG_LEVEL: `LOG_LEVEL must be one of ${logLevels.join(', ')}.`,
};

const schema = z.object({
  PORT: port.default(8080),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./)
    .optional(),
  DATA_DIR: z.string().default('.data'),
  TRUST_PROXY: z.union([proxyCount, proxyNetworks]).default(false),
  LOG_LEVEL: z.enum(logLevels).default('info'),
});

/**
 * Reads and checks the settings of the API; a variable that is empty counts as not set.
 *
 * Throws an `EnvironmentError`. Its message never repeats a value, which may hold a password.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const result = schema.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const names = new Set(result.error.issues.map((issue) => String(issue.path[0])));
    throw new EnvironmentError([...names].map((name) => sentences[name] ?? name).join('\n'));
  }
  return {
    port: result.data.PORT,
    databaseUrl: result.data.DATABASE_URL,
    dataDir: result.data.DATA_DIR,
    trustProxy: result.data.TRUST_PROXY,
    logLevel: result.data.LOG_LEVEL,
  };
}
