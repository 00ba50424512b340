import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { dayIn } from '../../sql/country.ts';
import { describeEvent, present } from '../../sql/words/event-words.ts';
import { basePath } from '../endpoint/mount.ts';
import type { Context } from '../http/context.ts';
import { keepByKey } from '../http/keep.ts';
import { chooseSource } from '../stats/source.ts';
import type { NoticeTexts } from './notice.ts';
import { readHeadline } from './headline.ts';

type Credits = Record<'searchCredits' | 'snapshotCredits' | 'welcomeCredits', number>;
type Texts = {
  baseUrl: string;
  privacyText?: NoticeTexts | undefined;
  termsText?: NoticeTexts | undefined;
};
export type HomeOptions = Context & Credits & Texts & { isRegistrationOpen?: boolean };

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

/** The newest snapshot of each source, with its number of entries. */
export async function findSnapshots(db: Db) {
  return db
    .selectFrom('registry.daily_stat')
    .distinctOn('source')
    .select(['source', 'stat_date', 'entry_count'])
    .orderBy('source')
    .orderBy('stat_date', 'desc')
    .execute();
}

type Snapshot = Awaited<ReturnType<typeof findSnapshots>>[number];

/** What the newest nights say. A night of millions of events is read once, whoever looks at it. */
async function readNews(db: Db, snapshots: readonly Snapshot[], suppressBelow: number) {
  const [first] = snapshots;
  if (!first) return { nights: [], types: [], examples: [], headline: undefined };
  const source = await chooseSource(db, undefined);
  const newest = snapshots.find((one) => one.source === source) ?? first;
  const [[night], headline] = await Promise.all([
    runPrepared<Record<'nights' | 'types' | 'examples', object[]>>(db, 'api/read_night.sql', [
      snapshots.map((one) => one.source),
      snapshots.map(({ stat_date }) => stat_date),
    ]),
    readHeadline(db, newest.source, newest.stat_date, suppressBelow),
  ]);
  return { ...night!, headline };
}

/** Makes what `/` shows to a browser: the newest nights, the service and the ways to use it. */
export function createHome({
  readers: { db },
  now,
  isRegistrationOpen = true,
  ...options
}: HomeOptions) {
  // For an hour at most: what is withdrawn from the events is gone from the page too.
  const readKept = keepByKey((key) =>
    readNews(db, (JSON.parse(key) as [Snapshot[]])[0], options.suppressBelow),
  );
  return async () => {
    const snapshots = await findSnapshots(db);
    const at = now();
    const today = Date.parse(dayIn(at));
    const news = await readKept(JSON.stringify([snapshots, Math.floor(at.getTime() / hour_ms)]));
    const newest = snapshots.map(({ stat_date }) => stat_date).toSorted();
    return {
      ...news,
      /** Calendar days in Poland. */
      ageOf: (date: string) => (today - Date.parse(date)) / day_ms,
      describeEvent,
      present,
      // An example until something is published.
      newest: newest.at(-1) ?? '2026-11-06',
      api: options.baseUrl + basePath,
      isRegistrationOpen,
      welcomeCredits: options.welcomeCredits,
      searchCredits: options.searchCredits,
      snapshotCredits: options.snapshotCredits,
    };
  };
}
