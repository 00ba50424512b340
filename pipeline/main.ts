import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { exitCodeOf, exitCodeOfError, exitCodes } from './exit-codes.ts';
import { describeFault } from './fault.ts';
import { addFetchCommand } from './fetch/command.ts';
import { describeFetch } from './fetch/report.ts';
import { ingest, isDate, type Outcome } from './night/inbox.ts';
import { Interrupted } from './signals.ts';
import { warsawDate } from './night/nightly.ts';
import { type Nights, runNights } from './night/nights.ts';
import { NothingToDo, WrongUsage } from './errors.ts';
import { describeRun } from './console/report.ts';
import { runSchedule } from './night/schedule.ts';
import { endSignal, withDatabase } from './console/session.ts';
import { loadSource } from './sources/source.ts';
import { describeStatus, readRejects, readStatus } from './console/status.ts';
import { verify } from './night/verify.ts';
import { runWorker } from './worker/worker.ts';

const program = new Command('registry')
  .description('The nightly pipeline of the company registry data service')
  .showHelpAfterError('(registry --help lists the commands)')
  .exitOverride();

program
  .command('migrate')
  .description('bring the schema up to date')
  .action(() =>
    withDatabase(async (_, { applied }) => {
      print(applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['up to date']);
    }),
  );

program
  .command('ingest')
  .description('take one dump, a folder or a file, through the whole night')
  .argument('<source>', 'the registry the dump is of, such as ceidg')
  .argument('<path>', 'a folder, or one file')
  .requiredOption('--date <day>', 'the day the dump speaks of, YYYY-MM-DD')
  .option('--accept <reason>', 'publish although the guards refuse it, and keep the reason')
  .option('--dry-run', 'compute everything, publish nothing')
  .option('--full', 'read every record, also those that were there yesterday')
  .option('--json', 'print one JSON object')
  .action(async (source: string, path: string, options: IngestOptions) => {
    await loadSource(source);
    if (!isDate(options.date)) throw new WrongUsage(`'${options.date}' is no day YYYY-MM-DD`);
    if (!existsSync(path)) throw new WrongUsage(`${path}: no such file or folder`);
    if (options.accept?.trim() === '') throw new WrongUsage('--accept needs a reason');
    await withDatabase(async (db, { logger, signal }) => {
      const night = {
        source,
        path,
        dump_date: options.date,
        reason: options.accept?.trim(),
        isDryRun: options.dryRun === true,
        isFullRead: options.full === true,
      };
      const outcome = await ingest(db, logger, night, signal);
      printOutcome(outcome, options.json);
      process.exitCode = exitCodeOf([outcome]);
    });
  });

interface IngestOptions {
  date: string;
  accept?: string;
  dryRun?: boolean;
  full?: boolean;
  json?: boolean;
}

program
  .command('nightly')
  .description('take every dump of INBOX_DIR/<source>/<date>/ that is not published yet, in order')
  .option('--fetch', 'first fetch what the registries that are set up have made since')
  .option('--json', 'print one JSON object')
  .action((options: { fetch?: boolean; json?: boolean }) =>
    withDatabase(async (db, session) => {
      const nights = await runNights(db, { ...session, isFetching: options.fetch });
      if (options.json) print([JSON.stringify(nights)]);
      else printNights(nights, session.environment.inboxDir);
      process.exitCode = exitCodeOf([...nights.runs, ...(nights.fetched ?? [])]);
    }),
  );

program
  .command('serve')
  .description('serve the API')
  .action(async () => {
    await withDatabase(async () => {});
    // The two sides meet only in the database: the API is a process of its own.
    const api = spawn(
      process.execPath,
      [fileURLToPath(new URL('../api/main.ts', import.meta.url))],
      {
        stdio: 'inherit',
      },
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => api.kill(signal));
    process.exitCode = await new Promise<number>((resolve) =>
      api.once('exit', (code) => resolve(code ?? exitCodes.fault)),
    );
  });

program
  .command('work')
  .description('send mails as they come in, until it is told to end')
  .action(async () => {
    const session = await withDatabase((_, each) => Promise.resolve(each));
    await runWorker(session.environment, session.logger, endSignal());
    // What was cut off may not keep the process.
    setTimeout(() => process.exit(), 1_000).unref();
  });

