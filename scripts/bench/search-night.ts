// Measures the searches of one client while a night publishes.
import { type Answer, askInTurn, rank } from './load.ts';
import { judge } from './measurement.ts';
import { drawPaths } from './search.ts';
import { type Setting, waitUntilLoaded } from './setting.ts';

/** The searches of a batch, and the batches after the end of the night, while its snapshot is loaded. */
const [together, looksAfter] = [10, 20];

const longest_ms = 100;

/**
 * Judges searches while a night publishes and its snapshot is loaded. A search whose page holds a changed
 * company waits for the index.
 *
 * @returns the result of `runNight`
 */
export async function benchSearchNight<T>(
  { db, tokens, startApi }: Setting,
  country: string,
  runNight: () => Promise<T>,
): Promise<T> {
  const paths = await drawPaths(db.pool, country);
  const api = await startApi();
  await waitUntilLoaded(api);
  let asked = 0;
  const ask = () => {
    const at = (asked += together) % (paths.length - together);
    // The tokens rotate, so that no token reaches its rate limit.
    return askInTurn(
      api,
      paths.slice(at, at + together),
      tokens.slice(asked % (tokens.length / 2)),
    );
  };
  // The first searches, during which code is compiled, are not measured.
  for (let count = 0; count < looksAfter; count += 1) await ask();
  let isOver = false;
  const night = runNight().finally(() => (isOver = true));
  const answers: Answer[] = [];
  for (let looks = 0; looks < looksAfter; looks += Number(isOver)) answers.push(...(await ask()));
  const { p99, slowest } = rank(answers);
  judge(
    `GET /companies/search, ${answers.length} requests while a night publishes`,
    `p99 ${p99.toFixed(0)} ms, slowest ${slowest.ms.toFixed(0)} ms (${slowest.path})`,
    `none above ${longest_ms} ms`,
    slowest.ms <= longest_ms,
  );
  return night;
}
