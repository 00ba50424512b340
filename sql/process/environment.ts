import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** The minimum length of a secret key, in characters: a shorter key could be guessed from signatures in mails. */
export const SHORTEST_SECRET_KEY = 32;

/** An error about wrong settings of the environment. Each line of the message is a sentence about one variable. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Checks whether a host name or an IP address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (address === 'localhost') return true;
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Returns the schema of a setting; `must be …` is the end of the setting's error message. */
export const setting = <S extends z.ZodType>(mustBe: string, schema: S): S =>
  schema.meta({ mustBe });

/** Returns a setting whose value must be a whole number from `least` to `most`. */
export const whole = (least: number, most: number) =>
  setting(
    `a whole number from ${least} to ${most}`,
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .refine((value) => value >= least && value <= most),
  );

/** Returns a setting whose value must be `true` or `false`. */
export const flag = (standard: 'true' | 'false') =>
  choice('true', 'false')
    .default(standard)
    .transform((text) => text === 'true');

/** Returns a setting whose value must be one of the given words. */
export const choice = <const Words extends readonly string[]>(...words: Words) =>
  setting(words.join(', ').replace(/, ([^,]*)$/, ' or $1'), z.enum(words));

export const databaseUrl = setting(
  'the address of a PostgreSQL database, such as postgresql://user:password@host:5432/name',
  z.string().regex(/^postgres(ql)?:\/\/./),
);

/** The schema of a list of texts that are separated by commas. */
export const list = z.string().transform((text) => text.split(',').map((part) => part.trim()));

/** The settings that all processes read; others: environment.ts of api/ and pipeline/, settings.csv of sources. */
export const commonShape = {
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: setting(
    'the addresses of standbys of DATABASE_URL, separated by commas, such as postgresql://user:password@host:5432/name',
    list.pipe(z.array(databaseUrl)),
  ).default([]),
  DATABASE_READ_LAG_SECONDS: whole(1, 3_600).default(10),
  DATABASE_SESSIONS: whole(4, 1_000).default(10),
  DATABASE_NAMED_STATEMENTS: flag('true'),
  DATA_DIR: z.string().default('.data'),
  READER_PORT: whole(1024, 65_535).optional(),
  /** The key that signs tokens; without SECRET_KEY, the product uses the key in DATA_DIR. */
  SECRET_KEY: setting(
    `a text of at least ${SHORTEST_SECRET_KEY} characters`,
    z.string().min(SHORTEST_SECRET_KEY),
  ).optional(),
  // Paths are appended to BASE_URL, so it must not contain a query, a fragment or a user.
  BASE_URL: setting(
    'the address of the API, such as https://api.registry.example',
    z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/[?#@]/.test(url))
      .transform((url) => url.replace(/\/+$/, '')),
  ).optional(),
  METRICS_PORT: whole(1, 65_535).optional(),
  WEBHOOK_ALLOW_PRIVATE: flag('false'),
  LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
};

/** The error message if BASE_URL is not set although customers receive mails or pay. */
export const baseUrlNeeded =
  'BASE_URL must be set where SMTP_URL or PAYMENT_PROVIDER=stripe is: mails and checkouts lead back to it.';

/** Reads several groups of settings. Throws one `EnvironmentError` that lists the faults of all settings. */
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

/** Returns the error message about a wrong or missing setting. */
export function sentenceOf(name: string, schema: z.ZodType): string {
  const { mustBe } = schema.meta() ?? {};
  if (mustBe !== undefined) return `${name} must be ${mustBe as string}.`;
  const { innerType, in: input } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  return sentenceOf(name, (innerType ?? input)!);
}

/**
 * Checks environment variables, and returns the settings. An empty variable counts as missing.
 *
 * Throws an `EnvironmentError` with a sentence for each wrong variable, without the value, which may be a password.
 */
export function checkEnvironment<S extends z.ZodRawShape>(
  shape: S,
  variables: NodeJS.ProcessEnv,
): z.output<z.ZodObject<S>> {
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const result = z.object(shape).safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const names = new Set(result.error.issues.map((issue) => String(issue.path[0])));
  const sentences = [...names].map((name) => sentenceOf(name, shape[name] as z.ZodType));
  throw new EnvironmentError(sentences.join('\n'));
}
