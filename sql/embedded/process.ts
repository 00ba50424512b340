import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';

/** A system user that a command runs as. */
export type SystemUser = { name: string; uid: number; gid: number };

/** What a command left behind: `code` is null when it could not be run or was killed. */
export type Outcome = { code: number | null; output: string };

/**
 * The environment of everything that belongs to Postgres: nothing of the caller's locale, time zone
 * or PG* variables, which have all broken an initdb somewhere.
 */
export function cleanEnvironment(libraries?: string): NodeJS.ProcessEnv {
  const searched = [libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(searched === '' ? {} : { LD_LIBRARY_PATH: searched }),
  };
}

/** The spawn options that make a child run as `user`; none for the caller's own. */
export function identity(user: SystemUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

/** Runs a command to its end, as `user` where one is given, and collects what it printed. */
export async function runCommand(
  file: string,
  args: string[],
  user?: SystemUser,
  libraries?: string,
): Promise<Outcome> {
  const chunks: Buffer[] = [];
  try {
    const child = spawn(file, args, {
      // The caller's own directory may be closed to the user.
      cwd: '/',
      env: cleanEnvironment(libraries),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...identity(user),
    });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output: Buffer.concat(chunks).toString().trim() };
  } catch (error) {
    // A refusal is thrown or emitted, whichever it is.
    return { code: null, output: (error as Error).message };
  }
}

/**
 * When a process began, in the system's own spelling: together with the pid it names a process for
 * good, for a pid is given out again. Undefined when there is no such process; a zombie is none.
 */
export function processStart(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', `${pid}`], {
      env: { LC_ALL: 'C' },
    });
    const line = stdout?.toString().trim() ?? '';
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name, may hold blanks and brackets: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The arguments of a process, its program first; empty when it is gone. */
export function processArguments(pid: number): string[] {
  if (processStart(pid) === undefined) {
    return [];
  }
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', `${pid}`]);
    // Blanks of a path are not told from those between arguments: an option keeps its value.
    return (
      stdout
        ?.toString()
        .trim()
        .split(/ (?=-)/) ?? []
    );
  }
  try {
    // Readable for everybody, unlike cwd and exe, which a container's root may not ask for.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').split('\0');
  } catch {
    return [];
  }
}

/** The pids of the processes of one user whose title begins with `title`. */
export function findProcesses(title: string, uid: number): number[] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-axo', 'pid=,uid=,command=']);
    return (stdout?.toString() ?? '').split('\n').flatMap((line) => {
      const [, pid, owner, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return command?.startsWith(title) && Number(owner) === uid ? [Number(pid)] : [];
    });
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      if (!processArguments(pid)[0]?.startsWith(title)) {
        return false;
      }
      return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
    });
}

/** Sends a signal; a process that is already gone is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}
