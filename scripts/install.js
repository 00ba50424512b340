// Installs the dependencies if node_modules differs from the lock file. npm runs this program before `npm start` and
// `npm test`. The program is plain JavaScript without dependencies, because it must run under any version of Node.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns whether node_modules differs from the lock file: a package is missing, has another version, or is not in the
 * lock file. Packages that npm omits do not count: optional packages of other systems, and with `--omit=dev`
 * development packages.
 *
 * @param {string} root the folder of package-lock.json
 * @param {boolean} needsDev whether the development packages must be installed
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

/** Returns the packages of a lock file by path; an empty object if the file is missing, as before the first install. */
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
      // The output of npm goes to stderr, because stdout is for the output of the command that runs afterwards.
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (status !== 0) {
      process.stderr.write('npm ci failed; nothing was started.\n');
      process.exit(1);
    }
  }
}
