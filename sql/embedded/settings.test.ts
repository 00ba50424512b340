import { expect, test } from 'vitest';
import { readMachine, writeSettings } from './settings.ts';

const GB = 1024 ** 3;
const server = { memory: 64 * GB, cores: 16, freeDisk: 500 * GB, sharedMemory: 32 * GB };
const container = { memory: GB / 2, cores: 1, freeDisk: 2 * GB, sharedMemory: GB / 16 };

function settingsFor(machine: typeof server, directory = '/tmp/s'): Map<string, string> {
  const lines = writeSettings(machine, directory, {}).split('\n');
  return new Map(lines.flatMap((line) => [line.split(' = ') as [string, string]]));
}

test.each([
  ['shared_buffers', `'2048MB'`, `'128MB'`],
  ['effective_cache_size', `'32768MB'`, `'256MB'`],
  ['work_mem', `'64MB'`, `'8MB'`],
  ['maintenance_work_mem', `'1024MB'`, `'64MB'`],
  ['wal_buffers', `'64MB'`, `'4MB'`],
  ['max_wal_size', `'4096MB'`, `'256MB'`],
  ['max_worker_processes', `'16'`, `'8'`],
  ['max_parallel_workers', `'16'`, `'1'`],
  ['max_parallel_workers_per_gather', `'4'`, `'0'`],
])('%s follows the machine', (name, large, small) => {
  expect(settingsFor(server).get(name)).toBe(large);
  expect(settingsFor(container).get(name)).toBe(small);
});

test.runIf(process.platform === 'linux')('a tiny /dev/shm is not used', () => {
  expect(settingsFor(server).get('dynamic_shared_memory_type')).toBe(`'posix'`);
  expect(settingsFor(container).get('dynamic_shared_memory_type')).toBe(`'mmap'`);
});

test('a quote in the path of the socket stays inside its value', () => {
  expect(settingsFor(server, "/tmp/o'brien").get('unix_socket_directories')).toBe(
    "'/tmp/o''brien'",
  );
});

test('only fsync and memory are given up for tests', () => {
  const [safe, fast] = [true, false].map((durable) =>
    writeSettings(server, '/tmp/s', { durable }).split('\n'),
  );
  expect(safe!.filter((line) => !fast!.includes(line))).toEqual([
    "shared_buffers = '2048MB'",
    "fsync = 'true'",
  ]);
});

test('this machine has memory, cores and disk', async () => {
  const { memory, cores, freeDisk } = await readMachine('/');
  expect(Math.min(memory, cores, freeDisk)).toBeGreaterThan(0);
  expect(memory).toBeLessThan(2 ** 50);
});
