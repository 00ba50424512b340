import { join } from 'node:path';
import { validate as isCron } from 'node-cron';
import { z } from 'zod';
import { checkEnvironment, commonSentences, commonShape } from '../sql/environment.ts';

export interface Environment {
  databaseUrl: string | undefined;
  dataDir: string;
  /** Holds the dumps that `nightly` looks for: `<source>/<date>/`. */
  inboxDir: string;
  /** When `schedule` runs `nightly`: five or six cron fields, Europe/Warsaw. */
  nightlyCron: string;
  logLevel: string;
}

const sentences = {
  ...commonSentences,
  INBOX_DIR: 'INBOX_DIR must be the path of a folder.',
  NIGHTLY_CRON: 'NIGHTLY_CRON must be a cron expression, such as 30 7 * * *.',
};

const shape = {
  ...commonShape,
  INBOX_DIR: z.string().optional(),
  // CEIDG publishes its reports between six and seven in the morning.
  NIGHTLY_CRON: z
    .string()
    .refine((expression) => isCron(expression))
    .default('30 7 * * *'),
};

/** Reads and checks the settings of the pipeline. Throws an `EnvironmentError`. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const checked = checkEnvironment(shape, sentences, variables);
  return {
    databaseUrl: checked.DATABASE_URL,
    dataDir: checked.DATA_DIR,
    inboxDir: checked.INBOX_DIR ?? join(checked.DATA_DIR, 'inbox'),
    nightlyCron: checked.NIGHTLY_CRON,
    logLevel: checked.LOG_LEVEL,
  };
}
