import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { describeEvent, present } from '../../sql/words/event-words.ts';
import { type Language, locales } from '../../sql/words/message.ts';
import { type Country, readCountries } from '../dictionaries/countries.ts';
import { readWords, type Words } from '../dictionaries/words.ts';
import { basePath } from '../endpoint/mount.ts';
import type { Context } from '../http/context.ts';
import { keepByKey } from '../http/keep.ts';
import { chooseSource } from '../stats/source.ts';
import { findAttributions, readSources } from '../html/attributions.ts';
import type { NoticeTexts } from './notice.ts';
import { readHeadline } from './headline.ts';

type Credits = Record<'searchCredits' | 'snapshotCredits' | 'welcomeCredits', number>;
type Prices = {
  /** Returns the packages of credits that can be bought, with their prices. */
  findPackages: () => Promise<object[]>;
};
type Texts = {
  baseUrl: string;
  privacyText?: NoticeTexts | undefined;
  termsText?: NoticeTexts | undefined;
};
export type HomeOptions = Context & Prices & Credits & Texts & { isRegistrationOpen?: boolean };

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

/** Returns the newest snapshot of each source of a country, with its number of entries. */
export async function findSnapshots(db: Db, country_code: string) {
  return db
    .selectFrom('registry.daily_stat')
    .distinctOn('source')
    .select(['source', 'stat_date', 'entry_count'])
    .where(sql`registry.source_country(source)`, '=', country_code)
    .orderBy('source')
    .orderBy('stat_date', 'desc')
    .execute();
}

type Snapshot = Awaited<ReturnType<typeof findSnapshots>>[number];

/** The counts and examples of the newest nights, which `api/read_night.sql` reads. */
interface Night {
  nights: { source: string; stat_date: string }[];
  types: { event_date: string; severity: string; count: number }[];
  examples: { event_date: string }[];
}

/** Returns counts and examples of events by day, the newest first. Events of different days are never summed. */
function groupByDay({ nights, types, examples }: Night) {
  const dates = [...new Set(nights.map(({ stat_date }) => stat_date))].toSorted().toReversed();
  return dates.map((date) => ({
    date,
    types: types.filter(({ event_date }) => event_date === date),
    examples: examples.filter(({ event_date }) => event_date === date),
  }));
}

/** Reads the counts and examples of events and the headline of the newest nights of a country. */
async function readNews(db: Db, { country, snapshots }: Shown, suppressBelow: number) {
  const [first] = snapshots;
  if (!first) return { nights: [], days: [], headline: undefined };
  const source = await chooseSource(db, { country: country.country_code });
  const newest = snapshots.find((one) => one.source === source) ?? first;
  const [[night], headline] = await Promise.all([
    runPrepared<Night>(db, 'api/read_night.sql', [
      snapshots.map((one) => one.source),
      snapshots.map(({ stat_date }) => stat_date),
    ]),
    readHeadline(db, newest.source, newest.stat_date, suppressBelow),
  ]);
  return { nights: night!.nights, days: groupByDay(night!), headline };
}

/** A country, and its snapshots that the page `/` shows. */
type Shown = { country: Country; snapshots: Snapshot[] };

async function findShown(db: Db): Promise<Shown[]> {
  const countries = await readCountries(db);
  return Promise.all(
    countries.map(async (country) => ({
      country,
      snapshots: await findSnapshots(db, country.country_code),
    })),
  );
}

/** Returns the functions with which the template describes the nights of a country. */
function viewNights({ country }: Shown, words: Words, at: Date) {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: country.time_zone });
  const today = Date.parse(day.format(at));
  const { country_code } = country;
  /** Returns the age of a day's data in calendar days of the country. */
  const ageOf = (date: string) => (today - Date.parse(date)) / day_ms;
  return {
    country,
    nameIn: (language: string) => words.nameOf(country, language),
    ageOf,
    /** Returns whether the data of a day came last night: the night after a day reads the day's dump. */
    isLast: (date: string) => ageOf(date) <= 1,
    /** Returns the words for the kinds of companies that a source holds. */
    holds: (source: string, language: string) =>
      words.find(country_code, `holds_${source}`, language),
  };
}

/** Returns the function that reads the data of the page `/`: the newest nights, prices and attributions. */
export function createHome({ readers, now, isRegistrationOpen = true, ...options }: HomeOptions) {
  const { db } = readers;
  // News are cached for an hour at most, so that withdrawn events disappear from the page, too.
  const readKept = keepByKey((key) =>
    Promise.all(
      (JSON.parse(key) as [Shown[]])[0].map((one) => readNews(db, one, options.suppressBelow)),
    ),
  );
  return async () => {
    const [shown, words] = [await findShown(db), await readWords(db)];
    const sources = (await readSources(db)).map((source) => source.toUpperCase());
    const at = now();
    const news = await readKept(JSON.stringify([shown, Math.floor(at.getTime() / hour_ms)]));
    const all = shown.map((one, place) => ({ ...viewNights(one, words, at), ...news[place]! }));
    const [first, ...others] = all;
    return {
      ...first!,
      others: others.filter(({ nights }) => nights.length > 0),
      describeEvent,
      present,
      // The date is an example until a snapshot is published.
      newest: first!.days[0]?.date ?? '2026-11-06',
      api: options.baseUrl + basePath,
      isRegistrationOpen,
      listRegistries: (language: Language) =>
        new Intl.ListFormat(locales[language]).format(sources),
      packages: await options.findPackages(),
      attributions: await findAttributions(
        db,
        all.flatMap(({ nights }) => nights.map(({ source }) => source)),
      ),
      welcomeCredits: options.welcomeCredits,
      searchCredits: options.searchCredits,
      snapshotCredits: options.snapshotCredits,
    };
  };
}