program
  .command('schedule')
  .description('run nightly at the times of NIGHTLY_CRON, Polish time')
  .option('--fetch', 'first fetch what the registries that are set up have made since')
  .action((options: { fetch?: boolean }) =>
    withDatabase((db, session) => runSchedule(db, { ...session, isFetching: options.fetch })).catch(
      (error: unknown) => {
        // It runs until it is told to end.
        if (!(error instanceof Interrupted)) throw error;
      },
    ),
  );

program
  .command('status')
  .description('show the newest snapshot of each source, its age, and the last runs')
  .option('--json', 'print one JSON object')
  .action(({ json }: { json?: boolean }) =>
    withDatabase(async (db) => {
      const status = await readStatus(db, warsawDate(new Date()));
      print([json ? JSON.stringify(status) : describeStatus(status)]);
    }),
  );

program
  .command('rejects')
  .description('show the rejected rows of a run')
  .argument('<run>', 'the number of the run')
  .option('--json', 'print one JSON object')
  .action(async (run: string, { json }: { json?: boolean }) => {
    if (!/^[1-9]\d{0,14}$/.test(run)) throw new WrongUsage(`'${run}' is no number of a run`);
    await withDatabase(async (db) => {
      const rejects = await readRejects(db, Number(run));
      if (!rejects) throw new WrongUsage(`There is no run ${run}`);
      if (json) print([JSON.stringify({ run_id: Number(run), rejects })]);
      else if (rejects.length === 0) print([`Run ${run} rejected no rows`]);
      else print(rejects.map((row) => `${row.file}:${row.line}: ${row.reason}\n    ${row.raw}`));
    });
  });

program
  .command('verify')
  .description('prove from the tables alone that what is published of a source is whole')
  .argument('<source>', 'such as ceidg')
  .option('--json', 'print one JSON object')
  .action(async (source: string, { json }: { json?: boolean }) => {
    await loadSource(source);
    await withDatabase(async (db) => {
      const { snapshots } = await readStatus(db, warsawDate(new Date()));
      const snapshot = snapshots.find((candidate) => candidate.source === source);
      if (!snapshot) throw new NothingToDo(`Nothing of ${source} is published yet`);
      const findings = await verify(db, source);
      const is_whole = findings.length === 0;
      if (json)
        print([JSON.stringify({ source, dump_date: snapshot.dump_date, is_whole, findings })]);
      else if (is_whole)
        print([`${source} ${snapshot.dump_date}: whole, ${snapshot.entries} entries`]);
      else print(findings);
      if (!is_whole) process.exitCode = exitCodes.fault;
    });
  });

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function printNights({ fetched = [], runs }: Nights, inboxDir: string): void {
  for (const outcome of fetched) {
    const { source, dump_date } = outcome;
    if (outcome.state === 'fetched')
      print([describeFetch(outcome, join(inboxDir, source, dump_date))]);
    else process.stderr.write(`Not fetched: ${source} ${dump_date}: ${outcome.message}\n`);
  }
  if (runs.length === 0) print([`Nothing to do in ${inboxDir}`]);
  for (const outcome of runs) printOutcome(outcome);
}

function printOutcome(outcome: Outcome, json = false): void {
  if (json) print([JSON.stringify(outcome)]);
  else if ('run_id' in outcome) print([describeRun(outcome)]);
  else {
    const what = {
      failed: 'Failed',
      refused: 'Refused',
      running: 'Not started',
      nothing: 'Nothing to do',
    };
    process.stderr.write(`${what[outcome.state]}: ${outcome.message}\n`);
  }
}

addFetchCommand(program);

// Whoever reads may leave early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
let isJson = false;
program.hook('preAction', (_, command) => void (isJson = command.opts().json === true));
try {
  await program.parseAsync();
} catch (error) {
  const message = describeFault(error);
  const exitCode = exitCodeOfError(error);
  // Commander has printed its own message.
  if (!(error instanceof CommanderError)) process.stderr.write(`${message}\n`);
  // Wrong usage is for the person who typed it; any other end is an object too.
  if (isJson && exitCode !== exitCodes.usage) {
    print([
      JSON.stringify({ state: error instanceof NothingToDo ? 'nothing' : 'failed', message }),
    ]);
  }
  process.exitCode = exitCode;
  if (error instanceof Interrupted) {
    // So that whoever started it knows that it was the signal.
    process.removeAllListeners(error.signal);
    process.kill(process.pid, error.signal);
  }
}
