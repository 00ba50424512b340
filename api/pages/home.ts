import { LRUCache } from 'lru-cache';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { describeEvent, present } from '../../sql/words/event-words.ts';
import { type Language, locales } from '../../sql/words/message-format.ts';
import { type Country, readCountries } from '../dictionaries/countries.ts';
import { readWords, type Words } from '../dictionaries/words.ts';
import { basePath } from '../endpoint/mount.ts';
import { day_ms, hour_ms } from '../../sql/process/durations.ts';
import { welcomeBonus } from '../figures/prices-and-bonus.ts';
import { readSeries } from '../stats/read-series.ts';
import { isSmall } from '../stats/small-counts.ts';
import { chooseSource } from '../stats/source.ts';
import { findAttributions, readSources } from '../html/attributions.ts';
import type { PaymentOptions } from '../wallet/payment.ts';
import { findPackages } from '../wallet/topup.ts';

export type HomeOptions = PaymentOptions & { baseUrl: string };

/** Returns the newest snapshot of each source of a country, with its number of entries. */
export async function findSnapshots(db: Db, country_code: string) {
  return db
    .selectFrom('analyst.daily_stat')
    .distinctOn('source')
    .select(['source', 'date', 'entry_count'])
    .where('country_code', '=', country_code)
    .orderBy('source')
    .orderBy('date', 'desc')
    .execute();
}

/** The nights that published a day, with counts and examples of the events: a row of `api/stats/read_night.sql`. */
interface Day {
  date: string;
  nights: { source: string; date: string }[];
  types: { severity: string; count: number }[];
  examples: object[];
}

/** Days between the newest snapshot and the earlier one that the headline compares with it; fewer if none is so old. */
const span_days = 30;

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day_ms).toISOString().slice(0, 10);
}

/**
 * Returns a registry's active entries on its newest day, and its new and ended entries since about a month before.
 * `change` is the difference to the equally long period before; undefined if no snapshot precedes that period.
 */
export async function readHeadline(db: Db, source: string, date: string, below = 0) {
  const points = await readSeries(db, source, { by: 'day', from: addDays(date, -3 * span_days) });
  const newest = points.at(-1);
  if (!newest) return undefined;
  const latest = addDays(newest.date, -span_days);
  const base = points.findLast((point) => point.date <= latest) ?? points.at(-2);
  const active = Number(newest.stock.ACTIVE);
  if (!base) return { source, date, active: { count: active } };
  const days = (Date.parse(newest.date) - Date.parse(base.date)) / day_ms;
  const start = addDays(base.date, -days);
  const hasStart = points.some((point) => point.date === start);
  const flowOf = (flow: 'new' | 'ended') => {
    const sum = (after: string, to: string) =>
      points
        .filter((point) => point.date > after && point.date <= to)
        .reduce((total, point) => total + (point[flow] ?? 0), 0);
    const [count, earlier] = [sum(base.date, newest.date), sum(start, base.date)];
    const [isHidden, isCompared] = [isSmall(count, below), hasStart && !isSmall(earlier, below)];
    return {
      count: isHidden ? null : count,
      change: isHidden || !isCompared ? undefined : count - earlier,
    };
  };
  return {
    source,
    date,
    since: base.date,
    days,
    active: { count: active, change: active - Number(base.stock.ACTIVE) },
    new: flowOf('new'),
    ended: flowOf('ended'),
  };
}

/** A country with the snapshots that the page `/` shows. */
type Shown = { country: Country; snapshots: Awaited<ReturnType<typeof findSnapshots>> };

/**
 * Returns the headline and the newest nights of a country, with counts and examples of events by day, the newest day
 * first. Events of different days are not added up.
 */
async function readNews(db: Db, { country, snapshots }: Shown, SUPPRESS_BELOW: number) {
  const [first] = snapshots;
  if (!first) return { nights: [], days: [], headline: undefined };
  const source = await chooseSource(db, { country: country.country_code });
  const newest = snapshots.find((one) => one.source === source) ?? first;
  const [days, headline] = await Promise.all([
    runPrepared<Day>(db, 'api/stats/read_night.sql', [
      snapshots.map((one) => one.source),
      snapshots.map(({ date }) => date),
    ]),
    readHeadline(db, newest.source, newest.date, SUPPRESS_BELOW),
  ]);
  const nights = days.flatMap((day) => day.nights);
  return { nights: nights.toSorted((a, b) => (a.source < b.source ? -1 : 1)), days, headline };
}

/** Returns the functions that the template uses to describe the nights of a country. */
function viewNights({ country }: Shown, words: Words, at: Date) {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: country.time_zone });
  /** Returns the age of the data of a day, in calendar days of the country's time zone. */
  const ageOf = (date: string) => (Date.parse(day.format(at)) - Date.parse(date)) / day_ms;
  return {
    country,
    nameIn: (language: string) => words.nameOf(country, language),
    ageOf,
    /** Returns whether the data of a day is of last night: a dump is read in the night after its day. */
    isLast: (date: string) => ageOf(date) <= 1,
    /** Returns the words for the kinds of companies in a registry. */
    holds: (source: string, language: string) =>
      words.find(country.country_code, `holds_${source}`, language),
  };
}

/** Returns the function that reads the data of the page `/`: the newest nights, prices and attributions. */
export function createHome(options: HomeOptions) {
  const { readers, now, SUPPRESS_BELOW, SEARCH_CREDITS, SNAPSHOT_CREDITS } = options;
  const { db } = readers;
  // The data of the page is cached for at most an hour, so that withdrawn events also disappear from the page.
  const kept = new LRUCache<string, Awaited<ReturnType<typeof readNews>>[], Shown[]>({
    max: 1,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: shown }) =>
      Promise.all(shown.map((one) => readNews(db, one, SUPPRESS_BELOW))),
  });
  return async () => {
    const shown = await Promise.all(
      (await readCountries(db)).map(async (country) => ({
        country,
        snapshots: await findSnapshots(db, country.country_code),
      })),
    );
    const [words, sources, at] = [await readWords(db), await readSources(db), now()];
    const key = JSON.stringify([shown, Math.floor(at.getTime() / hour_ms)]);
    const news = await kept.forceFetch(key, { context: shown });
    const all = shown.map((one, place) => ({ ...viewNights(one, words, at), ...news[place]! }));
    const [first, ...others] = all;
    return {
      ...first!,
      others: others.filter(({ nights }) => nights.length > 0),
      describeEvent,
      present,
      // Until a snapshot is published, the sample request has an example date.
      newest: first!.days[0]?.date ?? '2026-11-06',
      api: options.baseUrl + basePath,
      REGISTRATION_OPEN: options.REGISTRATION_OPEN,
      listRegistries: (language: Language) =>
        new Intl.ListFormat(locales[language]).format(sources.map((name) => name.toUpperCase())),
      packages: options.payment ? await readers.readCustomer(findPackages) : [],
      attributions: await findAttributions(
        db,
        all.flatMap(({ nights }) => nights.map(({ source }) => source)),
      ),
      welcomeCredits: welcomeBonus.credits,
      SEARCH_CREDITS,
      SNAPSHOT_CREDITS,
    };
  };
}
