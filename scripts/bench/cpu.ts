import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

/** Clock ticks in a second, as Linux counts them for /proc. */
const TICKS = 100;

/** The CPU time that a process has used, and its number among those of its parent. */
interface ProcessTime {
  pid: number;
  parent: number;
  /** Its own, and that of its children which have ended. */
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
  const [user, system, childUser, childSystem] = fields.slice(11, 15) as [
    number,
    number,
    number,
    number,
  ];
  const seconds = (user + system + childUser + childSystem) / TICKS;
  return { pid: Number(pid), parent: fields[1]!, seconds };
}

/** CPU seconds of a process and its children so far, ended ones included. Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const times = await Promise.all(pids.map(readTime));
  return times
    .filter((time) => time?.pid === pid || time?.parent === pid)
    .reduce((sum, time) => sum + time!.seconds, 0);
}

/** The process of a database server on this machine, of which the user of the pool is a superuser. */
export async function serverPid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  );
  return Number.parseInt(rows[0]!.text, 10);
}
