import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';

/** Why the programs of a cluster cannot be had here. */
export class ProgramsLacking extends Error {
  override name = 'ProgramsLacking';
}

/** What is needed of each package of Debian. */
export const files = {
  patroni: '/usr/bin/patroni',
  'python3-etcd': '/usr/lib/python3/dist-packages/etcd',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
};

export const install = ['install', '-y', '--no-install-recommends'];

function listLacking(): string[] {
  const lacking = Object.entries(files).filter(([, file]) => globSync(file).length === 0);
  return lacking.map(([name]) => name);
}

function runApt(args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new ProgramsLacking(`apt-get ${args.join(' ')} failed.`);
}

/**
 * Installs what is missing, where this user may. Throws `ProgramsLacking`.
 *
 * @returns the folder with the programs of the newest PostgreSQL
 */
export function requirePrograms(): string {
  if (process.platform !== 'linux') throw new ProgramsLacking('The cluster needs Linux.');
  const lacking = listLacking();
  if (lacking.length > 0) {
    if (process.getuid!() !== 0 || !existsSync('/usr/bin/apt-get')) {
      const command = ['apt-get', ...install, ...lacking].join(' ');
      throw new ProgramsLacking(`These programs are missing here; root runs: ${command}`);
    }
    runApt(['update']);
    runApt([...install, ...lacking]);
  }
  const folders = globSync('/usr/lib/postgresql/*/bin');
  const order = new Intl.Collator('en', { numeric: true });
  return folders.toSorted((one, other) => order.compare(one, other)).at(-1)!;
}
