// What `npm start` runs: the whole product, with something in it to look at.
import { readEnvironment as readApiEnvironment } from '../api/environment.ts';
import { type Environment, readEnvironment } from '../pipeline/environment.ts';
import { Interrupted, interruptible } from '../pipeline/signals.ts';
import { ingestInbox, type Outcome } from '../pipeline/night/inbox.ts';
import { runSchedule } from '../pipeline/night/schedule.ts';
import { runWorker } from '../pipeline/worker/worker.ts';
import { connect } from '../sql/database.ts';
import { EnvironmentError } from '../sql/environment.ts';
import { openLog, sayFault } from '../sql/log.ts';
import { migrate } from '../sql/migrate.ts';
import { openDemoAccount } from './demo-account.ts';
import {
  type Day,
  describeDays,
  firstDay,
  fixtures,
  holdsOnlyFixtures,
  readDays,
} from './demonstration.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** The settings of both sides, and the variables that the process of the API gets. */
type Settings = ReturnType<typeof readSettings>;

/** @returns the exit code: 0 when a signal ended it, 1 when the API did not start and said why */
async function start({ pipeline, api: apiSettings, variables }: Settings): Promise<number> {
  const logger = await openLog(pipeline.logLevel);
  const db = await connect({ ...pipeline, applicationName: 'registry-pipeline' });
  const end = new AbortController();
  let api: ServerProcess | undefined;
  let worker: Promise<void> | undefined;
  try {
    return await interruptible(db, async (signal) => {
      await migrate(db);
      const isDemonstration = await holdsOnlyFixtures(db);
      // Where others reach the API, or mails reach people, there is no demo account.
      const isForOne = apiSettings.payment.provider === 'local' && !pipeline.smtpUrl;
      const hasAccount = isDemonstration && isForOne;
      const nights = { db, logger, inboxDir: fixtures, signal, isBrief: true, onOutcome };
      // The account watches from the first day on, so that the days after it bring it events.
      const lastDate = hasAccount ? firstDay : undefined;
      if (isDemonstration) await ingestInbox({ ...nights, lastDate });
      api = startServer('../api/main.ts', variables, 'inherit');
      const url = await api.listens();
      if (url === undefined) return 1;
      const serve = async () => {
        const account = hasAccount ? await openDemoAccount({ ...pipeline, db, url }) : undefined;
        if (isDemonstration) await ingestInbox(nights);
        else print('Other dumps than those of fixtures/ are published: these are left out.');
        const days = await readDays(db);
        print(describeDays(days));
        print(describeApi(url, days.at(-1)));
        if (account !== undefined) print(account);
        print(describeUse(pipeline));
        await runSchedule(db, { environment: pipeline, logger, signal });
      };
      const workerSettings = { ...pipeline, baseUrl: apiSettings.baseUrl ?? url };
      worker = runWorker(workerSettings, logger, AbortSignal.any([signal, end.signal]));
      await Promise.race([Promise.all([serve(), worker]), api.fail()]);
      return 0;
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    print('Stopping');
    return 0;
  } finally {
    end.abort();
    await Promise.all([api?.stop(), worker?.catch(() => undefined)]);
    await db.close();
  }
}

function onOutcome(night: Outcome): void {
  if (night.state !== 'published') print(`${night.source} ${night.dump_date}: ${night.message}`);
}

function describeApi(url: string, day: Day | undefined): string {
  const statistics = day && [
    `  curl ${url}/api/v1/stats/day/${day.date}`,
    `  curl ${url}/api/v1/stats/range/${day.date}`,
  ];
  return [
    `The API listens on ${url}`,
    `  ${url}/ in a browser: the newest snapshots, the statistics, the console`,
    `  ${url}/docs has its documentation`,
    ...(statistics ?? []),
    `  curl ${url}/readyz`,
  ].join('\n');
}

function describeUse({ inboxDir, nightlyCron }: Environment): string {
  return [
    'In another terminal',
    '  npm run registry -- status      what is published, the last runs, and the mails that wait',
    '  npm run registry -- nightly     takes the dumps that are in the inbox now',
    '  npm run registry -- --help      all commands',
    `Dumps in ${inboxDir}/<source>/<date>/ are taken at '${nightlyCron}', Polish time.`,
    'Ctrl-C stops everything.',
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** All that is wrong, of the pipeline's settings and of the API's. */
function readSettings() {
  const sentences = new Set<string>();
  const variables = { ...process.env };
  // Only warnings: the program prints what there is to look at.
  variables.LOG_LEVEL ||= 'warn';
  for (const read of [readEnvironment, readApiEnvironment]) {
    try {
      read(variables);
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      for (const sentence of error.message.split('\n')) sentences.add(sentence);
    }
  }
  if (sentences.size > 0) throw new EnvironmentError([...sentences].join('\n'));
  if (readApiEnvironment(variables).isPrivate) variables.PAYMENT_PROVIDER ||= 'local';
  return { pipeline: readEnvironment(variables), api: readApiEnvironment(variables), variables };
}

// A closed terminal or pipe is no fault.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  // Work that is still under way must not keep the process.
  process.exit(await start(readSettings()));
} catch (error) {
  sayFault(error instanceof Error ? error.message : String(error));
  process.exit(error instanceof EnvironmentError ? 2 : 1);
}
