// Runs the whole product for `npm start`, with the fixture days as sample data.
import { join } from 'node:path';
import { Eta } from 'eta';
import { readEnvironment as readApiEnvironment, shape as ofApi } from '../api/environment.ts';
import { readEnvironment, shape as ofPipeline } from '../pipeline/environment.ts';
import { exitCodeOfError } from '../pipeline/exit-codes.ts';
import { readFetchEnvironment, shape as ofFetch } from '../pipeline/fetch/environment.ts';
import { Interrupted, interruptible } from '../pipeline/signals.ts';
import { ingestInbox, inspectInbox, type Outcome } from '../pipeline/night/inbox.ts';
import { print } from '../pipeline/console/print.ts';
import { runSchedule } from '../pipeline/console/schedule.ts';
import { mailFolder } from '../pipeline/mail/transport.ts';
import { runWorker } from '../pipeline/worker/worker.ts';
import { figure } from '../pipeline/written-figure.ts';
import { connect, type Database } from '../sql/connection/database.ts';
import { defaultCountry } from '../sql/country.ts';
import { countSnapshots, DEMO_EMAIL } from '../sql/demo-account.ts';
import { readTogether } from '../sql/process/environment.ts';
import { openLog, sayAtOnce } from '../sql/process/log.ts';
import { nameMisspelt } from '../sql/process/misspelt.ts';
import { migrate } from '../sql/migrate.ts';
import { demoFile, openDemoAccount } from './demo-account.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const templates = new Eta({ views: import.meta.dirname, autoEscape: false, autoTrim: false });

/** The folder of the fixture days, with the layout of INBOX_DIR: `<source>/<date>/`. */
const fixtures = join(import.meta.dirname, '../fixtures');

/** The first fixture day of the default country's registries; the fixture days of other countries begin earlier. */
const firstDay = '2026-11-02';

const figures = ['new', 'updated', 'deleted', 'events', 'entries'] as const;

/** Runs the product. Returns the exit code: 0 after a signal, 1 if the API did not start and logged the reason. */
async function start(settings: ReturnType<typeof readSettings>): Promise<number> {
  const { pipeline, api: apiSettings, variables } = settings;
  const logger = await openLog(pipeline.LOG_LEVEL);
  await inspectInbox(pipeline.inboxDir, pipeline.INBOX_DIR === undefined);
  const db = await connect({ ...pipeline, applicationName: 'registry-pipeline' });
  const end = new AbortController();
  let api: ServerProcess | undefined;
  let worker: Promise<void> | undefined;
  try {
    return await interruptible(db, async (signal) => {
      await migrate(db);
      // Fixture days are not published into a database with real dumps, where they would count as newer days of the
      // registries. `findAllDue` of pipeline/night/inbox.ts finds the fixture days that are not yet published.
      const isDemonstration = (await countSnapshots(db.pool)).real === 0;
      // No demo account is created if other machines can reach the API, or if mails are sent to people.
      const isForOne = apiSettings.PAYMENT_PROVIDER === 'local' && !pipeline.SMTP_URL;
      const hasAccount = isDemonstration && isForOne;
      const environment = { ...pipeline, inboxDir: fixtures };
      const nights = { db, environment, logger, signal, isBrief: true, onOutcome };
      // The demo account watches companies from the first day on, so that later days add events to its feed.
      const lastDate = hasAccount ? firstDay : undefined;
      if (isDemonstration) await ingestInbox({ ...nights, lastDate });
      // The API process gets no METRICS_PORT, because the worker in this process uses the port.
      delete variables.METRICS_PORT;
      api = startServer(variables);
      const url = await api.listens();
      if (url === undefined) return 1;
      const serve = async () => {
        const account = await openDemoAccount({ ...pipeline, db, url, isMade: hasAccount });
        if (isDemonstration) await ingestInbox(nights);
        else print(['Other dumps than those of fixtures/ are published: these are left out.']);
        const shown = {
          ...pipeline,
          url,
          ...(await describeDays(db)),
          isInvented: (await countSnapshots(db.pool)).invented > 0,
          account,
          email: DEMO_EMAIL,
          file: demoFile(pipeline.DATA_DIR),
          mails: mailFolder(pipeline.DATA_DIR),
          time_zone: defaultCountry.time_zone,
        };
        print([templates.render('start', shown).trimEnd()]);
        await runSchedule(db, { environment: pipeline, logger, signal });
      };
      const workerSettings = { ...pipeline, BASE_URL: apiSettings.BASE_URL ?? url };
      worker = runWorker(workerSettings, logger, AbortSignal.any([signal, end.signal]));
      await Promise.race([Promise.all([serve(), worker]), api.fail()]);
      return 0;
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    print(['Stopping']);
    return 0;
  } finally {
    end.abort();
    await Promise.all([api?.stop(), worker?.catch(() => undefined)]);
    await db.close();
  }
}

function onOutcome(night: Outcome): void {
  if (night.state !== 'published') print([`${night.source} ${night.dump_date}: ${night.message}`]);
}

const line = (day: string, cells: readonly string[]) =>
  `  ${day.padEnd(18)}${cells.map((cell) => cell.padStart(12)).join('')}`;

/** Returns a table of the 20 newest snapshots, the newest last, and the date of the newest snapshot. */
async function describeDays(db: Database) {
  const { rows } = await db.pool.query<
    Record<(typeof figures)[number] | 'source' | 'date', string>
  >(
    `select source, dump_date as date, new_count as new, updated_count as updated,
       deleted_count as deleted, event_count as events, entry_count as entries
     from registry.run
     where state = 'published'
     order by dump_date desc, source
     limit 20`,
  );
  if (rows.length === 0) return { table: 'Nothing is published yet.' };
  const lines = rows.toReversed().map((day) => {
    const cells = figures.map((name) => figure(Number(day[name])));
    return line(`${day.source.padEnd(8)}${day.date}`, cells);
  });
  return { table: ['', line('published', figures), ...lines, ''].join('\n'), day: rows[0]!.date };
}

/**
 * Returns the settings of the pipeline and of the API, and the environment of the API's process. Throws an
 * `EnvironmentError` with all faults in the settings.
 */
function readSettings() {
  // By default `npm start` logs only warnings, because its own output has all that a user needs.
  const variables = { ...process.env };
  variables.LOG_LEVEL ||= 'warn';
  const readers = [readEnvironment, readApiEnvironment, readFetchEnvironment] as const;
  const [, { isPrivate }] = readTogether(readers, variables);
  if (isPrivate) variables.PAYMENT_PROVIDER ||= 'local';
  const [pipeline, api] = readTogether(readers, variables);
  return { pipeline, api, variables };
}

// The process ends when its IPC channel closes, because a closed channel means that the parent process was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Errors of stdout and stderr are ignored, because a closed terminal or pipe is no fault.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const settings = Object.keys({ ...ofApi, ...ofPipeline, ...ofFetch });
for (const hint of nameMisspelt(process.env, settings)) sayAtOnce('warn', hint);
try {
  // The process exits at once, so that unfinished work does not keep the process alive.
  process.exit(await start(readSettings()));
} catch (error) {
  sayAtOnce('fatal', error instanceof Error ? error.message : String(error));
  process.exit(exitCodeOfError(error));
}
