// This file is plain JavaScript without dependencies, because it must run under any version of Node.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const ownNode = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

/**
 * Runs a program of the product in the machine's Node. If the machine's Node is too old, the program runs in the Node
 * of node_modules.
 *
 * @param {URL} program a TypeScript file
 */
export async function launch(program) {
  endWithNpm();
  // Node 24.7 is the first version with Argon2, which hashes passwords.
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > 24 || (major === 24 && minor >= 7);
  if (!existsSync(new URL('../node_modules/commander/', import.meta.url))) {
    process.stderr.write('registry needs its dependencies: run npm ci --omit=dev first.\n');
    process.exitCode = 1;
  } else if (isNewEnough) {
    // Node caches compiled modules for the next command if the cache folder is writable.
    nodeModule.enableCompileCache?.(
      fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
    );
    await import(program.href);
  } else {
    launchOwn(fileURLToPath(program));
  }
}

/**
 * Ends this process by SIGTERM when the npm or npx that started the process has ended. npm and npx do not forward
 * every signal, and a killed npm forwards none.
 */
function endWithNpm() {
  const begun = listParents();
  if (begun.length === 0) return;
  setInterval(() => {
    if (listParents().join() !== begun.join()) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

/**
 * Returns the process ids from this process's parent up to npm, including the shell that npx starts. Without npm the
 * list is empty, because this process may outlive a terminal or a script that started it.
 */
function listParents() {
  if (process.env.npm_command === undefined) return [];
  // On systems other than Linux, `exec` has replaced the shell by this process, so the parent of this process is npm.
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
  // The program notices the end of this process, its parent, because the IPC channel then closes.
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
    // The exit code after a signal is 128 plus the number of the signal, as in a shell.
    process.exitCode = code ?? 128 + constants.signals[signal];
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
