import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

/** Clock ticks in a second, as Linux counts them for /proc. */
const TICKS = 100;

/** The CPU time that a process has used. */
interface ProcessTime {
  pid: number;
  parent: number;
  /** Of the process and of its children that have ended. */
  seconds: number;
}

async function readTime(pid: string): Promise<ProcessTime | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program may hold anything; what follows it does not.
  const fields = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (!fields) return undefined;
  // User and system time of the process and of its ended children.
  const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0);
  return { pid: Number(pid), parent: fields[1]!, seconds: ticks / TICKS };
}

/** CPU seconds of a process and its children so far, ended ones included. Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const times = await Promise.all(pids.map(readTime));
  return times
    .filter((time) => time?.pid === pid || time?.parent === pid)
    .reduce((sum, time) => sum + time!.seconds, 0);
}

/** The process of a database server on this machine. The user of the pool must be a superuser. */
export async function serverPid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  );
  return Number.parseInt(rows[0]!.text, 10);
}
