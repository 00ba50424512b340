// Makes CEIDG countries to test and to measure with: any size, seeded, day after day.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isDate } from '../pipeline/calendar.ts';
import { dayNumber, isoDate } from './generator/calendar.ts';
import { kinds, type ChangeKind } from './generator/change.ts';
import { createCountry, presentEntries } from './generator/country.ts';
import { perKind, passNight, type PerKind, type NightReport } from './generator/night.ts';
import { type TextFormat, textFormats } from './generator/pack.ts';
import { writeReports } from './generator/report.ts';

/** Which country. The same options give the same bytes, on every machine. */
export interface DumpOptions {
  /** Any whole number from 0. */
  seed: number;
  /** Entries of the first dump, 1 to 20 million. */
  entries: number;
  /** Date of day 0, the first dump, `YYYY-MM-DD`. */
  from: string;
  /** Share of all entries that a kind of change touches a day, instead of its default; 0 = never. */
  shares?: Partial<Record<ChangeKind, number>>;
  /** Scales the shares of all kinds to this sum; without it they stay as they are (0.5 %). */
  changes?: number;
}

export type ExpectedDay = Awaited<ReturnType<typeof writeDay>>;

/** A closing date that lies ahead is never reached within so many days. */
const lastDay = 30;

/** How many entries each kind of change touches a day: at least one, unless its share is 0. */
function countChanges({ entries, shares, changes }: DumpOptions): PerKind {
  const chosen = perKind((kind) => shares?.[kind] ?? kinds[kind].share);
  if (changes !== undefined && !(changes >= 0 && changes <= 0.5)) {
    throw new RangeError('changes must be from 0 to 0.5');
  }
  const sum = Object.values(chosen).reduce((total, share) => total + share, 0);
  const scale = changes === undefined ? 1 : changes / sum;
  return perKind((kind) => {
    const share = chosen[kind] * scale;
    if (!(share >= 0 && share <= 1)) throw new RangeError(`share of ${kind} is not from 0 to 1`);
    return share === 0 ? 0 : Math.max(1, Math.round(share * entries));
  });
}

/** The country as of a day, and what the last night did to it: nothing on day 0. */
export function replay(options: DumpOptions, day: number) {
  const from = dayNumber(options.from);
  const wanted = countChanges(options);
  const country = createCountry(options.seed, options.entries, from);
  let report: NightReport = { counts: perKind(() => 0), events: [] };
  for (let night = 1; night <= day; night += 1) report = passNight(country, from + night, wanted);
  return { country, ...report };
}

/**
 * Writes the 17 reports of one day (0 = the first dump) into `folder`. Throws a RangeError where a share
 * is out of bounds.
 *
 * @returns what the night that loads the day after the one before must count and tell
 */
export async function writeDay(
  options: DumpOptions,
  day: number,
  folder: string,
  format: TextFormat = 'zip',
) {
  const { country, counts, events } = replay(options, day);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const added = counts.new + counts.new_shared + counts.back;
  return {
    date: isoDate(country.from + day),
    new: added,
    // White space does not count.
    updated: all - added - counts.gone - counts.whitespace,
    deleted: counts.gone,
    /** The rows of all files. */
    total: await writeReports(folder, format, presentEntries(country)),
    events,
  };
}

/** Reads a whole number of the command line, from the least to the most. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(number) || number < least || number > most) {
      throw new InvalidArgumentError(`It is not a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

function parseDate(text: string): string {
  if (!isDate(text)) throw new InvalidArgumentError('It is not a date.');
  return text;
}

async function writeDays(
  folder: string,
  { days, format, ...options }: DumpOptions & { days: number; format: TextFormat },
): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    const path = join(folder, isoDate(dayNumber(options.from) + day));
    const expected = await writeDay(options, day, path, format);
    await writeFile(`${path}.expected.json`, `${JSON.stringify(expected, null, 1)}\n`);
    process.stdout.write(
      `${expected.date}: ${expected.total} rows, ${expected.new} new, ${expected.updated} updated, ` +
        `${expected.deleted} deleted, ${expected.events.length} events\n`,
    );
  }
}

if (import.meta.main) {
  const command = new Command('generate-dump')
    .description('Makes the CEIDG reports of an invented country, and what each night must tell.')
    .argument('<folder>', 'gets a folder and <date>.expected.json a day')
    .option('--entries <number>', 'entries of the first dump', wholeNumber(1, 20_000_000), 5000)
    .option('--seed <number>', 'number of the country', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1)
    .requiredOption('--from <date>', 'date of the first dump, YYYY-MM-DD', parseDate)
    .option('--days <number>', 'days, the first one included', wholeNumber(1, lastDay + 1), 2)
    .option('--changes <share>', 'share of all entries that change a day (0.005)', Number)
    .addOption(new Option('--format <format>', 'of the files').choices(textFormats).default('zip'))
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(writeDays);
  try {
    await command.parseAsync();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof RangeError ? 2 : 1;
  }
}
