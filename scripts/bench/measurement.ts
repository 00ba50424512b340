/** A figure, what it has to be, and whether it is. */
export interface Measurement {
  name: string;
  measured: string;
  limit: string;
  holds: boolean;
}

/** A figure that may be as large as its limit. */
export function atMost(name: string, value: number, limit: number, unit: string): Measurement {
  const [measured, most] = [`${value.toFixed(2)} ${unit}`, `${limit} ${unit}`];
  return { name, measured, limit: most, holds: value <= limit };
}

/** Prints measurements. @returns whether every limit holds */
export function report(measurements: readonly Measurement[]): boolean {
  for (const { name, measured, limit, holds } of measurements) {
    const verdict = holds ? 'holds' : 'FAILS';
    process.stdout.write(`  ${name}: ${measured}, the limit is ${limit}: ${verdict}\n`);
  }
  return measurements.every(({ holds }) => holds);
}
