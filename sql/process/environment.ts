import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** The shortest allowed key, in characters: a shorter key could be guessed from mailed signatures. */
export const SHORTEST_SECRET_KEY = 32;

/** An error about wrong settings. Each line of its message is a sentence that names one variable. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Checks whether a host name or an IP address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (address === 'localhost') return true;
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\/./);

/** The settings that every process of the product reads. */
export const commonShape = {
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(databaseUrl))
    .default([]),
  DATABASE_READ_LAG_SECONDS: z.coerce.number().int().min(1).max(3_600).default(10),
  DATABASE_SESSIONS: z.coerce.number().int().min(4).max(1_000).default(10),
  DATABASE_NAMED_STATEMENTS: z.enum(['true', 'false']).default('true'),
  DATA_DIR: z.string().default('.data'),
  READER_PORT: z.coerce.number().int().min(1024).max(65_535).optional(),
  SECRET_KEY: z.string().min(SHORTEST_SECRET_KEY).optional(),
  // Paths are appended to BASE_URL, so it has no query, fragment or user.
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url))
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
};

/** The message when mails or checkouts reach strangers and BASE_URL is not set. */
export const baseUrlNeeded =
  'BASE_URL must be set where SMTP_URL or PAYMENT_PROVIDER=stripe is: mails and checkouts lead back to it.';

/** The messages for wrong variables of `commonShape`. */
export const commonSentences: Record<keyof typeof commonShape, string> = {
  DATABASE_URL:
    'DATABASE_URL must be the address of a PostgreSQL database, such as postgresql://user:password@host:5432/name.',
  DATABASE_READ_URL:
    'DATABASE_READ_URL must be the addresses of standbys of DATABASE_URL, separated by commas, such as postgresql://user:password@host:5432/name.',
  DATABASE_READ_LAG_SECONDS:
    'DATABASE_READ_LAG_SECONDS must be a whole number of seconds from 1 to 3600.',
  DATABASE_SESSIONS: 'DATABASE_SESSIONS must be a whole number from 4 to 1000.',
  DATABASE_NAMED_STATEMENTS: 'DATABASE_NAMED_STATEMENTS must be true or false.',
  DATA_DIR: 'DATA_DIR must be the path of a folder.',
  READER_PORT: 'READER_PORT must be a whole number from 1024 to 65535.',
  SECRET_KEY: `SECRET_KEY must have at least ${SHORTEST_SECRET_KEY} characters.`,
  BASE_URL: 'BASE_URL must be the address of the API, such as https://api.registry.example.',
  METRICS_PORT: 'METRICS_PORT must be a whole number from 1 to 65535.',
  LOG_LEVEL: `LOG_LEVEL must be one of ${logLevels.join(', ')}.`,
};

/** Returns the arguments of `connect` for the checked settings of a process. */
export function describeDatabase(
  checked: Pick<
    z.output<z.ZodObject<typeof commonShape>>,
    Extract<keyof typeof commonShape, `DATA${string}` | 'READER_PORT'>
  >,
) {
  return {
    databaseUrl: checked.DATABASE_URL,
    /** The addresses of standbys that answer reads. */
    readUrls: checked.DATABASE_READ_URL,
    mostLag_s: checked.DATABASE_READ_LAG_SECONDS,
    mostSessions: checked.DATABASE_SESSIONS,
    isNameless: checked.DATABASE_NAMED_STATEMENTS === 'false',
    dataDir: checked.DATA_DIR,
    /** The port of the embedded server for readers; undefined: none. */
    readerPort: checked.READER_PORT,
  };
}

/** Returns the host and port on which a process serves `/metrics`; undefined without METRICS_PORT. */
export function describeMetrics({
  HOST,
  METRICS_PORT,
}: {
  HOST: string;
  METRICS_PORT?: number | undefined;
}) {
  return METRICS_PORT === undefined ? undefined : { host: HOST, port: METRICS_PORT };
}

/** Reads several groups of settings. Throws one `EnvironmentError` with every fault in any group. */
export function readTogether<
  const Readers extends readonly ((from: NodeJS.ProcessEnv) => unknown)[],
>(readers: Readers, variables = process.env) {
  const wrong = new Set<string>();
  const settings = readers.map((read) => {
    try {
      return read(variables);
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      for (const sentence of error.message.split('\n')) wrong.add(sentence);
      return undefined;
    }
  });
  if (wrong.size > 0) throw new EnvironmentError([...wrong].join('\n'));
  return settings as { [Place in keyof Readers]: ReturnType<Readers[Place]> };
}

/**
 * Checks the variables of the environment. An empty variable counts as not set.
 *
 * Throws an `EnvironmentError` with a sentence for each wrong variable, without its value, which may hold a
 * password.
 */
export function checkEnvironment<S extends z.ZodRawShape>(
  shape: S,
  sentences: Record<string, string>,
  variables: NodeJS.ProcessEnv,
): z.output<z.ZodObject<S>> {
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const result = z.object(shape).safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const names = new Set(result.error.issues.map((issue) => String(issue.path[0])));
  throw new EnvironmentError([...names].map((name) => sentences[name] ?? name).join('\n'));
}
