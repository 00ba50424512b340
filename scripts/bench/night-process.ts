// Runs one night in a separate process, so that its memory can be measured, and prints its figures as JSON.
import { runNightly } from '../../pipeline/night/nightly.ts';
import { Reporter } from '../../pipeline/night/reporter.ts';
import { connect } from '../../sql/connection/database.ts';
import { migrate } from '../../sql/migrate.ts';
import { between, look, type Measured, serverPid } from './cpu.ts';

/** The measured figures of a night, which this program prints as JSON. */
export type MeasuredNight = typeof measured;

const [DATA_DIR = '', path = '', dump_date = '', source = '', reason] = process.argv.slice(2);
const db = await connect({ DATA_DIR, applicationName: 'registry-bench' });
await migrate(db);
const server = await serverPid(db.pool);

const begun: { name: string; at: Measured }[] = [];
const { events } = await runNightly(db, {
  source,
  path,
  dump_date,
  reason: reason || undefined,
  now: () => new Date(),
  reporter: Object.assign(new Reporter(), {
    step: (name: string) => void begun.push({ name, at: look(server) }),
    note: (sentence: string) => void process.stderr.write(`${sentence}\n`),
  }),
});
const { rows } = await db.pool.query<{ bytes: string }>(
  'select pg_database_size(current_database()) as bytes',
);
await db.close();
// The last step has no duration, because it only marks the end of the previous step.
const steps = begun
  .slice(0, -1)
  .map(({ name, at }, index) => ({ name, ...between(at, begun[index + 1]!.at) }));
const measured = {
  ...between(begun[0]!.at, begun.at(-1)!.at),
  steps,
  peak_memory_mb: process.resourceUsage().maxRSS / 1024,
  events,
  /** The size of the whole database after the night, in bytes. */
  database_bytes: Number(rows[0]!.bytes),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
