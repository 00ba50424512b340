import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** The number of clock ticks per second; Linux states CPU times in /proc in clock ticks. */
const TICKS = 100;

/** Returns the CPU seconds of a process and of its ended children; 0 if the process itself has ended. */
function readSeconds(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may contain parentheses and spaces, so the fields are read after the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // The fields 11 to 14 are the user and system times of the process and of its ended children.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return 0;
  }
}

/** Returns the CPU seconds of a process and its running and ended children; works only on Linux. */
function cpuSeconds(root: number): number {
  const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').match(/\d+/g);
  return [...(children ?? []), String(root)].reduce((sum, pid) => sum + readSeconds(pid), 0);
}

/** Returns the process id of a database server on this machine. The pool's user must be a superuser. */
export async function serverPid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  );
  return Number.parseInt(rows[0]!.text, 10);
}

/** The elapsed seconds, the CPU seconds of this process with its children, and those of the database server. */
export type Measured = Record<'elapsed' | 'node_cpu' | 'server_cpu', number>;

/** Returns the present elapsed and CPU seconds; only the difference of two calls is a meaningful time. */
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
