// The processes of one machine. Servers of PostgreSQL leave the process group that started them.
import { readdirSync, readFileSync } from 'node:fs';

/** In the environment of what is started on a machine: its folder. */
export const mark = 'CLUSTER_MACHINE';

interface Found {
  pid: number;
  parent: number;
  state: string;
  isMarked: boolean;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

function findAll(folder: string): Found[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    const [state = 'X', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'X' || state === 'Z') return [];
    const isMarked = read(`/proc/${pid}/environ`).split('\0').includes(`${mark}=${folder}`);
    return [{ pid: Number(pid), parent: Number(parent), state, isMarked }];
  });
}

/** Those with the mark, and all below them: a session of PostgreSQL writes over its environment. */
function listGroup(folder: string): Found[] {
  const all = findAll(folder);
  const group = new Set(all.filter(({ isMarked }) => isMarked));
  for (let size = 0; size < group.size;) {
    size = group.size;
    const pids = new Set([...group].map(({ pid }) => pid));
    for (const found of all) if (pids.has(found.parent)) group.add(found);
  }
  return [...group];
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Stops all processes of a machine at once, as far as a signal can: none sees another one stop. */
export function freezeGroup(folder: string): void {
  for (let isWhole = false; !isWhole;) {
    const moving = listGroup(folder).filter(({ state }) => state !== 'T');
    for (const { pid } of moving) sendSignal(pid, 'SIGSTOP');
    isWhole = moving.length === 0;
  }
}

/** Sends a signal to all processes of a machine. @returns how many there are */
export function signalGroup(folder: string, signal: NodeJS.Signals): number {
  const group = listGroup(folder);
  for (const { pid } of group) sendSignal(pid, signal);
  return group.length;
}
