import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

/** Clock ticks in a second, as Linux counts them for /proc. */
const TICKS = 100;

/** CPU seconds of a process and of its ended children; 0 unless it is the root or a child of it. */
async function readSeconds(pid: string, root: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may hold anything; what follows it does not.
  const [, parent, ...fields] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (Number(pid) !== root && parent !== root) return 0;
  // User and system time of the process and of its ended children.
  return fields.slice(9, 13).reduce((sum, part) => sum + part, 0) / TICKS;
}

/** CPU seconds of a process and its children so far, ended ones included. Linux only. */
export async function cpuSeconds(root: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const seconds = await Promise.all(pids.map((pid) => readSeconds(pid, root)));
  return seconds.reduce((sum, part) => sum + part, 0);
}

/** The process of a database server on this machine. The user of the pool must be a superuser. */
export async function serverPid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  );
  return Number.parseInt(rows[0]!.text, 10);
}
