import { isIP } from 'node:net';
import { z } from 'zod';
import { checkEnvironment, commonSentences, commonShape } from '../sql/environment.ts';

/** Which proxies may say who the client is: none, that many in front of us, or these networks. */
export type TrustProxy = false | number | string[];

export interface Environment {
  port: number;
  databaseUrl: string | undefined;
  dataDir: string;
  trustProxy: TrustProxy;
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

const sentences = {
  ...commonSentences,
  PORT: 'PORT must be a whole number from 0 to 65535.',
  TRUST_PROXY: `TRUST_PROXY must be the number of proxies in front of the API (0 to ${maxProxies}) or a comma-separated list of their networks, such as 10.0.0.0/8, and not all of them.`,
};

const shape = {
  ...commonShape,
  PORT: port.default(8080),
  TRUST_PROXY: z.union([proxyCount, proxyNetworks]).default(false),
};

/** Reads and checks the settings of the API. Throws an `EnvironmentError`. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const checked = checkEnvironment(shape, sentences, variables);
  return {
    port: checked.PORT,
    databaseUrl: checked.DATABASE_URL,
    dataDir: checked.DATA_DIR,
    trustProxy: checked.TRUST_PROXY,
    logLevel: checked.LOG_LEVEL,
  };
}
