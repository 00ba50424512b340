import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parser as pythonParser } from '@lezer/python';
import { parser as promqlParser } from '@prometheus-io/lezer-promql';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { validate as isCron } from 'node-cron';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runCommand } from '../../fixtures/process/cli.ts';
import { findPort, startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { fixtureFolder } from '../../fixtures/dump/night.ts';
import { dayIn } from '../../sql/country.ts';
import { shape as ofApi } from '../../api/environment.ts';
import { shape as ofPipeline } from '../../pipeline/environment.ts';
import { shape as ofFetch } from '../../pipeline/fetch/environment.ts';
import { serveMetrics } from '../../pipeline/worker/metrics.ts';

const read = (file: string) => readFile(new URL(file, import.meta.url), 'utf8');

interface Parser {
  parse(text: string): {
    iterate(spec: {
      enter(node: { name: string; type: { isError: boolean }; from: number; to: number }): void;
    }): void;
  };
}

/** Returns the syntax nodes of a PromQL text, and the places where the text cannot be parsed. */
function parseBy(parser: Parser, text: string) {
  const nodes: { name: string; text: string }[] = [];
  const errors: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, type, from, to }) => {
      if (type.isError) errors.push(`${from}: ${text.slice(from, to + 20)}`);
      nodes.push({ name, text: text.slice(from, to) });
    },
  });
  return { nodes, errors };
}

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
}

interface Dashboard {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
}

