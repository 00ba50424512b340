// One night in a process of its own, so that its memory can be measured: prints one JSON object.
import { runNightly } from '../../pipeline/night/nightly.ts';
import { connect } from '../../sql/database.ts';
import { migrate } from '../../sql/migrate.ts';
import { cpuSeconds, serverPid } from './cpu.ts';

/** A step, or a whole night; CPU seconds of this process and of the server. */
interface Measured {
  seconds: number;
  node_cpu_seconds: number;
  server_cpu_seconds: number;
}

/** What `night.ts` prints. */
export interface MeasuredNight extends Measured {
  steps: (Measured & { name: string })[];
  peak_memory_mb: number;
  events: number;
  /** Of the whole database, after the night. */
  database_bytes: number;
}

const [, , databaseUrl, path, dump_date] = process.argv;
if (!databaseUrl || !path || !dump_date) throw new Error('night.ts <database> <folder> <date>');

const db = await connect({ databaseUrl, dataDir: '', applicationName: 'registry-bench' });
await migrate(db);
const server = await serverPid(db.pool);

function look() {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), node: (user + system) / 1e6, server: cpuSeconds(server) };
}

type Moment = ReturnType<typeof look>;

async function between(from: Moment, to: Moment): Promise<Measured> {
  return {
    seconds: (to.ms - from.ms) / 1000,
    node_cpu_seconds: to.node - from.node,
    server_cpu_seconds: (await to.server) - (await from.server),
  };
}

const begun: { name: string; at: Moment }[] = [];
const { events } = await runNightly(db, {
  source: 'ceidg',
  path,
  dump_date,
  now: () => new Date(),
  reporter: {
    step: (name) => void begun.push({ name, at: look() }),
    note: (sentence) => void process.stderr.write(`${sentence}\n`),
  },
});
const end = look();
// The sessions of a night end with it, and are counted by then.
await end.server;
const { rows } = await db.pool.query<{ bytes: string }>(
  'select pg_database_size(current_database()) as bytes',
);
await db.close();
const steps = await Promise.all(
  begun.map(async ({ name, at }, index) => ({
    name,
    ...(await between(at, begun[index + 1]?.at ?? end)),
  })),
);
const measured: MeasuredNight = {
  ...(await between(begun[0]!.at, end)),
  steps,
  peak_memory_mb: process.resourceUsage().maxRSS / 1024,
  events,
  database_bytes: Number(rows[0]!.bytes),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
