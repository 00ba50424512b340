// One night in a process of its own, so that its memory can be told: prints one JSON object.
import { runNightly } from '../../pipeline/night/nightly.ts';
import { connect } from '../../sql/database.ts';
import { migrate } from '../../sql/migrate.ts';

/** What `night.ts` prints. */
export interface MeasuredNight {
  seconds: number;
  steps: { name: string; seconds: number }[];
  peak_memory_mb: number;
  events: number;
}

const [, , databaseUrl, path, dump_date] = process.argv;
if (!databaseUrl || !path || !dump_date) throw new Error('night.ts <database> <folder> <date>');

const db = await connect({ databaseUrl, dataDir: '', applicationName: 'registry-bench' });
await migrate(db);
const steps: { name: string; started_ms: number }[] = [];
const { events } = await runNightly(db, {
  source: 'ceidg',
  path,
  dump_date,
  now: () => new Date(),
  reporter: {
    step: (name) => void steps.push({ name, started_ms: performance.now() }),
    progress: () => undefined,
    note: (sentence) => void process.stderr.write(`${sentence}\n`),
  },
});
const ended_ms = performance.now();
await db.close();
const measured: MeasuredNight = {
  seconds: (ended_ms - steps[0]!.started_ms) / 1000,
  steps: steps.map(({ name, started_ms }, at) => ({
    name,
    seconds: ((steps[at + 1]?.started_ms ?? ended_ms) - started_ms) / 1000,
  })),
  peak_memory_mb: process.resourceUsage().maxRSS / 1024,
  events,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
