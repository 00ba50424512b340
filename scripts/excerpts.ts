// Makes the excerpts of the product's output in the READMEs, from the fixture days and a generated bad dump.
import { cp, mkdir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeReports, writeReports } from '../fixtures/dump/bad-dump.ts';
import { runCommand, startScript } from '../fixtures/process/cli.ts';
import { fixtureFolder, runDump, runFixture } from '../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';

/** The texts of the excerpts, by the name that a README uses. */
type Excerpts = Record<string, string>;

/** Matches an excerpt in a README: a comment with the excerpt's name, and the code block with its text. */
const block = /(<!-- excerpt: (\S+) -->\n+)```\n[^]*?\n```/g;

/** Returns the text of a README with new excerpts in its code blocks. Throws if an excerpt has an unknown name. */
export function insertExcerpts(text: string, excerpts: Excerpts): string {
  return text.replace(block, (_, before: string, name: string) => {
    if (!(name in excerpts)) throw new Error(`No excerpt has the name ${name}`);
    return `${before}\`\`\`\n${excerpts[name]}\n\`\`\``;
  });
}

export function listExcerpts(text: string): string[] {
  return [...text.matchAll(block)].map(([, , name = '']) => name);
}

/** Runs the product, and returns all excerpts of its output. */
export async function makeExcerpts(): Promise<Excerpts> {
  const excerpts: Excerpts = {};
  for (const show of [showStart, showNight, showRefusal]) {
    const db = await createTestDatabase();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'registry-excerpts-'));
    try {
      Object.assign(excerpts, await show(db, folder.path));
    } finally {
      await db.drop();
    }
  }
  return excerpts;
}

/** Returns the output of `npm start`, and the output of `status` and answers of the API after this start. */
async function showStart(db: TestDatabase, folder: string): Promise<Excerpts> {
  const variables = { DATABASE_URL: db.url, DATA_DIR: join(folder, '.data'), PORT: '0' };
  const started = startScript(join(import.meta.dirname, 'start.ts'), [], variables);
  await started.says('Ctrl-C stops everything.\n');
  const { stdout } = started;
  const url = /^The API listens on (\S+)$/m.exec(stdout)![1]!;
  const token = /sk_live_\w+/.exec(stdout)![0];
  const clean = (text: string) =>
    text
      .replaceAll(url, 'http://localhost:8080')
      .replaceAll(`${folder}/`, '')
      .replaceAll(token, 'sk_live_…')
      .replace(/(?<="fetched_at":")[^"]+/, '2026-11-07T08:00:00+00:00');
  const curl = async (path: string, ...headers: [name: string, value: string][]) => {
    const options = headers.map((header) => ` -H '${header.join(': ')}'`);
    const answer = await fetch(`${url}/api/v1${path}`, { headers });
    return clean(`$ curl '${url}/api/v1${path}'${options.join('')}\n${await answer.text()}`);
  };
  const status = await runCommand(['status'], variables);
  const excerpts = {
    start: shorten(
      clean(`$ npm start\n${stdout.trimEnd()}`),
      /^\$|^ +published|-06 |^The API|^An account|Master Token|^Ctrl/,
    ),
    statistics: `${await curl('/stats/day/2026-11-04')}\n\n${await curl('/stats/day/2026-11-07')}`,
    // The printed ages of snapshots depend on the present day, so the ages on 2026-11-21 replace them.
    status: shorten(
      `$ npm run registry -- status\n${status.stdout.trimEnd().replace(/(\S+)  \d+ days? old/g, ageOn21)}`,
      /^\$|^Newest|days old/,
    ),
    event: await curl('/watchlist/events?per_page=1', ['Authorization', `Bearer ${token}`]),
    wrong: await curl('/stats/day/2026-11-04?sourc=ceidg'),
  };
  started.child.kill('SIGTERM');
  await started.end;
  return excerpts;
}

/** Returns the date of a snapshot with its age in days on 2026-11-21. */
function ageOn21(_: string, date: string): string {
  return `${date}  ${(Date.parse('2026-11-21') - Date.parse(date)) / 86_400_000} days old`;
}

/** Returns a text without empty lines. Each sequence of lines that `kept` does not match becomes one line `…`. */
function shorten(text: string, kept: RegExp): string {
  const lines = text.split(/\n+/).map((line) => (kept.test(line) ? line : '  …'));
  return lines.filter((line, at) => line !== '  …' || lines[at - 1] !== line).join('\n');
}

/** Returns the output of `nightly`, `rejects` and `verify` for a fixture day. */
async function showNight(db: TestDatabase, folder: string): Promise<Excerpts> {
  await runFixture(db, '2026-11-02');
  await runFixture(db, '2026-11-03');
  await mkdir(join(folder, 'ceidg'));
  await cp(fixtureFolder('2026-11-04'), join(folder, 'ceidg', '2026-11-04'), { recursive: true });
  return {
    nightly: shorten(
      await run(db, folder, 'nightly'),
      /^\$|^\w|^ {2}\w|RECLASSIFIED|ACTIVITY_ADDED/,
    ),
    rejects: await run(db, folder, 'rejects', '3'),
    verify: await run(db, folder, 'verify', 'ceidg'),
  };
}

/** Returns the outputs of `ingest` for a dump that lacks entries: first refused, then accepted with a reason. */
async function showRefusal(db: TestDatabase, folder: string): Promise<Excerpts> {
  const good = join(folder, 'ceidg', '2026-11-05');
  const bad = join(folder, 'ceidg', '2026-11-06');
  const counts = {
    mazowieckie: 2000,
    śląskie: 1500,
    łódzkie: 1000,
    pomorskie: 800,
    lubelskie: 600,
  };
  const reports = makeReports(counts);
  await writeReports(good, reports);
  for (const name of Object.keys(counts)) reports[name]!.splice(-40);
  await writeReports(bad, reports);
  await runDump(db, good, '2026-11-05');
  const ingest = ['ingest', 'ceidg', bad, '--date', '2026-11-06'];
  return {
    refused: await run(db, folder, ...ingest),
    accepted: await run(db, folder, ...ingest, '--accept', 'CEIDG confirmed it'),
  };
}

/** Returns a line with the call of a command, followed by the command's output. */
async function run(db: TestDatabase, folder: string, ...args: string[]): Promise<string> {
  const variables = { DATABASE_URL: db.url, DATA_DIR: folder, INBOX_DIR: folder };
  const { stdout } = await runCommand(args, variables);
  const called = args.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ');
  return `$ npm run registry -- ${called}\n${stdout.trimEnd()}`.replaceAll(folder, '/srv/inbox');
}
