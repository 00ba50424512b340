import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { productVersion } from '../../sql/suitable.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the version of the package with its commit, such as `0.1.0 (670bd81)`. */
export function readVersion(): string {
  const commit = readCommit();
  return commit === undefined ? productVersion : `${productVersion} (${commit})`;
}

/** Returns the commit in the file COMMIT of an image, else the commit of a clone; undefined without either. */
function readCommit(): string | undefined {
  const file = `${root}COMMIT`;
  if (existsSync(file)) {
    const commit = readFileSync(file, 'utf8').trim();
    if (commit !== '') return commit;
  }
  const git = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return git.status === 0 ? git.stdout.trim() : undefined;
}
