import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { productVersion } from '../../sql/suitable.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the version of the package with its commit, such as `0.1.0 (670bd81)`. The file COMMIT of an image holds the
 * commit, elsewhere the clone does.
 */
export function readVersion(): string {
  const file = `${root}COMMIT`;
  const git = () => spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).stdout;
  const commit = String((existsSync(file) ? readFileSync(file) : git()) ?? '').trim();
  return commit === '' ? productVersion : `${productVersion} (${commit})`;
}
