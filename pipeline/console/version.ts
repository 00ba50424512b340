import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The version of the package and the commit it was made of, such as `0.1.0 (670bd81)`. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    version: string;
  };
  const commit = readCommit();
  return commit === undefined ? version : `${version} (${commit})`;
}

/** An image says its commit in the file COMMIT, a clone asks git; undefined: neither is there. */
function readCommit(): string | undefined {
  try {
    return readFileSync(`${root}COMMIT`, 'utf8').trim() || undefined;
  } catch {
    // Not an image.
  }
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
