// Runs before `npm start` and `npm test`, under any Node, so it is plain JavaScript without a dependency.
// Installs when node_modules is absent or holds other packages than the lock file.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/**
 * Whether node_modules lacks a package of the lock file, has another version of one, or has one that
 * the lock file does not know. npm leaves out optional packages of other systems, and with
 * `--omit=dev` packages of development.
 *
 * @param {string} root the folder of package-lock.json
 * @param {boolean} needsDev whether the packages of development have to be there
 */
export function isStale(root, needsDev) {
  const wanted = readPackages(`${root}/package-lock.json`);
  const installed = readPackages(`${root}/node_modules/.package-lock.json`);
  const isIn = ([path, { version, integrity, optional, dev, devOptional }]) => {
    if (path === '') return true;
    const found = installed[path];
    if (!found) return Boolean(optional || devOptional || (dev && !needsDev));
    return found.version === version && found.integrity === integrity;
  };
  return (
    !Object.entries(wanted).every(isIn) || !Object.keys(installed).every((path) => path in wanted)
  );
}

/** The packages of a lock file by their path; without one, such as before the first install, none. */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const needsDev = process.argv.includes('--dev');
  if (isStale(projectRoot, needsDev)) {
    process.stderr.write('Installing dependencies (npm ci) …\n');
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: projectRoot,
      // stdout belongs to the command that runs next; what npm says goes to stderr.
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (status !== 0) {
      process.stderr.write('npm ci failed; nothing was started.\n');
      process.exit(1);
    }
  }
}
