// One night in a process of its own, so that its memory can be measured: prints one JSON object.
import { runNightly } from '../../pipeline/night/nightly.ts';
import { NightReporter } from '../../pipeline/night/reporter.ts';
import { connect } from '../../sql/database.ts';
import { migrate } from '../../sql/migrate.ts';
import { cpuSeconds, serverPid } from './cpu.ts';

/** Seconds of a step, or of a whole night; CPU seconds of this process and of the server. */
interface Measured {
  elapsed: number;
  node_cpu: number;
  server_cpu: number;
}

/** What `night.ts` prints. */
export interface MeasuredNight extends Measured {
  steps: (Measured & { name: string })[];
  peak_memory_mb: number;
  events: number;
  /** Of the whole database, after the night. */
  database_bytes: number;
}

const [, , dataDir, path, dump_date] = process.argv;
if (!dataDir || !path || !dump_date) throw new Error('night.ts <data directory> <folder> <date>');

const db = await connect({ dataDir, applicationName: 'registry-bench' });
await migrate(db);
const server = await serverPid(db.pool);

function look(): Measured {
  const { user, system } = process.cpuUsage();
  const node_cpu = (user + system) / 1e6;
  return { elapsed: performance.now() / 1000, node_cpu, server_cpu: cpuSeconds(server) };
}

function between(from: Measured, to: Measured): Measured {
  return {
    elapsed: to.elapsed - from.elapsed,
    node_cpu: to.node_cpu - from.node_cpu,
    server_cpu: to.server_cpu - from.server_cpu,
  };
}

const begun: { name: string; at: Measured }[] = [];
const { events } = await runNightly(db, {
  source: 'ceidg',
  path,
  dump_date,
  now: () => new Date(),
  reporter: Object.assign(new NightReporter(), {
    step: (name: string) => void begun.push({ name, at: look() }),
    note: (sentence: string) => void process.stderr.write(`${sentence}\n`),
  }),
});
const end = look();
const { rows } = await db.pool.query<{ bytes: string }>(
  'select pg_database_size(current_database()) as bytes',
);
await db.close();
const steps = begun.map(({ name, at }, index) => ({
  name,
  ...between(at, begun[index + 1]?.at ?? end),
}));
const measured: MeasuredNight = {
  ...between(begun[0]!.at, end),
  steps,
  peak_memory_mb: process.resourceUsage().maxRSS / 1024,
  events,
  database_bytes: Number(rows[0]!.bytes),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
