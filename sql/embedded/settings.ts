import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { escapeLiteral } from 'pg';

const MB = 1024 * 1024;
const GB = 1024 * MB;

/** The figures of a machine on which the server's settings depend, in bytes; `sharedMemory` is the size of /dev/shm. */
export type Machine = Awaited<ReturnType<typeof readMachine>>;

/** Measures the memory of the machine or container, and the disk of `directory`. */
export async function readMachine(directory: string) {
  const disk = await statfs(directory);
  const shared = await statfs('/dev/shm').catch(() => undefined);
  // If the container has no memory limit, Node returns 0 or an absurdly high number.
  const limit = process.constrainedMemory() || Infinity;
  return {
    memory: Math.min(totalmem(), limit),
    cores: availableParallelism(),
    freeDisk: disk.bavail * disk.bsize,
    sharedMemory: shared === undefined ? 0 : shared.blocks * shared.bsize,
  };
}

export interface ServerOptions {
  /** Whether committed data survive a crash of the system; tests use false, which is faster. */
  durable?: boolean | undefined;
  /** The port of 127.0.0.1 on which the server admits analysts; undefined: no analysts are admitted. */
  readerPort?: number | undefined;
}

/** The number in the file name of the socket, if the server listens on no TCP port. */
export const socketPort = 1;

/** The text of `pg_hba.conf`, which admits analysts by TCP, and all users of the socket, whose directory is private. */
export const admission = `# Each start overwrites this file.
local all all trust
host registry registry_reader 127.0.0.1/32 trust
`;

/** Returns the text of `registry.conf`, the configuration file of the server. */
export function writeSettings(
  machine: Machine,
  socketDirectory: string,
  { durable = true, readerPort }: ServerOptions,
): string {
  const { memory, cores } = machine;
  const walSize = clamp(machine.freeDisk / 10, 256 * MB, 4 * GB);
  const parallel = clamp(cores / 2, 0, 4);
  const settings: Record<string, string | number | boolean> = {
    listen_addresses: readerPort === undefined ? '' : '127.0.0.1',
    unix_socket_directories: socketDirectory,
    port: readerPort ?? socketPort,
    client_connection_check_interval: '1s',
    timezone: 'UTC',

    // Tests use the smallest buffers: Postgres searches all buffers for each of the thousands of dropped tables.
    shared_buffers: durable ? size(clamp(memory / 8, 128 * MB, 2 * GB)) : '128MB',
    effective_cache_size: size(memory / 2),
    work_mem: size(clamp(memory / 256, 8 * MB, 64 * MB)),
    maintenance_work_mem: size(clamp(memory / 16, 64 * MB, GB)),
    // Parallel queries need more shared memory than the usual 64 MB of /dev/shm in a container.
    dynamic_shared_memory_type:
      process.platform === 'linux' && machine.sharedMemory < 256 * MB ? 'mmap' : 'posix',

    max_worker_processes: Math.max(8, cores),
    max_parallel_workers: cores,
    max_parallel_workers_per_gather: parallel,
    max_parallel_maintenance_workers: parallel,
    random_page_cost: 1.1,
    jit: false,

    // Without standbys, `minimal` is enough: a transaction that truncates a table then loads rows into it without WAL.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // A night writes faster than the WAL writer, so a large buffer keeps the night's sessions from waiting.
    wal_buffers: size(clamp(memory / 256, 4 * MB, 64 * MB)),
    max_wal_size: size(walSize),
    min_wal_size: size(walSize / 4),
    checkpoint_timeout: '15min',
    // `synchronous_commit` and `full_page_writes` stay on, so that a `kill -9` of Postgres alone loses nothing.
    fsync: durable,

    // The server logs only starts, stops and crashes, because the text of an error may contain customers' data.
    log_min_messages: 'log',
    log_checkpoints: false,
    log_timezone: 'UTC',
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = ${escapeLiteral(String(value))}`,
  );
  return ['# Each start overwrites this file.', ...lines, ''].join('\n');
}

function clamp(value: number, least: number, most: number): number {
  return Math.floor(Math.min(Math.max(value, least), most));
}

function size(bytes: number): string {
  return `${Math.floor(bytes / MB)}MB`;
}
