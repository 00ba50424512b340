// What `npm start` runs: the whole product, with something in it to look at.
import { pino } from 'pino';
import { readEnvironment as readApiEnvironment } from '../api/environment.ts';
import { type Environment, readEnvironment } from '../pipeline/environment.ts';
import { Interrupted, interruptible } from '../pipeline/interrupt.ts';
import { runSchedule } from '../pipeline/schedule.ts';
import { connect } from '../sql/database.ts';
import { EnvironmentError } from '../sql/environment.ts';
import { migrate } from '../sql/migrate.ts';
import { ApiProcess } from './api-process.ts';
import { type Day, describeDays, loadFixtures, readDays } from './demonstration.ts';

/** @returns the exit code: 0 when a signal ended it, 1 when the API did not start and said why */
async function start(environment: Environment): Promise<number> {
  const logger = pino({ level: environment.logLevel }, pino.destination({ fd: 2, sync: true }));
  const db = await connect({ ...environment, applicationName: 'registry-pipeline' });
  const api = new ApiProcess();
  try {
    return await interruptible(db, async (signal) => {
      await migrate(db.kysely);
      const nights = await loadFixtures(db, logger, signal);
      if (!nights) print('Other dumps than those of fixtures/ are published: these are left out.');
      for (const night of nights ?? []) {
        if (!('run_id' in night)) print(`${night.source} ${night.dump_date}: ${night.message}`);
      }
      const days = await readDays(db);
      print(describeDays(days));
      const url = await api.start();
      if (url === undefined) return 1;
      const schedule = runSchedule(db, environment, logger, signal);
      print(describeUse(environment, url, days.at(-1)));
      return await Promise.race([schedule.then(() => 0), api.fail()]);
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    print('Stopping');
    return 0;
  } finally {
    await api.stop();
    await db.close();
  }
}

function describeUse(environment: Environment, url: string, day: Day | undefined): string {
  const statistics = day && [
    `  curl ${url}/api/v1/stats/day/${day.date}`,
    `  curl ${url}/api/v1/stats/range/${day.date}`,
  ];
  return [
    `The API listens on ${url}`,
    ...(statistics ?? []),
    `  curl ${url}/readyz`,
    'In another terminal',
    '  npm run registry -- status      what is published, and the last runs',
    '  npm run registry -- nightly     takes the dumps that are in the inbox now',
    '  npm run registry -- --help      all commands',
    `Dumps in ${environment.inboxDir}/<source>/<date>/ are taken at '${environment.nightlyCron}', Polish time.`,
    'Ctrl-C stops everything.',
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** All that is wrong, of the pipeline's settings and of the API's. */
function readEnvironments(): Environment {
  const sentences = new Set<string>();
  for (const read of [readEnvironment, readApiEnvironment]) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      for (const sentence of error.message.split('\n')) sentences.add(sentence);
    }
  }
  if (sentences.size > 0) throw new EnvironmentError([...sentences].join('\n'));
  return readEnvironment();
}

// A terminal that is closed, or a reader that has left, is told nothing more.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  // Whatever is still under way when all is stopped may not keep the process.
  process.exit(await start(readEnvironments()));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof EnvironmentError ? 2 : 1);
}
