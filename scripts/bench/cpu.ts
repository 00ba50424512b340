import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** Clock ticks in a second, as Linux counts them for /proc. */
const TICKS = 100;

/** CPU seconds of a process and of its ended children; 0 when it is gone. */
function readSeconds(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may hold anything; what follows it does not.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // User and system time of the process and of its ended children.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return 0;
  }
}

/** CPU seconds of a process and its children so far, ended ones included. Linux only. */
function cpuSeconds(root: number): number {
  const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').match(/\d+/g);
  return [...(children ?? []), String(root)].reduce((sum, pid) => sum + readSeconds(pid), 0);
}

/** The process of a database server on this machine. The user of the pool must be a superuser. */
export async function serverPid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  );
  return Number.parseInt(rows[0]!.text, 10);
}

/** Seconds, and CPU seconds of this process and of the server, children included. */
export type Measured = Record<'elapsed' | 'node_cpu' | 'server_cpu', number>;

/** Reads the clocks, which begin at some moment of their own. */
export function look(server: number): Measured {
  const [node_cpu, server_cpu] = [cpuSeconds(process.pid), cpuSeconds(server)];
  return { elapsed: performance.now() / 1000, node_cpu, server_cpu };
}

export function between(from: Measured, to: Measured): Measured {
  return {
    elapsed: to.elapsed - from.elapsed,
    node_cpu: to.node_cpu - from.node_cpu,
    server_cpu: to.server_cpu - from.server_cpu,
  };
}
