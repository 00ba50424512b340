import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { files, install } from '../../fixtures/cluster/programs.ts';

const here = import.meta.dirname;
const read = (file: string) => readFile(`${here}/${file}`, 'utf8');
const guide = await read('../../pipeline/cluster.md');
const patroni = parse(await read('patroni.yaml')) as {
  bootstrap: {
    dcs: Record<string, number | boolean> & {
      postgresql: { parameters: Record<string, string> };
    };
  };
};
const haproxy = await read('haproxy.cfg');
const { dcs } = patroni.bootstrap;

test('the guide names each file for the machines', async () => {
  const linked = [...guide.matchAll(/\(\.\.\/scripts\/cluster\/([\w.]+)\)/g)].map(
    ([, file]) => file!,
  );
  const lying = (await readdir(here)).filter((file) => !file.endsWith('.ts'));
  expect(linked.toSorted()).toEqual(lying.toSorted());
});

test('the guide installs what the test installs', () => {
  const packages = Object.keys(files);
  expect(guide).toContain(['apt-get', ...install, ...packages].join(' '));
});

test('the numbers of the guide are those of the files', () => {
  expect(guide).toContain(`is missed after \`ttl\`, ${Number(dcs.ttl)} seconds`);
  expect(Number(dcs.ttl)).toBeGreaterThanOrEqual(
    Number(dcs.loop_wait) + 2 * Number(dcs.retry_timeout),
  );
  expect(dcs.synchronous_mode).toBe(true);
  expect(dcs).not.toHaveProperty('synchronous_mode_strict');
  expect(dcs.maximum_lag_on_failover).toBe(1024 ** 2);
  expect(guide).toContain('`maximum_lag_on_failover` (1 MB)');
  const { max_slot_wal_keep_size } = dcs.postgresql.parameters;
  expect(guide).toContain(`up to ${max_slot_wal_keep_size!.replace('GB', ' GB')} for a standby`);
  for (const path of ['/primary', '/replica?lag=1MB']) {
    expect(guide).toContain(`(\`${path}\`)`);
    expect(haproxy).toContain(`OPTIONS ${path.includes('?') ? `"${path}"` : path}`);
  }
  expect(haproxy).toContain('check inter 1s');
  expect(guide).toContain('once a second');
});

test('each command that the guide tries is one of the program', async () => {
  const program = await read('../../fixtures/cluster/command.ts');
  const row = /^\| (`[^|]+`) +\|/gm;
  const tried = [...guide.matchAll(row)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)/g)].map(([, name]) => name!),
  );
  const known = [...program.matchAll(/(?:describe|command)\('(\w+)'/g)].map(([, name]) => name!);
  expect(tried).toContain('kill');
  expect(known).toEqual(expect.arrayContaining(tried));
});
