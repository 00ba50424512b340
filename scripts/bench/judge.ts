// The limits are at the top of each benchmark's file: of nights in night.ts and sirene.ts, of the API in the others.
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a measured figure, and whether the figure is within its limit. Otherwise the exit code becomes 1. */
export function judge(name: string, measured: string, limit: string, holds: boolean): void {
  print(`  ${name}: ${measured}, the limit is ${limit}: ${holds ? 'holds' : 'FAILS'}`);
  if (!holds) process.exitCode = 1;
}

/** Prints a figure and whether the figure is at most its limit. */
export function judgeAtMost(name: string, value: number, limit: number, unit: string): void {
  judge(name, `${value.toFixed(2)} ${unit}`, `${limit} ${unit}`, value <= limit);
}
