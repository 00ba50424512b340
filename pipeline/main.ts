import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { sayAtOnce } from '../sql/process/log.ts';
import { productVersion } from '../sql/version-check.ts';
import { stateOf, WrongUsage } from './errors.ts';
import { exitCodeOfError, exitCodes } from './exit-codes.ts';
import { describeFault } from './fault.ts';
import { fetchable } from './fetch/fetchable.ts';
import { Interrupted } from './signals.ts';

// Each command loads only its own modules, because loading all modules takes longer than most commands run.
const ingesting = () => import('./console/ingest.ts');
const showing = () => import('./console/runs.ts');
const processes = () => import('./console/processes.ts');
const asking = () => import('./console/person.ts');

/** Returns a function that parses the value of a command-line option as a whole number. */
const countOf = (option: string) => (text: string) => {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new WrongUsage(`${option} must be a whole number, not '${text}'`);
};

const program = new Command('registry')
  .description('The nightly pipeline of the company registry data service')
  .option('-V, --version', 'print the version and the commit')
  .configureOutput({ outputError: () => undefined })
  .exitOverride();
const command = (name: string, description: string) =>
  program.command(name).description(description);
/** Adds a command that prints its result as lines, or as one JSON object with `--json`. */
const report = (name: string, description: string) =>
  command(name, description).option('--json', 'print one JSON object');

report(
  'nightly',
  'take every dump of INBOX_DIR/<source>/<date>/ that is newer than the snapshot, in order',
)
  .option('--fetch', 'first fetch what the registries that are set up have made since')
  .option('--idle-ok', 'exit with 0 instead of 5 when there is nothing to do')
  .action(async (options) => (await ingesting()).takeInbox(options));

report('ingest', 'take one dump, a folder or a file, through the whole night')
  .argument('<source>', 'the registry the dump is of, such as ceidg')
  .argument('<path>', 'a folder, or one file')
  .requiredOption('--date <day>', 'the day the dump speaks of, YYYY-MM-DD (required)')
  .option(
    '--accept <reason>',
    'publish although the guards refuse it; /quality shows the reason: name no person',
  )
  .option('--dry-run', 'compute everything, publish nothing')
  .option('--full', 'read every record, also those that were there yesterday')
  .action(async (source, path, options) => (await ingesting()).ingestDump(source, path, options));

report('fetch', 'fetch the dump of a day from a registry into INBOX_DIR/<source>/<date>/')
  .argument('<source>', fetchable.join(', ').replace(/, (?=\w+$)/, ' or '))
  .requiredOption('--date <day>', 'the day the dump speaks of, YYYY-MM-DD (required)')
  .action(async (source, options) =>
    (await import('./console/fetch.ts')).fetchOne(source, options),
  );

command('schedule', 'run nightly at the times of NIGHTLY_CRON, in the time of the default country')
  .option('--fetch', 'first fetch what the registries that are set up have made since')
  .action(async (options) => (await ingesting()).keepSchedule(options));

command('serve', 'serve the API').action(async () => (await processes()).serve());

command('worker', 'send mails, import companies and call webhooks as they come in, until a signal')
  .alias('work')
  .action(async () => (await processes()).work());

report(
  'status',
  'show the newest snapshot of each source, its age, the last runs and the queues',
).action(async (options) => (await import('./console/status.ts')).showStatus(options));

report(
  'check',
  'exit with 1 when a snapshot is stale, a run failed, or mails or jobs wait too long',
)
  .option('--max-age <days>', 'how old a snapshot may be', countOf('--max-age'), 2)
  .option('--max-wait <minutes>', 'how long mails and jobs may wait', countOf('--max-wait'), 60)
  .action(async (options) => (await import('./console/check.ts')).checkHealth(options));

report('runs', 'list the runs, the newest first')
  .option('--source <source>', 'of one registry')
  .option('--limit <count>', 'how many', countOf('--limit'), 20)
  .action(async (options) => (await showing()).listRuns(options));

report('show', 'show a run: its counts, its steps, and why it was refused or failed')
  .argument('<run>', 'the number of the run')
  .action(async (run, options) => (await showing()).showRun(run, options));

