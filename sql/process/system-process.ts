import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export type SystemUser = { uid: number; gid: number };

/** A process, which `pid` and `start` (its start time) identify together, because a pid is reused later. */
export type Process = { pid: number; start: string; command: string };

/**
 * Runs a program to its end; as `user` if this process is root. Returns the exit code of the program (null when it
 * could not run) and its output. The program gets a minimal environment, and Ctrl-C does not reach the program.
 *
 * @param options.log a file descriptor for the output of the program, and of a server that the program starts
 */
export async function run(
  file: string,
  args: string[],
  options: { user?: SystemUser; env?: NodeJS.ProcessEnv; log?: number } = {},
): Promise<{ code: number | null; output: string }> {
  const { user, env, log } = options;
  try {
    const child = spawn(file, args, {
      // The program starts in `/`, because the user may lack access to the caller's directory.
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...env },
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
      ...(process.getuid?.() === 0 && user),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output: output.trim() };
  } catch (error) {
    return { code: null, output: (error as Error).message };
  }
}

/** Waits until a condition, checked every 10 ms, holds. Returns false if it does not hold within `limit_ms`. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  limit_ms: number,
): Promise<boolean> {
  for (const deadline = Date.now() + limit_ms; !(await isTrue()); await sleep(10)) {
    if (Date.now() > deadline) return false;
  }
  return true;
}

/** Returns the process with this pid; undefined when no such process runs. A zombie counts as not running. */
export function findProcess(pid: number): Process | undefined {
  if (process.platform !== 'linux') return listProcesses().find((found) => found.pid === pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Only the text after the program's name is split, because the name may contain blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, start: fields[19]!, command };
  } catch {
    return undefined;
  }
}

export function listProcesses(): Process[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc').flatMap((name) => findProcess(Number(name)) ?? []);
  }
  const options = { encoding: 'utf8', env: { LC_ALL: 'C' } } as const;
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,lstart=,command='], options);
  const lines = [...(stdout ?? '').matchAll(/^ *(\d+) +(.{24}) +(.*)$/gm)] as unknown as string[][];
  return lines.map(([, pid, start, command]) => ({
    pid: Number(pid),
    start: start!,
    command: command!,
  }));
}

/** Returns the text of a file; undefined when the file does not exist. */
export async function readText(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