async function readExpressions(): Promise<string[]> {
  const rules = parse(await read('alerts.yaml')) as Rules;
  const dashboard = JSON.parse(await read('grafana-dashboard.json')) as Dashboard;
  return [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

describe('alert rules and dashboard', () => {
  let db: TestDatabase;
  /** The names of all metrics that the pages /metrics of API and worker show. */
  let printed: Set<string>;

  beforeAll(async () => {
    db = await createTestDatabase();
    const api = await startTestApi({ db: db.kysely, pool: db.pool });
    const port = await findPort();
    const worker = await serveMetrics(db.pool, { host: '127.0.0.1', port }, 'worker');
    const texts = [api.url, `http://127.0.0.1:${port}`].map(async (url) =>
      (await fetch(`${url}/metrics`)).text(),
    );
    const types = (await Promise.all(texts)).join('\n').matchAll(/^# TYPE (\w+) (\w+)$/gm);
    printed = new Set(
      [...types].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
      ),
    );
    worker.close();
    await api.close();
  });

  test('every expression is one of Prometheus, over metrics that /metrics prints', async () => {
    const used = new Set<string>();
    for (const expression of await readExpressions()) {
      const { nodes, errors } = parseBy(promqlParser, expression);
      expect({ expression, errors }).toEqual({ expression, errors: [] });
      // In the parsed PromQL, an identifier is the name of a metric.
      for (const { name, text } of nodes) if (name === 'Identifier') used.add(text);
    }
    const metrics = [...used].filter((name) => /_/.test(name));
    expect(metrics.filter((name) => !printed.has(name))).toEqual([]);
    const own = [...printed].filter((name) => name.startsWith('registry_'));
    expect(own.filter((name) => !used.has(name))).toEqual([]);
  });

  test('every alert has a name of its own and says what is wrong', async () => {
    const { groups } = parse(await read('alerts.yaml')) as Rules;
    const alerts = groups.flatMap(({ rules }) => rules);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { annotations } of alerts) expect(annotations.summary).not.toBe('');
  });

  test('the panels of the dashboard have numbers of their own', async () => {
    const { panels } = JSON.parse(await read('grafana-dashboard.json')) as Dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe('deployment', () => {
  test('the Dockerfile has no fault', async () => {
    const text = await read('Dockerfile');
    expect(validateDockerfile(text, {}).map(({ message }) => message)).toEqual([]);
    // The base image is pinned by its digest, so that each build uses the same image.
    expect(text).toMatch(/^ARG NODE_IMAGE=node:24-\S+@sha256:[\da-f]{64}\nFROM \$\{NODE_IMAGE\}$/m);
  });

  test.each(['compose.yaml', 'kubernetes.yaml', 'alerts.yaml'])('%s is YAML', async (file) => {
    const documents = parseAllDocuments(await read(file), { merge: true });
    for (const document of Array.isArray(documents) ? documents : []) {
      expect(document.errors).toEqual([]);
      expect(document.warnings).toEqual([]);
    }
  });

  test('compose.yaml runs database, reader, API, worker and schedule', async () => {
    const { services, volumes } = parse(await read('compose.yaml'), { merge: true }) as {
      services: Record<
        string,
        { image: string; command?: string[]; volumes: string[]; environment: object }
      >;
      volumes: object;
    };
    expect(Object.keys(services)).toEqual(['database', 'reader', 'api', 'worker', 'schedule']);
    const { api, worker, schedule } = services;
    expect([api, worker, schedule].map((service) => service!.command)).toEqual([
      undefined,
      ['worker'],
      ['schedule'],
    ]);
    // The environment of the services lacks only the settings of analysts, and settings that the image itself sets.
    const ofAnalysts = ['DATABASE_READER_URL', 'READER_PORT'];
    const fixed = ['DATA_DIR', 'INBOX_DIR', 'HOST', 'PORT'];
    const settingNames = Object.keys({ ...ofApi, ...ofPipeline, ...ofFetch });
    expect(settingNames.filter((name) => !(name in api!.environment)).toSorted()).toEqual(
      [...ofAnalysts, ...fixed].toSorted(),
    );
    for (const service of [api, worker, schedule])
      expect(service!.environment).toHaveProperty('METRICS_PORT');
    const mounted = Object.values(services).flatMap((service) => service.volumes);
    const inbox = '${INBOX:-./inbox}:/data/inbox';
    expect(mounted.filter((volume) => volume === inbox)).toHaveLength(3);
    for (const volume of mounted)
      if (volume !== inbox) expect(volumes).toHaveProperty(volume.split(':')[0]!);
  });

  test('the CronJob of Kubernetes has a schedule, and treats nothing to do as done', async () => {
    const { kind, spec } = parse(await read('kubernetes.yaml')) as {
      kind: string;
      spec: {
        schedule: string;
        jobTemplate: { spec: { template: { spec: { containers: { command: string[] }[] } } } };
      };
    };
    expect(kind).toBe('CronJob');
    expect(isCron(spec.schedule)).toBe(true);
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    // The command runs without a shell, because a shell would not forward the signal that ends the job.
    expect(container!.command).toEqual(['node', 'pipeline/registry.js', 'nightly', '--idle-ok']);
  });

  test('the crontab has five fields, a user and a command on each line', async () => {
    const lines = (await read('crontab')).split('\n').filter((line) => /^[^#]/.test(line));
    const jobs = lines.filter((line) => !/^[A-Z_]+=\S+$/.test(line));
    expect(jobs).toHaveLength(2);
    for (const job of jobs) {
      const [, fields, command] = /^((?:\S+ ){5})registry (.+)$/.exec(job)!;
      expect(isCron(fields!.trim())).toBe(true);
      // The job runs node directly, because npx fails for a service's user, who has no home folder.
      expect(command).toContain('node pipeline/registry.js ');
    }
  });

  test('the crontab says nothing on a good night, and says what is wrong', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const folder = await mkdtemp(join(tmpdir(), 'registry-cron-'));
    const db = await createTestDatabase();
    await mkdir(join(folder, 'ceidg'));
    const today = dayIn(new Date());
    await cp(fixtureFolder('2026-11-02'), join(folder, 'ceidg', today), { recursive: true });
    const text = (await read('crontab'))
      .replace(/^DATABASE_URL=.*$/m, `DATABASE_URL=${db.url}`)
      .replace(/^INBOX_DIR=.*$/m, `INBOX_DIR=${folder}`)
      .replaceAll('/srv/company-registry', root)
      .replaceAll('/var/log/company-registry', folder);
    const lines = text.split('\n').filter((line) => /^[^#]/.test(line));
    const variables = lines.flatMap((line) => [...line.matchAll(/^([A-Z_]+)=(.+)$/g)]);
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    for (const [, name, value] of variables) Object.assign(env, { [name!]: value });
    const commands = lines.flatMap((line) => /^(?:\S+ ){5}registry (.+)$/.exec(line)?.[1] ?? []);
    const say = (command: string) => {
      const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' });
      return stdout + stderr;
    };
    // The first command of the crontab runs again at the end: the second night has nothing to do, and prints nothing.
    expect([...commands, commands[0]!].map(say)).toEqual(['', '', '']);
    expect(await readFile(join(folder, 'nightly.jsonl'), 'utf8')).toContain('"state":"published"');
    await db.pool.query(`update registry.run set dump_date = dump_date - 3`);
    expect(say(commands[1]!)).toMatch(/^The newest snapshot of ceidg, .* is 3 days old; .*\n$/);
  });

  test('no password is among the arguments of a program', async () => {
    const files = ['crontab', 'backup-check', '../../README.md', '../../pipeline/README.md'];
    for (const file of files) {
      const lines = (await read(file)).split('\n');
      // Every user of the machine can see the command of a cron job, because the command is an argument of a shell.
      const jobs = lines.filter((line) => /^(?:[\d*]+ ){5}/.test(line));
      const given = lines.filter((line) =>
        /^(pg_dump|pg_restore|createdb|psql)\b.*(DATABASE_URL|:\/\/\S*:\S*@)/.test(line),
      );
      expect([...jobs.filter((line) => line.includes('DATABASE_URL=')), ...given]).toEqual([]);
    }
  });

  test('the DAG of Airflow is Python, and skips where there is nothing to do', async () => {
    const text = await read('airflow.py');
    expect(parseBy(pythonParser, text).errors).toEqual([]);
    expect(text).toContain('skip_on_exit_code=5');
  });

  test('the units of systemd are sections of settings', async () => {
    const files = await readdir(new URL('systemd/', import.meta.url));
    expect(files.toSorted()).toEqual([
      'registry-nightly.service',
      'registry-nightly.timer',
      'registry@.service',
    ]);
    for (const file of files) {
      const lines = (await read(`systemd/${file}`)).split('\n').filter((line) => line !== '');
      const settings = lines.filter((line) => !/^#|^\[(Unit|Service|Timer|Install)\]$/.test(line));
      for (const line of settings) expect(line).toMatch(/^[A-Z]\w+=\S/);
      expect(lines).toContain(file.endsWith('.timer') ? '[Timer]' : '[Service]');
    }
    // systemd must restart a service any number of times, until the service reaches its database.
    const service = await read('systemd/registry@.service');
    expect(service).toMatch(/^\[Unit\]\n(\S.*\n)*StartLimitIntervalSec=0\n/m);
    expect(service).toMatch(/^RestartSec=\d+$/m);
  });

  test('every command that they run is one of registry', async () => {
    const { stdout } = await runCommand(['--help'], {});
    const commands = new Set([...stdout.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name));
    const files = ['crontab', 'airflow.py', 'kubernetes.yaml', 'systemd/registry-nightly.service'];
    for (const file of files) {
      const used = (await read(file)).matchAll(/registry\.js,? ([a-z]+)/g);
      const names = [...used].map(([, name]) => name);
      expect(names).not.toEqual([]);
      for (const name of names) expect(commands).toContain(name);
    }
  });
});
