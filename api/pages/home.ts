import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import type { NoticeTexts } from './notice.ts';
import { basePath } from '../endpoint/mount.ts';

type Credits = Record<'searchCredits' | 'snapshotCredits' | 'welcomeCredits', number>;
type Texts = {
  baseUrl: string;
  privacyText?: NoticeTexts | undefined;
  termsText?: NoticeTexts | undefined;
};
export type HomeOptions = Context & Credits & Texts & { isRegistrationOpen?: boolean };

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

const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Warsaw' });
const ages = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "today", "yesterday", "3 days ago": calendar days in Poland. */
function ageOf(date: string, now: Date): string {
  const age_days = (Date.parse(day.format(now)) - Date.parse(date)) / 86_400_000;
  return ages.format(-age_days, 'day');
}

/** `/` for a browser: the service, its newest snapshots and the ways to use it. */
export async function findHome({ db, now, isRegistrationOpen = true, ...options }: HomeOptions) {
  const snapshots = await findSnapshots(db);
  const newest = snapshots.map(({ stat_date }) => stat_date).toSorted();
  const today = now();
  return {
    snapshots: snapshots.map((one) => ({ ...one, age: ageOf(one.stat_date, today) })),
    // An example until something is published.
    newest: newest.at(-1) ?? '2026-11-06',
    api: options.baseUrl + basePath,
    isRegistrationOpen,
    welcomeCredits: options.welcomeCredits,
    searchCredits: options.searchCredits,
    snapshotCredits: options.snapshotCredits,
  };
}
