// Plain JavaScript without a dependency: it has to run under any Node.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const ownNode = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

/**
 * Runs a program of the product under the Node of the machine, or, where that one is too old, under the
 * Node among the dependencies.
 *
 * @param {URL} program a TypeScript file
 */
export async function launch(program) {
  endWithNpm();
  // The first version that has Argon2.
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > 24 || (major === 24 && minor >= 7);
  if (!existsSync(new URL('../node_modules/commander/', import.meta.url))) {
    process.stderr.write('registry needs its dependencies: run npm ci --omit=dev first.\n');
    process.exitCode = 1;
  } else if (isNewEnough) {
    // Modules stay compiled from one command to the next, where the folder can be written.
    nodeModule.enableCompileCache?.(
      fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
    );
    await import(program.href);
  } else {
    launchOwn(fileURLToPath(program));
  }
}

/**
 * Ends this process by SIGTERM once the npm or npx that started it is gone. npm and npx do not pass on every signal,
 * and pass on none when they are killed.
 */
function endWithNpm() {
  const begun = listParents();
  if (begun.length === 0) return;
  setInterval(() => {
    if (listParents().join() !== begun.join()) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

/**
 * Lists the pids from the parent of this process up to npm: npx puts a shell in between. Without npm the list is
 * empty, so that a terminal or a script may end before what it has started.
 */
function listParents() {
  if (process.env.npm_command === undefined) return [];
  // On other systems this process has replaced the shell, so its parent is npm.
  if (process.platform !== 'linux') return [process.ppid];
  const parents = [];
  for (let pid = process.ppid; pid > 1 && parents.length < 3;) {
    const status = readStatus(pid);
    parents.push(pid);
    if (status.startsWith('Name:\tnpm')) return parents;
    pid = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
  }
  return [];
}

/** @param {number} pid */
function readStatus(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} path */
function launchOwn(path) {
  // The channel tells the program when this process is gone.
  const child = spawn(ownNode, [path, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', () => {
    process.stderr.write(
      `registry needs Node 24.7 or newer. This is ${process.version}, and node_modules has none either: run npm ci, or install a newer Node.\n`,
    );
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    // The exit code for a signal is 128 plus its number, as in a shell.
    process.exitCode = code ?? 128 + constants.signals[signal];
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
