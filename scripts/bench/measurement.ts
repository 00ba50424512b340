import type { MeasuredNight } from './night-process.ts';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a figure and whether its limit holds. A broken limit makes the exit code 1. */
export function judge(name: string, measured: string, limit: string, holds: boolean): void {
  print(`  ${name}: ${measured}, the limit is ${limit}: ${holds ? 'holds' : 'FAILS'}`);
  if (!holds) process.exitCode = 1;
}

/** Prints a figure and whether it is at most its limit. */
export function judgeAtMost(name: string, value: number, limit: number, unit: string): void {
  judge(name, `${value.toFixed(2)} ${unit}`, `${limit} ${unit}`, value <= limit);
}

const MEMORY_MB = 512;

/** The limits of a night: CPU seconds per million entries, time relative to the plain copy, elapsed seconds. */
export interface NightLimit {
  cpu_seconds?: number;
  ratio?: number;
  elapsed?: number;
}

/** Prints the times of the plain copies. Returns their mean in seconds. */
export function reportCopies(copies: readonly { elapsed: number; cpu: number }[]): number {
  const copy_s = mean(copies.map(({ elapsed }) => elapsed));
  const cpu_s = mean(copies.map(({ cpu }) => cpu));
  print(
    `\nunzip -p | COPY: ${copies.map(({ elapsed }) => elapsed.toFixed(1)).join(', ')} s, ` +
      `mean ${copy_s.toFixed(1)} s, ${cpu_s.toFixed(1)} CPU seconds`,
  );
  return copy_s;
}

/** Prints and judges the figures of a night. @param size seconds of the plain copy, entries of the country */
export function reportNight(
  title: string,
  night: MeasuredNight,
  { copy_s, entries }: { copy_s: number; entries: number },
  limit: NightLimit,
): void {
  print(`\n${title}: ${night.elapsed.toFixed(1)} s, ${night.peak_memory_mb.toFixed(0)} MB`);
  print(`  ${''.padEnd(24)} ${'elapsed'.padStart(9)} ${'Node CPU'.padStart(9)} server CPU`);
  for (const { name, elapsed, node_cpu, server_cpu } of night.steps) {
    const times = [elapsed, node_cpu, server_cpu].map((s) => `${s.toFixed(2).padStart(7)} s`);
    print(`  ${name.padEnd(24)} ${times.join(' ')}`);
  }
  const cpu_s = night.node_cpu + night.server_cpu;
  if (limit.cpu_seconds === undefined) print(`  CPU: ${cpu_s.toFixed(2)} s`);
  else judgeAtMost('CPU', cpu_s, (limit.cpu_seconds * entries) / 1_000_000, 's');
  const { ratio, elapsed } = limit;
  if (ratio !== undefined) judgeAtMost('Elapsed', night.elapsed / copy_s, ratio, '× the copy');
  if (elapsed !== undefined) judgeAtMost('Elapsed', night.elapsed, elapsed, 's');
  judgeAtMost('Memory', night.peak_memory_mb, MEMORY_MB, 'MB');
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
