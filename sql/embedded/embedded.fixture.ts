import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Connection } from './embedded.ts';
import { until as holds } from './process.ts';

/** A separate process that holds a share of the embedded server. */
export type Holder = {
  child: ChildProcess;
  connection: Connection;
  /** Makes it release its share; resolves when it has ended, throws when it failed. */
  release(): Promise<void>;
};

export type HolderOptions = {
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
  /** In its own process group. */
  detached?: boolean;
  /** Another copy of embedded.ts, and of Node. */
  module?: string;
  node?: string;
};

/** Starts a holder without waiting for its share. */
export function spawnHolder(dataDir: string, options: HolderOptions = {}): ChildProcess {
  const { module = new URL('embedded.ts', import.meta.url).href, node, ...rest } = options;
  const script = `
    import { acquireEmbedded } from ${JSON.stringify(module)};
    const server = await acquireEmbedded(${JSON.stringify(dataDir)}, { durable: false });
    process.stdout.write(JSON.stringify(server.connection) + '\\n');
    process.stdin.resume().once('end', () => server.release());
  `;
  return spawn(node ?? process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    ...rest,
  });
}

/** Starts a holder and waits until it has its share; throws its output when it gets none. */
export async function startHolder(dataDir: string, options: HolderOptions = {}): Promise<Holder> {
  const child = spawnHolder(dataDir, options);
  const ended = once(child, 'close');
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const first = await Promise.race([once(child.stdout!, 'data'), ended]);
  if (!Buffer.isBuffer(first[0])) {
    throw new Error(`The holder ended: ${errors}`);
  }
  const release = async () => {
    child.stdin!.end();
    const [code] = await ended;
    if (code !== 0) {
      throw new Error(`The holder ended with ${code}: ${errors}`);
    }
  };
  return { child, connection: JSON.parse(first[0].toString()) as Connection, release };
}

/** Runs statements in a new session and returns the rows of the last one. */
export async function query(connection: Connection, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ ...connection, ssl: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) {
      rows = (await client.query<Record<string, unknown>>(statement)).rows;
    }
    return rows;
  } finally {
    await client.end();
  }
}

/** The pid of the server of a cluster directory, from its postmaster.pid. */
export async function postmasterOf(directory: string): Promise<number> {
  return Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Waits until `claim` holds; throws after 20 s. */
export async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await holds(claim, 20_000))) throw new Error(`Not within 20 s: ${claim.toString()}`);
}