report('rejects', 'show the rejected rows of a run')
  .argument('<run>', 'the number of the run')
  .action(async (run, options) => (await showing()).showRejects(run, options));

report('verify', 'prove from the tables alone that what is published is whole')
  .argument('[source]', 'such as ceidg; absent: every source')
  .option('--on <server>', 'write: the writer; read: a standby of DATABASE_READ_URL', 'write')
  .action(async (source, options) =>
    (await import('./console/verify.ts')).verifySnapshots(source, options),
  );

report('forget', 'withdraw the personal data of a natural person, or of the entry of one registry')
  .argument('[number]', 'a NIP or REGON of the person, or the key of the entry')
  .option('--source <source>', 'only the entry of this registry, such as ceidg')
  .option('--reason <text>', 'why, such as the article of the law')
  .option('--by <name>', 'who asked for it')
  .option('--list', 'list the requests')
  .option('--undo <id>', 'lift a request: the next dump brings the data back')
  .action(async (number, options) => (await asking()).forget(number, options));

command('person', 'print everything that is stored of a natural person, as one JSON object')
  .argument('<number>', 'a NIP or REGON of the person, or the key of an entry')
  .option('--source <source>', 'only the entries of this registry')
  .action(async (number, { source }) => (await asking()).describePerson(number, source));

command(
  'export',
  'write a view or a table to stdout or a file, and say where the event feed goes on',
)
  .argument('<relation>', 'such as company, entry or registry.event; by itself a view of analyst')
  .requiredOption('--format <format>', 'csv or parquet (required)')
  .option('--output <file>', 'write a file, which is there only when it is whole')
  .option('--json', 'with --output: print one JSON object')
  .action(async (relation, options) =>
    (await import('./console/export.ts')).exportTo(relation, options),
  );

command('psql', 'open psql as the reader of the analyst views; arguments after -- are its own')
  .option('--print', 'print the connection instead')
  .option('--port <port>', 'give readers a port of this machine, until it is stopped')
  .argument('[arguments...]', 'for psql')
  .action(async (args, options) => (await import('./console/psql.ts')).openPsql(args, options));

command('migrate', 'bring the schema up to date').action(async () =>
  (await processes()).migrateSchema(),
);

// If Node is too old, launch.js starts this process. If launch.js is killed, its IPC channel to this process closes.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
// Errors of stdout and stderr are ignored, because the reader of a stream may close it early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
let isJson = false;
program.hook('preAction', async (_, called) => {
  isJson = called.opts().json === true;
  await (await processes()).warnOfMisspelt(called.name());
});
program.on('option:version', () => {
  process.stdout.write(`${readVersion()}\n`);
  throw new CommanderError(exitCodes.done, 'commander.version', '');
});
try {
  await program.parseAsync();
} catch (error) {
  end(error);
}

/**
 * Returns the version with the commit, such as `0.1.0 (670bd81)`. The commit comes from the file COMMIT, else from git.
 */
function readVersion(): string {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const file = `${root}COMMIT`;
  const git = () => spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).stdout;
  const commit = String((existsSync(file) ? readFileSync(file) : git()) ?? '').trim();
  return commit === '' ? productVersion : `${productVersion} (${commit})`;
}

function end(error: unknown): void {
  const message = describeFault(error);
  const exitCode = exitCodeOfError(error);
  process.exitCode = exitCode;
  if (error instanceof CommanderError) {
    // Commander throws an error even after it has printed the help on request; this error is no fault.
    if (exitCode !== 0 && error.code !== 'commander.help')
      sayAtOnce('fatal', `${message}\n(registry --help lists the commands)`);
    return;
  }
  const { run_id } = error as { run_id?: number };
  sayAtOnce('fatal', message, { run_id });
  // With `--json`, the program also prints a JSON object for every error except wrong usage.
  if (isJson && exitCode !== exitCodes.usage) {
    process.stdout.write(`${JSON.stringify({ state: stateOf(error), run_id, message })}\n`);
  }
  if (error instanceof Interrupted) {
    // The process ends itself by the received signal, so that its parent process sees a death by signal.
    process.removeAllListeners(error.signal);
    process.kill(process.pid, error.signal);
  }
}
