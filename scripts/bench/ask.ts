/** The answer to one request. */
export interface Answer {
  path: string;
  ms: number;
  text: string;
}

/** Sends one GET request, as one client does that waits for each answer; throws when it is no success. */
export async function ask(api: string, path: string, token: string): Promise<Answer> {
  const started_ms = performance.now();
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${api}/api/v1${path}`, { headers });
  const text = await response.text();
  const ms = performance.now() - started_ms;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return { path, ms, text };
}

/** The median, the 99th percentile and the slowest one of some answers. */
export function rank(answers: Answer[]): { p50: number; p99: number; slowest: Answer } {
  const sorted = answers.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  return { p50: msAt(0.5), p99: msAt(0.99), slowest: sorted.at(-1)! };
}
